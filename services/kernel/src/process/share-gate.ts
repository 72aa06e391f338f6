import { NOT_DONE_ADVICE, ServiceError } from './service-error.js';
import { type After, afterMs } from './timers.js';

/** Shares a bounded resource of this process fairly between keys, e.g. companies or client networks. */
export interface ShareGate {
  running(): number;
  waiting(): number;
  /**
   * Takes a slot, or a number of them, at once and returns the function that frees them. Undefined unless the key then has at most as
   * many slots as are free.
   */
  tryEnter(key: string, slots?: number): (() => void) | undefined;
  /**
   * Takes a slot once one is free, and returns the function that frees it.
   *
   * Fails with `unavailable` if no slot becomes free within the timeout (milliseconds; `Infinity`: none), or if the queue is
   * full and no other key has more entries in it.
   */
  enter(key: string, options: EntryOptions): Promise<() => void>;
  /** Runs work in a slot; see {@link ShareGate.enter}. */
  run<T>(key: string, options: EntryOptions, work: () => Promise<T>): Promise<T>;
}

interface EntryOptions {
  readonly timeoutMs: number;
  /** Part of the key, e.g. an API key of a network. The parts of one key take turns. */
  readonly part?: string;
}

interface Entry {
  readonly part: string;
  /** Number of waiting entries of the same part before it. Entries of a key are in order of round, then of arrival. */
  readonly round: number;
  readonly start: () => void;
  readonly refuse: () => void;
}

interface Place {
  running: number;
  readonly waiting: Entry[];
}

/**
 * Creates a gate. A key gets a slot only while more slots are free than it has (dynamic threshold). So a key has at most half of
 * the slots, a quarter beside two others as busy. One caller with stuck or excessive work cannot keep the others out. Between
 * keys, and between the parts of a key, waiting entries take turns.
 *
 * If the queue is full, the last entry of the key with the most waiting entries is refused. On a tie that is the new entry.
 */
export function createShareGate(options: {
  readonly slots: number;
  /** Length of the queue, of all keys together. */
  readonly queue: number;
  /** Name of the work in a refusal, e.g. `password checks`. */
  readonly work: string;
  /** Minimum time that a slot is in use. So at most `slots * 1000 / slotMs` entries start in a second. Absent: none. */
  readonly slotMs?: number;
  readonly after?: After;
}): ShareGate {
  const { slots, queue, work, slotMs, after = afterMs } = options;
  const keysWithWork = new Map<string, Place>();
  let running = 0;
  let waiting = 0;

  function placeOf(key: string): Place {
    return keysWithWork.get(key) ?? { running: 0, waiting: [] };
  }

  function hasRoom(place: Place, taken = 1): boolean {
    return place.running + taken <= slots - running;
  }

  function occupy(key: string, place: Place, taken = 1): () => void {
    running += taken;
    place.running += taken;
    keysWithWork.set(key, place);
    const free = () => {
      running -= taken;
      place.running -= taken;
      forgetIdle(key, place);
      while (waiting > 0 && startNext());
    };
    const rested = slotMs === undefined ? undefined : new Promise<void>((resolve) => after(slotMs, resolve));
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      if (rested === undefined) free();
      else void rested.then(free);
    };
  }

  function forgetIdle(key: string, place: Place): void {
    if (place.running === 0 && place.waiting.length === 0) keysWithWork.delete(key);
  }

  /** Starts the entry whose turn it is; false if there is no room for any. */
  function startNext(): boolean {
    for (const [key, place] of keysWithWork) {
      const [next] = place.waiting;
      if (next === undefined || !hasRoom(place)) continue;
      // The key goes to the end of the round-robin order.
      keysWithWork.delete(key);
      keysWithWork.set(key, place);
      next.start();
      return true;
    }
    return false;
  }

  function refuseOne(newest: Place): void {
    let most = newest;
    for (const place of keysWithWork.values()) if (place.waiting.length > most.waiting.length) most = place;
    most.waiting.at(-1)?.refuse();
  }

  function tryEnter(key: string, taken = 1): (() => void) | undefined {
    const place = placeOf(key);
    return hasRoom(place, taken) ? occupy(key, place, taken) : undefined;
  }

  async function enter(key: string, { timeoutMs, part = '' }: EntryOptions): Promise<() => void> {
    const leave = tryEnter(key);
    if (leave !== undefined) return leave;
    const place = placeOf(key);
    keysWithWork.set(key, place);
    return new Promise((resolve, reject) => {
      const quit = () => {
        clearTimeout(timer);
        place.waiting.splice(place.waiting.indexOf(entry), 1);
        waiting -= 1;
      };
      const entry: Entry = {
        part,
        round: place.waiting.filter((other) => other.part === part).length,
        start() {
          quit();
          resolve(occupy(key, place));
        },
        refuse() {
          // With this piece of work alone, the key has not filled anything.
          const isOfCaller = place.running + place.waiting.length > 1;
          quit();
          forgetIdle(key, place);
          reject(tooManyInFlight(work, isOfCaller));
        },
      };
      const timer = Number.isFinite(timeoutMs) ? setTimeout(entry.refuse, Math.max(0, timeoutMs)) : undefined;
      const later = place.waiting.findIndex((other) => other.round > entry.round);
      place.waiting.splice(later === -1 ? place.waiting.length : later, 0, entry);
      waiting += 1;
      if (waiting > queue) refuseOne(place);
    });
  }

  return {
    running: () => running,
    waiting: () => waiting,
    tryEnter,
    enter,
    async run(key, entry, runWork) {
      const leave = await enter(key, entry);
      try {
        return await runWork();
      } finally {
        leave();
      }
    },
  };
}

/**
 * The failure of work beyond the share or the queue; `work` names it, e.g. `password checks`. Another caller is still served, unless the
 * work of others alone caused it.
 */
export function tooManyInFlight(work: string, isOfCaller = true): ServiceError {
  return new ServiceError('unavailable', `too many ${work} are in flight; ${NOT_DONE_ADVICE}`, {
    retryAfterSeconds: 1,
    isOfCaller,
  });
}
