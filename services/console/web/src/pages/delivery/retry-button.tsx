import { IconPlayerTrackNext } from '@tabler/icons-react';
import type { Delivery } from '../../api/operations.js';
import { ActionButton } from '../../parts/action-button.js';
import type { useAction } from '../../api/use-action.js';

/** Whether the delivery waits for a retry that is not due yet. */
export function canRetryNow({ state, nextAttemptAt }: Delivery, now: Date): boolean {
  return state === 'retry_scheduled' && nextAttemptAt !== null && Date.parse(nextAttemptAt) > now.getTime();
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
