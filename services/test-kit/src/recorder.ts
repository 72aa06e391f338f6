import { eventually } from './eventually.js';

export type Recorder<T> = ReturnType<typeof createRecorder<T>>;

/** Records items, and lets a test wait for an expected one, for `timeoutMs` (absent: 120,000), instead of sleeping. */
export function createRecorder<T>() {
  const items: T[] = [];
  const when = <Found>(what: string, probe: () => Found | false, timeoutMs = 120_000) =>
    eventually(() => `${what}; ${items.length} items came`, probe, { timeoutMs, everyMs: 5 });
  return {
    /** Adds an item. Usable as a callback. */
    record: (item: T): void => void items.push(item),
    all: (): readonly T[] => [...items],
    /** Resolves to the first matching item, past or future. */
    async find(matches: (item: T) => boolean, timeoutMs?: number): Promise<T> {
      const probe = () => {
        for (const item of items) if (matches(item)) return { item };
        return false;
      };
      return (await when('the item', probe, timeoutMs)).item;
    },
    /** Resolves once all items satisfy the condition. */
    async until(what: string, condition: (items: readonly T[]) => boolean, timeoutMs?: number) {
      await when(what, () => condition(items), timeoutMs);
    },
    /** Resolves to all items once there are at least that many. */
    atLeast: (count: number, timeoutMs?: number): Promise<readonly T[]> =>
      when(`${count} items`, () => items.length >= count && [...items], timeoutMs),
  };
}
