import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Webhook } from '../../api/operations.js';
import { ActionButton } from '../../parts/action-button.js';
import { useAction } from '../../api/use-action.js';
import { ConfirmDialog } from '../../parts/confirm-dialog.js';
import { FormFailure } from '../../parts/form-failure.js';
import { Notice } from '../../parts/notice.js';
import { Panel } from '../../parts/panel.js';
import { TextLink } from '../../parts/text-link.js';
import { PATHS } from '../../paths.js';

/** Activates and pauses a subscription. */
export function SwitchPanel({ webhook }: { readonly webhook: Webhook }) {
  const activate = useAction('activateWebhook', { done: 'Webhook activated' });
  const backfillId = activate.response?.backfillId ?? null;
  return (
    <Panel title="Sending">
      {webhook.state === 'active' ? (
        <Stack gap="sm">
          {backfillId !== null && (
            <Notice tone="info" title="Missed events are being sent">
              <TextLink to={PATHS.bulkReplay(webhook.id)} size="sm">
                View progress
              </TextLink>
            </Notice>
          )}
          <Active id={webhook.id} />
        </Stack>
      ) : (
        <Paused webhook={webhook} activate={activate} />
      )}
    </Panel>
  );
}

function Active({ id }: { readonly id: string }) {
  const pause = useAction('pauseWebhook', { done: 'Webhook paused' });
  const [isAsking, setAsking] = useState(false);
  return (
    <Stack gap="sm">
      <span>Events are sent as they occur. Pause it, for example, during maintenance of your server.</span>
      <Group>
        <ActionButton variant="default" onClick={() => setAsking(true)}>
          Pause webhook
        </ActionButton>
      </Group>
      <ConfirmDialog
        isOpen={isAsking}
        title="Pause this webhook?"
        confirmLabel="Pause"
        isRunning={pause.isRunning}
        error={pause.error}
        onConfirm={() => pause.run({ params: { id } }, { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        <Text>
          No events are sent until you activate it again. Unfinished deliveries are held until then. You can
          choose to send missed events as well.
        </Text>
      </ConfirmDialog>
    </Stack>
  );
}

function Paused(props: {
  readonly webhook: Webhook;
  readonly activate: ReturnType<typeof useAction<'activateWebhook'>>;
}) {
  const { activate } = props;
  const { id, verified } = props.webhook;
  const [isAsking, setAsking] = useState(false);
  const [choice, setChoice] = useState('now');
  return (
    <Stack gap="sm">
      <span>
        {verified
          ? 'Only tests are sent. Activate it when your server is ready.'
          : 'Only tests are sent. After a 2xx response to a test you can activate it.'}
      </span>
      <Group>
        <ActionButton disabled={!verified} onClick={() => setAsking(true)}>
          Activate webhook
        </ActionButton>
      </Group>
      <Modal opened={isAsking} onClose={() => setAsking(false)} title="Activate this webhook?">
        <Stack>
          <Radio.Group label="Missed events" value={choice} onChange={setChoice}>
            <Stack gap="sm" mt="xs">
              <Radio
                value="now"
                label="Skip missed events"
                description="Only new events are sent. You can still find missed events under “Trace an event”."
              />
              <Radio
                value="backfill"
                label="Also send missed events"
                description="All events since the pause, or since its creation if it was never active, are sent in addition to new ones."
              />
            </Stack>
          </Radio.Group>
          <FormFailure error={activate.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsking(false)}>
              Cancel
            </Button>
            <Button
              loading={activate.isRunning}
              onClick={() =>
                activate.run(
                  { params: { id }, body: { backfill: choice === 'backfill' } },
                  { onSuccess: () => setAsking(false) },
                )
              }
            >
              Activate
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Stack>
  );
}
