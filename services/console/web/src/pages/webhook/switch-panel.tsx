import { Group, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Webhook } from '../../api/operations.js';
import { OwnerOnly } from '../../parts/owner.js';
import { useAction } from '../../api/hooks.js';
import { ConfirmedButton } from '../../parts/confirm-dialog.js';
import { Notice, Panel, TextLink } from '../../parts/page.js';
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
