import { LIMITS } from '@partner/proto-contracts/api/limits';
import { IconPlayerTrackNext } from '@tabler/icons-react';
import { type Delivery, useAction } from '../../api/hooks.js';
import { ConfirmedButton } from '../../parts/form.js';
import { OwnerOnly } from '../../parts/page.js';
import { nextAttemptOf } from '../../webhook-facts.js';

/** Whether the delivery waits for a retry that is not due yet. */
export function canRetryNow(delivery: Delivery, now: Date): boolean {
  const next = nextAttemptOf(delivery);
  return delivery.state === 'retry_scheduled' && next !== null && Date.parse(next) > now.getTime();
}

/** Makes the next scheduled attempt of the delivery now, after a confirmation. */
export function RetryButton({ delivery }: { readonly delivery: Delivery }) {
  const retry = useAction('retryDelivery', { done: 'Retry queued' });
  const next = delivery.attempts + 1;
  return (
    <OwnerOnly>
      <ConfirmedButton
        label="Retry now"
        button={{
          variant: 'filled',
          leftSection: <IconPlayerTrackNext size={18} aria-hidden />,
          'aria-keyshortcuts': 'r',
        }}
        title="Retry this delivery now?"
        confirmLabel={`Make attempt ${next}`}
        action={retry}
        given={{ params: { id: delivery.id } }}
      >
        {`This uses attempt ${next} of ${LIMITS.webhookAttempts}. `}
        {next === LIMITS.webhookAttempts
          ? 'If it fails, the delivery is given up.'
          : 'If it fails, the next wait is longer.'}
      </ConfirmedButton>
    </OwnerOnly>
  );
}
