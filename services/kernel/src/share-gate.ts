import { NOT_DONE_ADVICE, ServiceError } from './service-error.js';

/** Shares a bounded resource of this process fairly between keys, e.g. companies or client networks. */
export interface ShareGate {
  /** Number of slots in use. */
  running(): number;
  /** Number of entries that wait for a slot. */
  waiting(): number;
  /** Takes a slot at once and returns the function that frees it; undefined if the key's share or every slot is in use. */
  tryEnter(key: string): (() => void) | undefined;
  /**
   * Takes a slot once one is free, and returns the function that frees it.
   *
   * Fails with `unavailable` if no slot becomes free within the timeout (milliseconds; `Infinity`: none), or if the queue is
   * full.
   */
  enter(key: string, timeoutMs: number): Promise<() => void>;
  /** Runs work in a slot; see {@link ShareGate.enter}. */
  run<T>(key: string, timeoutMs: number, work: () => Promise<T>): Promise<T>;
}

/** Share of one key in the slots, and in the queue. */
const SHARE = 1 / 4;

interface Place {
  running: number;
  /** Each function starts one entry. */
  readonly waiting: Set<() => void>;
}

/**
 * Creates a gate. One key has at most a quarter of the slots and of the queue, at least one of each. So one caller with stuck or
 * excessive work cannot block the others. Entries of a key start in order of arrival; keys are served round-robin.
 */
export function createShareGate(options: {
  readonly slots: number;
  /** Length of the queue, of all keys together. */
  readonly queue: number;
  /** What a refusal calls the work, e.g. `password checks`. */
  readonly work: string;
}): ShareGate {
  const slotsPerKey = Math.max(1, Math.floor(options.slots * SHARE));
  const queuePerKey = Math.max(1, Math.floor(options.queue * SHARE));
  /** Keys with work, in round-robin order. */
  const keysWithWork = new Map<string, Place>();
  let running = 0;
  let waiting = 0;

  function hasRoom(place: Place | undefined): boolean {
    return running < options.slots && (place?.running ?? 0) < slotsPerKey;
  }

  function occupy(key: string, place: Place): () => void {
    running += 1;
    place.running += 1;
    keysWithWork.set(key, place);
    let isFreed = false;
    return () => {
      if (isFreed) return;
      isFreed = true;
      running -= 1;
      place.running -= 1;
      forgetIdle(key, place);
      startNext();
    };
  }

  function forgetIdle(key: string, place: Place): void {
    if (place.running === 0 && place.waiting.size === 0) keysWithWork.delete(key);
  }

  function startNext(): void {
    for (const [key, place] of keysWithWork) {
      const [next] = place.waiting;
      if (next === undefined || !hasRoom(place)) continue;
      // The key goes to the end of the round-robin order.
      keysWithWork.delete(key);
      keysWithWork.set(key, place);
      next();
      return;
    }
  }

  function tryEnter(key: string): (() => void) | undefined {
    const place = keysWithWork.get(key) ?? { running: 0, waiting: new Set() };
    return hasRoom(place) ? occupy(key, place) : undefined;
  }

  async function enter(key: string, timeoutMs: number): Promise<() => void> {
    const leave = tryEnter(key);
    if (leave !== undefined) return leave;
    const place = keysWithWork.get(key) ?? { running: 0, waiting: new Set() };
    if (waiting >= options.queue || place.waiting.size >= queuePerKey) throw tooMuch(options.work);
    keysWithWork.set(key, place);
    return new Promise((resolve, reject) => {
      const quit = () => {
        clearTimeout(timer);
        place.waiting.delete(start);
        waiting -= 1;
      };
      const start = () => {
        quit();
        resolve(occupy(key, place));
      };
      const giveUp = () => {
        quit();
        forgetIdle(key, place);
        reject(tooMuch(options.work));
      };
      const timer = Number.isFinite(timeoutMs) ? setTimeout(giveUp, Math.max(0, timeoutMs)) : undefined;
      place.waiting.add(start);
      waiting += 1;
    });
  }

  return {
    running: () => running,
    waiting: () => waiting,
    tryEnter,
    enter,
    async run(key, timeoutMs, work) {
      const leave = await enter(key, timeoutMs);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

function tooMuch(work: string): ServiceError {
  return new ServiceError('unavailable', `too many ${work} are in flight; ${NOT_DONE_ADVICE}`, {
    retryAfterSeconds: 1,
  });
}
