import { eventually } from './eventually.js';

/** Records items, and lets a test wait for an expected one instead of sleeping. */
export interface Recorder<T> {
  /** Adds an item. Usable as a callback. */
  readonly record: (item: T) => void;
  all(): readonly T[];
  /** Resolves to the first matching item, past or future. Rejects after `timeoutMs` (absent: 120,000). */
  find(matches: (item: T) => boolean, timeoutMs?: number): Promise<T>;
  /** Resolves once all items satisfy the condition. Rejects after `timeoutMs` (absent: 120,000). */
  until(what: string, condition: (items: readonly T[]) => boolean, timeoutMs?: number): Promise<void>;
  /** Resolves to all items once there are at least that many. Rejects after `timeoutMs` (absent: 120,000). */
  atLeast(count: number, timeoutMs?: number): Promise<readonly T[]>;
}

export function createRecorder<T>(): Recorder<T> {
  const items: T[] = [];
  const when = <Found>(what: string, probe: () => Found | false, timeoutMs = 120_000) =>
    eventually(() => `${what}; ${items.length} items came`, probe, { timeoutMs, everyMs: 5 });
  return {
    record: (item) => void items.push(item),
    all: () => [...items],
    async find(matches, timeoutMs) {
      const probe = () => {
        for (const item of items) if (matches(item)) return { item };
        return false;
      };
      return (await when('the item', probe, timeoutMs)).item;
    },
    async until(what, condition, timeoutMs) {
      await when(what, () => condition(items), timeoutMs);
    },
    atLeast: (count, timeoutMs) =>
      when(`${count} items`, () => items.length >= count && [...items], timeoutMs),
  };
}
