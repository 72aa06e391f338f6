import { useSyncExternalStore } from 'react';
import { formatExact, formatPast, formatRelative } from '../format.js';
import type { Delivery, Webhook } from '../api/hooks.js';

const TICK_MS = 15_000;

const listeners = new Set<() => void>();
let now = new Date();
let timer: ReturnType<typeof setInterval> | undefined;

/** Returns the current time, updated regularly. One timer serves the whole page. */
export function useNow(): Date {
  return useSyncExternalStore(subscribe, () => now);
}

interface TimeProps {
  readonly at: string;
}

/** A past time relative to now, with the exact time as tooltip and in `datetime`. */
export function PastTime({ at }: TimeProps) {
  return <Time at={at} format={formatPast} />;
}

/** A due time relative to now, with the exact time as tooltip and in `datetime`. */
export function DueTime({ at }: TimeProps) {
  return <Time at={at} format={formatRelative} />;
}

function Time({ at, format }: TimeProps & { readonly format: (time: Date, now: Date) => string }) {
  const time = new Date(at);
  return (
    <time dateTime={at} title={formatExact(time)}>
      {format(time, useNow())}
    </time>
  );
}

/** A time to the second, with its time zone. */
export function ExactTime({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at}>
      {formatExact(new Date(at))}
    </time>
  );
}

function subscribe(listen: () => void): () => void {
  listeners.add(listen);
  if (timer === undefined) {
    now = new Date();
    timer = setInterval(() => {
      now = new Date();
      listeners.forEach((each) => each());
    }, TICK_MS);
  }
  return () => {
    listeners.delete(listen);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

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
