import { type After, afterMs } from './timers.js';

/** Gives on what is noted for each key, seldom enough. */
export interface KeyedThrottle {
  /** Notes that these items of a key have changed; no items: it could be any of them. */
  note(key: string, items: readonly string[]): void;
  /** Forgets what is noted and not given on. */
  stop(): void;
}

/** What was noted while a key rests. */
interface Noted {
  readonly items: Set<string>;
  isAny: boolean;
}

/**
 * Makes a throttle: what is noted for a key that rests is given on together, once, when its rest is over; for any other key at
 * once. After each time a key rests for `intervalMs`. `give` gets every item once, and none when it could be any; it must not throw.
 * Holds a key only while it rests.
 */
export function createKeyedThrottle(options: {
  readonly intervalMs: number;
  readonly give: (key: string, items: readonly string[]) => void;
  readonly after?: After;
}): KeyedThrottle {
  const { intervalMs, give, after = afterMs } = options;
  const resting = new Map<string, { noted: Noted | undefined; readonly cancel: () => void }>();

  function giveAndRest(key: string, items: readonly string[]): void {
    const cancel = after(intervalMs, () => {
      const noted = resting.get(key)?.noted;
      resting.delete(key);
      if (noted !== undefined) giveAndRest(key, noted.isAny ? [] : [...noted.items]);
    });
    resting.set(key, { noted: undefined, cancel });
    give(key, items);
  }

  return {
    note(key, items) {
      const rest = resting.get(key);
      if (rest === undefined) {
        giveAndRest(key, [...new Set(items)]);
        return;
      }
      rest.noted ??= { items: new Set(), isAny: false };
      if (items.length === 0) rest.noted.isAny = true;
      for (const item of items) rest.noted.items.add(item);
    },
    stop() {
      for (const { cancel } of resting.values()) cancel();
      resting.clear();
    },
  };
}
