import type { Delivery, Webhook } from '../api/operations.js';
import { DueTime, useNow } from './relative-time.js';

type NextOf = Pick<Delivery, 'nextAttemptAt' | 'state'>;

/** When the next attempt of a delivery is due; null if none is. */
export function nextAttemptOf({ nextAttemptAt, state }: NextOf): string | null {
  return state === 'held' ? null : nextAttemptAt;
}

/** Whether the next attempt is due, but all slots of the webhook are in use. */
export function isWaitingForSlot(nextAttemptAt: string, now: Date): boolean {
  return Date.parse(nextAttemptAt) < now.getTime();
}

/** Shows when a delivery's next attempt is due, or that it waits for a slot or for the rate of its webhook. */
export function NextAttempt({
  delivery,
  perSecond,
}: {
  readonly delivery: NextOf;
  /** The rate of the webhook, null without one; absent: not known. */
  readonly perSecond?: number | null;
}) {
  const now = useNow();
  const next = nextAttemptOf(delivery);
  if (next === null) return '–';
  return isWaitingForSlot(next, now) ? (
    <time dateTime={next}>{dueText(perSecond)}</time>
  ) : (
    <DueTime at={next} />
  );
}

/** Shows when the next waiting delivery of a webhook is attempted; nothing if none waits. */
export function NextAttemptOfWebhook({
  webhook: { nextAttemptAt, deliveriesPerSecond },
}: {
  readonly webhook: Pick<Webhook, 'nextAttemptAt' | 'deliveriesPerSecond'>;
}) {
  if (nextAttemptAt === null) return null;
  return (
    <span>
      {'Next attempt: '}
      <NextAttempt delivery={{ nextAttemptAt, state: 'retry_scheduled' }} perSecond={deliveriesPerSecond} />
    </span>
  );
}

function dueText(perSecond: number | null | undefined): string {
  if (perSecond === undefined) return 'Due, queued';
  return perSecond === null ? 'Due, waiting for a free slot' : `Due, limited to ${perSecond} per second`;
}
