import type { After } from './timers.js';

interface Noted {
  readonly items: Set<string>;
  isAny: boolean;
}

/**
 * Creates a throttle. A key's first note is emitted at once; then the key rests for `intervalMs`. Items noted during
 * the rest are emitted together, once, at its end. `emit` receives every item once, and none if any item may have
 * changed; it must not throw. A key is held in memory only while it rests.
 */
export function createKeyedThrottle(options: {
  readonly intervalMs: number;
  readonly emit: (key: string, items: readonly string[]) => void;
  readonly after: After;
}) {
  const { intervalMs, emit, after } = options;
  const resting = new Map<string, { noted: Noted | undefined; readonly cancel: () => void }>();

  function emitAndRest(key: string, items: readonly string[]): void {
    const cancel = after(intervalMs, () => {
      const noted = resting.get(key)?.noted;
      resting.delete(key);
      if (noted !== undefined) emitAndRest(key, noted.isAny ? [] : [...noted.items]);
    });
    resting.set(key, { noted: undefined, cancel });
    emit(key, items);
  }

  return {
    /** Notes changed items of a key; no items: any of them may have changed. */
    note(key: string, items: readonly string[]): void {
      const rest = resting.get(key);
      if (rest === undefined) {
        emitAndRest(key, [...new Set(items)]);
        return;
      }
      rest.noted ??= { items: new Set(), isAny: false };
      if (items.length === 0) rest.noted.isAny = true;
      for (const item of items) rest.noted.items.add(item);
    },
    stop(): void {
      for (const { cancel } of resting.values()) cancel();
      resting.clear();
    },
  };
}
