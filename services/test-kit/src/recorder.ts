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
  const watchers = new Set<() => void>();

  function when<Found>(probe: () => Found | undefined, what: string, timeoutMs: number): Promise<Found> {
    const found = probe();
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        watchers.delete(look);
        reject(new Error(`${what} did not come within ${timeoutMs} ms; ${items.length} items did`));
      }, timeoutMs);
      const look = () => {
        const seen = probe();
        if (seen === undefined) return;
        clearTimeout(timer);
        watchers.delete(look);
        resolve(seen);
      };
      watchers.add(look);
    });
  }

  return {
    record(item) {
      items.push(item);
      for (const notify of watchers) notify();
    },
    all: () => [...items],
    async find(matches, timeoutMs = 120_000) {
      const { item } = await when(
        () => {
          const index = items.findIndex(matches);
          const item = items[index];
          return item === undefined ? undefined : { item };
        },
        'the item',
        timeoutMs,
      );
      return item;
    },
    async until(what, condition, timeoutMs = 120_000) {
      await when(() => condition(items) || undefined, what, timeoutMs);
    },
    atLeast: (count, timeoutMs = 120_000) =>
      when(() => (items.length >= count ? [...items] : undefined), `${count} items`, timeoutMs),
  };
}
