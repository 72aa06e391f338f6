import type { Delivery } from '../api/deliveries.js';
import { DueTime, useNow } from './relative-time.js';

/** Whether the next attempt is due, but all slots of the webhook are in use. */
export function isWaitingForSlot(nextAttemptAt: string, now: Date): boolean {
  return Date.parse(nextAttemptAt) < now.getTime();
}

/** Shows when a delivery's next attempt is due, or that it waits for a slot or for the rate of its webhook. */
export function NextAttempt({
  delivery: { nextAttemptAt, state },
  perSecond = null,
}: {
  readonly delivery: Pick<Delivery, 'nextAttemptAt' | 'state'>;
  /** The rate of the webhook, if it is known and has one. */
  readonly perSecond?: number | null;
}) {
  const now = useNow();
  if (nextAttemptAt === null || state === 'held') return '–';
  return isWaitingForSlot(nextAttemptAt, now) ? (
    <time dateTime={nextAttemptAt}>
      {perSecond === null ? 'Due, waiting for a free slot' : `Due, limited to ${perSecond} per second`}
    </time>
  ) : (
    <DueTime at={nextAttemptAt} />
  );
}
