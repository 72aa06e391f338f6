import { ServiceError } from '@partner/kernel/service-error';
import { type After, afterMs } from '@partner/kernel/timers';

/** Runs work in a bounded number of slots, round-robin over owners and over the keys of each owner. */
export interface FairQueue {
  /**
   * Runs the work once a slot is free and its owner is next. If the queue is full, the newest work of the owner with the most
   * waiting work rejects with `unavailable`. On a tie that is the new work.
   */
  run<T>(place: { readonly owner: string; readonly key: string }, work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly key: string;
  /** Number of waiting items with the same key before it. An owner's work is ordered by round, then by arrival. */
  readonly round: number;
  readonly start: () => void;
  readonly reject: (error: ServiceError) => void;
}

/**
 * Creates a queue. A slot is free again when its work has ended, but not before `slotMs` after the work's start. So at
 * most `slots` run at a time, and at most `slots * 1000 / slotMs` start in a second.
 */
export function createFairQueue(options: {
  readonly slots: number;
  readonly slotMs: number;
  readonly maxWaiting: number;
  readonly after?: After;
}): FairQueue {
  const { slots, slotMs, maxWaiting, after = afterMs } = options;
  /** Owners with waiting work, in round-robin order. */
  const waitingOf = new Map<string, Waiting[]>();
  let waitingCount = 0;
  let usedSlots = 0;

  function take(owner: string, end: 'oldest' | 'newest'): Waiting | undefined {
    const waiting = waitingOf.get(owner) ?? [];
    const taken = end === 'oldest' ? waiting.shift() : waiting.pop();
    waitingCount -= 1;
    if (waiting.length === 0) waitingOf.delete(owner);
    return taken;
  }

  function startNext(): void {
    const [next] = waitingOf;
    if (next === undefined || usedSlots === slots) return;
    const [owner, waiting] = next;
    const taken = take(owner, 'oldest');
    // Move the owner to the end of the round-robin order.
    if (waitingOf.delete(owner)) waitingOf.set(owner, waiting);
    taken?.start();
  }

  function refuseOne(newcomer: string): void {
    let [owner, most] = [newcomer, waitingOf.get(newcomer)?.length ?? 0];
    for (const [candidate, { length }] of waitingOf) if (length > most) [owner, most] = [candidate, length];
    const error = new ServiceError('unavailable', 'too many requests wait at this moment; retry', {
      retryAfterSeconds: 1,
    });
    take(owner, 'newest')?.reject(error);
  }

  function occupySlot(work: () => Promise<void>): void {
    usedSlots += 1;
    const rested = new Promise<void>((resolve) => {
      after(slotMs, resolve);
    });
    void Promise.all([work(), rested]).then(() => {
      usedSlots -= 1;
      startNext();
    });
  }

  return {
    run({ owner, key }, work) {
      return new Promise((resolve, reject) => {
        const start = () => occupySlot(() => work().then(resolve, reject));
        const waiting = waitingOf.get(owner) ?? [];
        waitingOf.set(owner, waiting);
        const round = waiting.filter((other) => other.key === key).length;
        const later = waiting.findIndex((other) => other.round > round);
        waiting.splice(later === -1 ? waiting.length : later, 0, { key, round, start, reject });
        waitingCount += 1;
        startNext();
        if (waitingCount > maxWaiting) refuseOne(owner);
      });
    },
  };
}
