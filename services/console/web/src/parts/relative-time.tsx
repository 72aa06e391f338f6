import { useSyncExternalStore } from 'react';
import { formatExact, formatPast, formatRelative } from '../format.js';

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
