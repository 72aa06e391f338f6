/** Keeps small texts between runs: cursors of feeds, ids of handled events and versions of resources. */
export interface Store {
  get(key: string): Promise<string | undefined>;
  /** Resolves once the value survives a crash. */
  set(key: string, value: string): Promise<void>;
}

/** Where a receiver records an event that it has handled. */
export const eventKey = (eventId: string) => `event:${eventId}`;

/** A store that ends with the process: for tests and first steps. Forgets the entry set longest ago beyond `most` entries. */
export function createMemoryStore(most = 100_000): Store {
  const values = new Map<string, string>();
  return {
    get: async (key) => values.get(key),
    async set(key, value) {
      values.delete(key);
      values.set(key, value);
      const [oldest] = values.keys();
      if (values.size > most && oldest !== undefined) values.delete(oldest);
    },
  };
}
