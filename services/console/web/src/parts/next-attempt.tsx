import type { Delivery } from '../api/deliveries.js';
import { DueTime, useNow } from './relative-time.js';

/** Whether the next attempt is due, but all slots of the webhook are in use. */
export function isWaitingForSlot(nextAttemptAt: string, now: Date): boolean {
  return Date.parse(nextAttemptAt) < now.getTime();
}

/** Shows when a delivery's next attempt is due, or that it waits for a slot. */
export function NextAttempt({
  delivery: { nextAttemptAt, state },
}: {
  readonly delivery: Pick<Delivery, 'nextAttemptAt' | 'state'>;
}) {
  const now = useNow();
  if (nextAttemptAt === null || state === 'held') return '–';
  return isWaitingForSlot(nextAttemptAt, now) ? (
    <time dateTime={nextAttemptAt}>Due, waiting for a free slot</time>
  ) : (
    <DueTime at={nextAttemptAt} />
  );
}
