import { IconPlayerTrackNext } from '@tabler/icons-react';
import type { Delivery } from '../../api/operations.js';
import { ActionButton } from '../../parts/owner.js';
import { nextAttemptOf } from '../../parts/times.js';
import type { useAction } from '../../api/hooks.js';

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
