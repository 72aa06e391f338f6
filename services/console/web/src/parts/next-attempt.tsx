import type { Delivery } from '../api/deliveries.js';
import { DueTime, useNow } from './relative-time.js';

/** Whether the next attempt is due, but all slots of the webhook are in use. */
export function isWaitingForSlot(nextAttemptAt: string, now: Date): boolean {
  return Date.parse(nextAttemptAt) < now.getTime();
}

/** Shows when a delivery's next attempt is due, or that it waits for a slot or for the rate of its webhook. */
export function NextAttempt({
  delivery: { nextAttemptAt, state },
  perSecond,
}: {
  readonly delivery: Pick<Delivery, 'nextAttemptAt' | 'state'>;
  /** The rate of the webhook, null without one; absent: not known. */
  readonly perSecond?: number | null;
}) {
  const now = useNow();
  if (nextAttemptAt === null || state === 'held') return '–';
  return isWaitingForSlot(nextAttemptAt, now) ? (
    <time dateTime={nextAttemptAt}>{dueText(perSecond)}</time>
  ) : (
    <DueTime at={nextAttemptAt} />
  );
}

function dueText(perSecond: number | null | undefined): string {
  if (perSecond === undefined) return 'Due, queued';
  return perSecond === null ? 'Due, waiting for a free slot' : `Due, limited to ${perSecond} per second`;
}
