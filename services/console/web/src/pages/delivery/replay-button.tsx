import { Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconRefresh } from '@tabler/icons-react';
import { useNavigate } from 'react-router';
import type { Delivery } from '../../api/operations.js';
import { ActionButton } from '../../parts/action-button.js';
import { useAction } from '../../api/use-action.js';
import { ConfirmDialog } from '../../parts/confirm-dialog.js';
import { PATHS } from '../../paths.js';

/** Returns why a delivery cannot be replayed; undefined if it can. */
export function replayBlockedReason(delivery: Delivery, body: string | null): string | undefined {
  if (delivery.isTest) return 'Tests cannot be replayed. Send a new one from the webhook.';
  switch (delivery.state) {
    case 'pending':
    case 'retry_scheduled':
    case 'held':
      return 'Still in progress, so it cannot be replayed.';
    case 'cancelled':
      return 'The webhook was deleted, so it cannot be replayed.';
    case 'delivered':
    case 'dead_lettered':
      return body === null ? 'The event is past its retention, so it cannot be replayed.' : undefined;
  }
}

/** Replays the delivery after a confirmation and opens the new delivery. */
export function ReplayButton({ delivery }: { readonly delivery: Delivery }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const replay = useAction('replayDelivery', {
    done: 'Replay queued',
    onDone: ({ id }) => {
      close();
      void navigate(PATHS.delivery(id));
    },
  });
  const wasDelivered = delivery.state === 'delivered';
  return (
    <>
      <ActionButton leftSection={<IconRefresh size={18} aria-hidden />} onClick={open}>
        Replay
      </ActionButton>
      <ConfirmDialog
        isOpen={isOpen}
        title="Replay this delivery?"
        confirmLabel="Replay now"
        isRunning={replay.isRunning}
        error={replay.error}
        onConfirm={() => replay.run({ params: { id: delivery.id } })}
        onClose={close}
      >
        <Stack gap="xs">
          <Text size="sm">
            Sends the same event and body to the webhook’s current URL as a new delivery with up to 8
            attempts. This delivery stays unchanged.
          </Text>
          {wasDelivered && (
            <Text size="sm">
              Your server already accepted this event. It receives the event again, with the same event ID.
            </Text>
          )}
        </Stack>
      </ConfirmDialog>
    </>
  );
}
