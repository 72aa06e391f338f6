import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useActivateWebhook, usePauseWebhook, type Webhook } from '../../api/webhooks.js';
import { ConfirmDialog } from '../../parts/confirm-dialog.js';
import { Notice } from '../../parts/notice.js';
import { Panel } from '../../parts/panel.js';
import { TextLink } from '../../parts/text-link.js';
import { PATHS } from '../../paths.js';

/** Switches a subscription on and off. */
export function SwitchPanel({ webhook }: { readonly webhook: Webhook }) {
  const activate = useActivateWebhook(webhook.id);
  const backfillId = activate.answer?.backfillId ?? null;
  return (
    <Panel title="Sending">
      {webhook.state === 'active' ? (
        <Stack gap="sm">
          {backfillId !== null && (
            <Notice tone="info" title="The events of the meantime are being sent.">
              <TextLink to={PATHS.bulkReplay(webhook.id)} size="sm">
                See how far it is
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
  const pause = usePauseWebhook(id);
  const [isAsking, setAsking] = useState(false);
  return (
    <Stack gap="sm">
      <span>Events are sent as they happen. Pause it, for example, while your server is being rebuilt.</span>
      <Group>
        <Button variant="default" onClick={() => setAsking(true)}>
          Pause webhook
        </Button>
      </Group>
      <ConfirmDialog
        isOpen={isAsking}
        title="Pause this webhook?"
        confirmLabel="Pause"
        isRunning={pause.isRunning}
        onConfirm={() => pause.run(undefined, { onSettled: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        <Text>
          No events are sent until you activate it again. Deliveries that have not got through yet wait, and
          go on then. Events that happen meanwhile can be sent then, too, if you choose so.
        </Text>
      </ConfirmDialog>
    </Stack>
  );
}

function Paused(props: {
  readonly webhook: Webhook;
  readonly activate: ReturnType<typeof useActivateWebhook>;
}) {
  const { activate } = props;
  const { verified } = props.webhook;
  const [isAsking, setAsking] = useState(false);
  const [choice, setChoice] = useState('now');
  return (
    <Stack gap="sm">
      <span>
        {verified
          ? 'Nothing is sent, except tests. Activate it when your server is ready.'
          : 'Nothing is sent, except tests. It can be activated once a test was answered with 2xx.'}
      </span>
      <Group>
        <Button disabled={!verified} onClick={() => setAsking(true)}>
          Activate webhook
        </Button>
      </Group>
      <Modal
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Activate this webhook?"
        centered
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <Radio.Group label="Which events are sent?" value={choice} onChange={setChoice}>
            <Stack gap="sm" mt="xs">
              <Radio
                value="now"
                label="Those from now on"
                description="Events of the meantime are not sent. You still find them under “Why not received?”."
              />
              <Radio
                value="backfill"
                label="Those of the meantime as well"
                description="Everything since it was paused, or created if it was never active, is sent one after the other, together with the new ones."
              />
            </Stack>
          </Radio.Group>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsking(false)}>
              Cancel
            </Button>
            <Button
              loading={activate.isRunning}
              onClick={() =>
                activate.run({ backfill: choice === 'backfill' }, { onSettled: () => setAsking(false) })
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
