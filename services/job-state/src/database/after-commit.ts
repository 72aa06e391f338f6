export interface AfterCommit {
  /** Identifies the database. */
  readonly hooks: object;
  /** Runs `then` after the commit; never after a rollback. It must neither throw nor block. */
  afterCommit(then: () => void): void;
}

/** News of one kind from committed transactions. Its owner declares it. */
export interface CommitTopic<News> {
  /** Adds a listener for the commits on a database. It must neither throw nor block. */
  listen(database: Pick<AfterCommit, 'hooks'>, listener: (news: readonly News[]) => void): void;
  /** Tells the listeners after the commit: once, with all news of the transaction. Without news they learn that something happened. */
  tell(tx: AfterCommit, ...news: readonly News[]): void;
}

export function commitTopic<News>(): CommitTopic<News> {
  const listeners = new WeakMap<object, ((news: readonly News[]) => void)[]>();
  const notified = new WeakMap<AfterCommit, Set<News>>();
  return {
    listen({ hooks }, listener) {
      listeners.set(hooks, [...(listeners.get(hooks) ?? []), listener]);
    },
    tell(tx, ...news) {
      const known = notified.get(tx);
      const all = known ?? new Set();
      for (const each of news) all.add(each);
      if (known !== undefined) return;
      notified.set(tx, all);
      tx.afterCommit(() => {
        for (const listener of listeners.get(tx.hooks) ?? []) listener([...all]);
      });
    },
  };
}
