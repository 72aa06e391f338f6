import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconRefresh } from '@tabler/icons-react';
import { useNavigate } from 'react-router';
import { type Delivery, useReplayDelivery } from '../../api/deliveries.js';
import { ConfirmDialog } from '../../parts/confirm-dialog.js';
import { PATHS } from '../../paths.js';

/** Why a delivery can not be replayed; undefined when it can. */
export function whyNoReplay(delivery: Delivery, body: string | null): string | undefined {
  if (delivery.event === 'install.test')
    return 'A test can not be replayed; send a new one from the webhook.';
  switch (delivery.state) {
    case 'pending':
    case 'retry_scheduled':
    case 'held':
      return 'It is still on its way, so it can not be replayed.';
    case 'cancelled':
      return 'Its webhook was deleted, so it can not be replayed.';
    case 'delivered':
    case 'dead_lettered':
      return body === null ? 'Its event is no longer kept, so it can not be replayed.' : undefined;
  }
}

/** Sends the event once more after asking, and leads to the new delivery. */
export function ReplayButton({ delivery }: { readonly delivery: Delivery }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const replay = useReplayDelivery((replayed) => {
    close();
    void navigate(PATHS.delivery(replayed.id));
  });
  const wasDelivered = delivery.state === 'delivered';
  return (
    <>
      <Button leftSection={<IconRefresh size={18} aria-hidden />} onClick={open}>
        Replay
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title="Replay this delivery?"
        confirmLabel="Replay now"
        isRunning={replay.isRunning}
        onConfirm={() => replay.run(delivery.id)}
        onClose={close}
      >
        <Stack gap="xs">
          <Text size="sm">
            The same event with the same body is sent to the present address of the webhook, as a new delivery
            with up to 8 attempts of its own. This one stays as it is.
          </Text>
          {wasDelivered && (
            <Text size="sm">
              Your server took it already. It gets the event a second time, with the same event id.
            </Text>
          )}
        </Stack>
      </ConfirmDialog>
    </>
  );
}
