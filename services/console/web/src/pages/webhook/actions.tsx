import {
  IconCopy,
  IconDots,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconSend,
  IconTrash,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useAction, useEventCatalogue, type Webhook } from '../../api/hooks.js';
import { ConfirmedButton } from '../../parts/form.js';
import { TypedDialog } from '../../parts/typed-dialog.js';
import { OwnerOnly, useOwner } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { Choices, NativeSelect } from '../../parts/fields.js';
import { Menu, MenuItem, Modal } from '../../parts/overlays.js';
import { ActionIcon, Button } from '../../parts/ui.js';
import { groupsFor, TEST_EVENT } from './webhook-input.js';
import { TestSteps, useTestDelivery } from './steps.js';

export type Deletion = ReturnType<typeof useAction<'deleteWebhook'>>;

interface Actions {
  readonly webhook: Webhook;
  readonly activate: ReturnType<typeof useAction<'activateWebhook'>>;
  readonly deletion: Deletion;
}

/** What an owner can do with a webhook. */
export function WebhookActions({ webhook, activate, deletion }: Actions) {
  return (
    <OwnerOnly>
      <SendTest webhook={webhook} />
      {webhook.state === 'active' ? (
        <Pause id={webhook.id} />
      ) : (
        <Activate webhook={webhook} activate={activate} />
      )}
      <More webhook={webhook} deletion={deletion} />
    </OwnerOnly>
  );
}

/** Sends a test delivery: the example of any event that the company's class may have. */
function SendTest({ webhook }: { readonly webhook: Webhook }) {
  const [isOpen, setOpen] = useState(false);
  const [event, setEvent] = useState<string>(TEST_EVENT);
  const test = useTestDelivery(webhook.id);
  const { company } = useOwner();
  const catalogue = useEventCatalogue();
  return (
    <>
      <Button
        variant={webhook.verified ? 'default' : 'filled'}
        leftSection={<IconSend size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        Send test
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Send a test" size="lg">
        <p>Sends an example, even while the webhook is paused. The header x-svc-test marks it as a test.</p>
        <NativeSelect
          label="Event to send"
          error={catalogue.error === null ? undefined : 'Could not load the events'}
          value={event}
          onChange={({ currentTarget }) => setEvent(currentTarget.value)}
          data={[
            { value: TEST_EVENT, label: `${TEST_EVENT} (your server can ignore it)` },
            ...groupsFor(catalogue.data?.events ?? [], company.class).map(({ group, events }) => ({
              group,
              items: events.map(({ name }) => ({ value: name, label: name })),
            })),
          ]}
        />
        <TestSteps test={test} event={event} />
      </Modal>
    </>
  );
}

function Pause({ id }: { readonly id: string }) {
  const pause = useAction('pauseWebhook', { done: 'Webhook paused' });
  return (
    <ConfirmedButton
      label="Pause"
      button={{ leftSection: <IconPlayerPause size={16} aria-hidden /> }}
      title="Pause this webhook?"
      confirmLabel="Pause"
      action={pause}
      given={{ params: { id } }}
    >
      No events are sent until you activate it again. Unfinished deliveries are held until then. You can then
      also send the events it missed.
    </ConfirmedButton>
  );
}

const MISSED = [
  {
    value: 'now',
    label: 'Skip missed events',
    description: 'Only new events are sent. You can still find missed events under “Trace an event”.',
  },
  {
    value: 'backfill',
    label: 'Also send missed events',
    description:
      'All events since the pause, or since its creation if it was never active, are sent in addition to new ones.',
  },
];

function Activate({ webhook: { id, verified }, activate }: Omit<Actions, 'deletion'>) {
  const [choice, setChoice] = useState('now');
  return (
    <ConfirmedButton
      label="Activate"
      button={{
        variant: verified ? 'filled' : 'default',
        disabled: !verified,
        leftSection: <IconPlayerPlay size={16} aria-hidden />,
      }}
      title="Activate this webhook?"
      confirmLabel="Activate"
      action={activate}
      given={{ params: { id }, body: { backfill: choice === 'backfill' } }}
    >
      <Choices label="Missed events" values={[choice]} options={MISSED} onToggle={setChoice} />
    </ConfirmedButton>
  );
}

function More({ webhook: { id, url }, deletion }: Omit<Actions, 'activate'>) {
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <Menu
        position="bottom-end"
        button={
          <ActionIcon variant="default" aria-label="More actions">
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        }
      >
        <MenuItem to={PATHS.bulkReplay(id)} icon={<IconRefresh size={16} aria-hidden />}>
          Retry many…
        </MenuItem>
        <MenuItem
          icon={<IconCopy size={16} aria-hidden />}
          onClick={() => void navigator.clipboard.writeText(id)}
        >
          Copy the webhook’s ID
        </MenuItem>
        <MenuItem isDangerous icon={<IconTrash size={16} aria-hidden />} onClick={() => setDeleting(true)}>
          Delete webhook…
        </MenuItem>
      </Menu>
      <TypedDialog
        isOpen={isDeleting}
        title="Delete this webhook?"
        confirmLabel="Delete permanently"
        text={new URL(url).host}
        action={deletion}
        onConfirm={() => deletion.run({ params: { id } })}
        onClose={() => setDeleting(false)}
      >
        Nothing more is sent, queued deliveries are canceled, and its secrets are deleted. You can’t undo
        this. To stop it temporarily, pause it instead.
      </TypedDialog>
    </>
  );
}
