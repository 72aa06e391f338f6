import {
  Button,
  Code,
  Group,
  NativeSelect,
  PasswordInput,
  Radio,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { CUSTOM_HEADER_LIMITS } from '@partner/proto-contracts/resources/subscription/custom-headers';
import { useAction, useEventCatalogue, type Webhook } from '../../api/hooks.js';
import { Notice, OwnerOnly, Panel, SmallLink, useOwner } from '../../parts/page.js';
import { ConfirmedButton, Form, FormFailure, useFields } from '../../parts/form.js';
import { PATHS } from '../../paths.js';
import { groupsFor, TEST_EVENT } from './webhook-input.js';
import { type TestDelivery, TestSteps } from './steps.js';
import { Facts } from '../../parts/data.js';

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
              <SmallLink to={PATHS.bulkReplay(webhook.id)}>View progress</SmallLink>
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
  return (
    <Stack gap="sm">
      <span>Events are sent as they occur. Pause it, for example, during maintenance of your server.</span>
      <OwnerOnly>
        <Group>
          <ConfirmedButton
            label="Pause webhook"
            title="Pause this webhook?"
            confirmLabel="Pause"
            action={pause}
            given={{ params: { id } }}
          >
            <Text>
              No events are sent until you activate it again. Unfinished deliveries are held until then. You
              can choose to send missed events as well.
            </Text>
          </ConfirmedButton>
        </Group>
      </OwnerOnly>
    </Stack>
  );
}

function Paused(props: {
  readonly webhook: Webhook;
  readonly activate: ReturnType<typeof useAction<'activateWebhook'>>;
}) {
  const { id, verified } = props.webhook;
  const [choice, setChoice] = useState('now');
  return (
    <Stack gap="sm">
      <span>
        {verified
          ? 'Only tests are sent. Activate it when your server is ready.'
          : 'Only tests are sent. After a 2xx response to a test you can activate it.'}
      </span>
      <OwnerOnly>
        <Group>
          <ConfirmedButton
            label="Activate webhook"
            button={{ variant: 'filled', disabled: !verified }}
            title="Activate this webhook?"
            confirmLabel="Activate"
            action={props.activate}
            given={{ params: { id }, body: { backfill: choice === 'backfill' } }}
          >
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
          </ConfirmedButton>
        </Group>
      </OwnerOnly>
    </Stack>
  );
}

/** Sends a test delivery: the example of any event that the company's class may have. */
export function TestPanel({ webhook, test }: { readonly webhook: Webhook; readonly test: TestDelivery }) {
  const [event, setEvent] = useState<string>(TEST_EVENT);
  const { company } = useOwner();
  const catalogue = useEventCatalogue();
  return (
    <Panel title="Test">
      <Stack gap="sm">
        <Text>
          Sends an example, even while the webhook is paused. The header x-svc-test marks it as a test.
        </Text>
        <NativeSelect
          label="Event to send"
          error={catalogue.error === null ? undefined : 'Could not load the events'}
          value={event}
          onChange={({ currentTarget }) => setEvent(currentTarget.value)}
          data={[
            { value: TEST_EVENT, label: `${TEST_EVENT} (your server can ignore it)` },
            ...groupsFor(catalogue.data?.events ?? [], company.class).map(({ group, events }) => ({
              group,
              items: events.map((each) => each.name),
            })),
          ]}
        />
        <TestSteps test={test} event={event} isNext={!webhook.verified} />
      </Stack>
    </Panel>
  );
}

/** Custom headers of a subscription: their names, and a form that sets one. Values are never shown. */
export function HeadersPanel({ webhook }: { readonly webhook: Webhook }) {
  const { id, headerNames } = webhook;
  const update = useAction('updateWebhook', { done: 'Changes saved' });
  const { values, violations, field, clear } = useFields({ name: '', value: '' }, update.error);
  const name = values.name.trim();
  const set = (header: { readonly name: string; readonly value: string | null }, onSuccess?: () => void) =>
    update.run({ params: { id }, body: { headers: [header] } }, { ...(onSuccess && { onSuccess }) });
  return (
    <Panel title="Custom headers">
      <Stack gap="md">
        <Text size="sm">
          Sent with every delivery and test, for example a key of your API gateway. Values are stored
          encrypted and not shown again.
        </Text>
        {headerNames.length > 0 && (
          <Facts
            facts={Object.fromEntries(
              headerNames.map((header) => [
                header,
                <Group key={header} gap="sm">
                  <span>Hidden</span>
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={`Remove the header ${header}`}
                    disabled={update.isRunning}
                    onClick={() => set({ name: header, value: null })}
                  >
                    Remove
                  </Button>
                </Group>,
              ]),
            )}
          />
        )}
        <Form
          action={update}
          submitLabel={headerNames.includes(name.toLowerCase()) ? 'Replace header' : 'Add header'}
          button={{ variant: 'default', disabled: values.name === '' || values.value === '' }}
          onSubmit={() => set({ name, value: values.value }, clear)}
        >
          <Group align="flex-start" gap="sm">
            <TextInput
              label="Header name"
              {...field('name')}
              error={violations['headers.0.name'] ?? violations['headers']}
              maxLength={CUSTOM_HEADER_LIMITS.nameLength}
              autoComplete="off"
              spellCheck={false}
              w="16rem"
            />
            <PasswordInput
              label="Header value"
              {...field('value')}
              error={violations['headers.0.value']}
              maxLength={CUSTOM_HEADER_LIMITS.valueLength}
              autoComplete="off"
              w="24rem"
              maw="100%"
            />
          </Group>
        </Form>
      </Stack>
    </Panel>
  );
}

/** Deletes a subscription after the owner has typed its host. */
export function DeletePanel(props: {
  readonly webhook: Webhook;
  readonly deletion: ReturnType<typeof useAction<'deleteWebhook'>>;
}) {
  const { webhook, deletion } = props;
  const [typed, setTyped] = useState('');
  const { host } = new URL(webhook.url);
  return (
    <Panel title="Delete">
      <Stack gap="sm">
        <span>Permanently deletes the webhook and its secrets. To stop it temporarily, pause it.</span>
        <FormFailure error={deletion.error} />
        <Group>
          <ConfirmedButton
            label="Delete webhook"
            title="Delete this webhook?"
            confirmLabel="Delete permanently"
            isDangerous
            isBlocked={typed.trim() !== host}
            action={deletion}
            given={{ params: { id: webhook.id } }}
            onOpen={() => setTyped('')}
          >
            <Stack gap="sm">
              <Text>
                Nothing more is sent, queued deliveries are cancelled, and its secrets are deleted. You cannot
                undo this.
              </Text>
              <TextInput
                label={
                  <>
                    To confirm, type <Code>{host}</Code>
                  </>
                }
                value={typed}
                onChange={({ currentTarget }) => setTyped(currentTarget.value)}
                autoComplete="off"
                spellCheck={false}
              />
            </Stack>
          </ConfirmedButton>
        </Group>
      </Stack>
    </Panel>
  );
}
