import { Stack, Text } from '@mantine/core';
import { IconPlayerTrackNext, IconRefresh } from '@tabler/icons-react';
import { useNavigate } from 'react-router';
import { type Delivery, useAction } from '../../api/hooks.js';
import { ActionButton, OwnerOnly } from '../../parts/page.js';
import { ConfirmedButton } from '../../parts/form.js';
import { PATHS } from '../../paths.js';
import { nextAttemptOf } from '../../webhook-facts.js';

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
  const navigate = useNavigate();
  const replay = useAction('replayDelivery', {
    done: 'Replay queued',
    onDone: ({ id }) => void navigate(PATHS.delivery(id)),
  });
  return (
    <OwnerOnly>
      <ConfirmedButton
        label="Replay"
        button={{ variant: 'filled', leftSection: <IconRefresh size={18} aria-hidden /> }}
        title="Replay this delivery?"
        confirmLabel="Replay now"
        action={replay}
        given={{ params: { id: delivery.id } }}
      >
        <Stack gap="xs">
          <Text size="sm">
            Sends the same event and body to the webhook’s current URL as a new delivery with up to 8
            attempts. This delivery stays unchanged.
          </Text>
          {delivery.state === 'delivered' && (
            <Text size="sm">
              Your server already accepted this event. It receives the event again, with the same event ID.
            </Text>
          )}
        </Stack>
      </ConfirmedButton>
    </OwnerOnly>
  );
}

/** Whether the delivery waits for a retry that is not due yet. */
export function canRetryNow(delivery: Delivery, now: Date): boolean {
  const next = nextAttemptOf(delivery);
  return delivery.state === 'retry_scheduled' && next !== null && Date.parse(next) > now.getTime();
}

/** Makes the next scheduled attempt of the delivery now. */
export function RetryButton({
  delivery,
  retry,
}: {
  readonly delivery: Delivery;
  readonly retry: ReturnType<typeof useAction<'retryDelivery'>>;
}) {
  return (
    <ActionButton
      leftSection={<IconPlayerTrackNext size={18} aria-hidden />}
      loading={retry.isRunning}
      onClick={() => retry.run({ params: { id: delivery.id } })}
    >
      Retry now
    </ActionButton>
  );
}
