/**
 * Work in a table that a loop of this process handles.
 *
 * Webhook deliveries, free slots for deliveries, subscriptions whose deliveries do not match their state, and journals whose
 * entries do not match the links of their company.
 */
type WakeTopic = 'deliveries' | 'room' | 'subscriptions' | 'journal';

/** Receives the subscriptions with work; an empty list means unknown. */
type Wake = (subscriptionIds: readonly string[]) => void;

/** Receives a company whose webhooks a transaction changed. It must neither throw nor block. */
type Announce = (companyId: string, subscriptionIds: readonly string[]) => void;

/** A message that a transaction has written to the outbox. */
export interface OutboxMessage {
  /** The id of its row. */
  readonly id: string;
  readonly messageId: string;
  /** The name of the exchange. */
  readonly exchange: string;
  /** The full protobuf name, which is also the routing key. */
  readonly type: string;
  readonly body: Buffer;
  readonly traceParent: string | null;
  readonly requestId: string | null;
}

/** Actions that a transaction requests after its commit. */
export interface AfterCommit {
  /** Identifies the database: by it, the owners of what happens after commits know whom to tell. */
  readonly hooks: object;
  /** Runs `then` after the commit; never after a rollback. */
  afterCommit(then: () => void): void;
  /** Wakes the loops of the topic after the commit, with the subscriptions that have work, if they are known. */
  wakeAfterCommit(topic: WakeTopic, subscriptionIds?: readonly string[]): void;
  /**
   * Announces to viewers of the company's webhooks, after the commit, that these subscriptions or their deliveries changed.
   *
   * An empty list announces nothing.
   */
  announceAfterCommit(companyId: string, subscriptionIds: readonly string[]): void;
  /** Publishes a message after the commit; if that fails, it stays in the outbox for the relay. */
  publishAfterCommit(message: OutboxMessage): void;
}

/** The listeners of one database, which its transactions call after their commits. */
export interface CommitListeners {
  readonly hooks: object;
  /** Adds a loop to wake. */
  onWake(topic: WakeTopic, wake: Wake): void;
  /** Adds a listener for announcements. */
  onAnnounced(announce: Announce): void;
  /** Adds a publisher of committed messages. It must neither throw nor block. */
  onMessage(publish: (message: OutboxMessage) => void): void;
  /** Collects the requests of one transaction; `run` executes them, each topic and each company once. */
  collect(): AfterCommit & { readonly run: () => void };
}

/** Creates the listeners of a database. */
export function createCommitListeners(): CommitListeners {
  const loops: { readonly topic: WakeTopic; readonly wake: Wake }[] = [];
  const watchers: Announce[] = [];
  const publishers: ((message: OutboxMessage) => void)[] = [];
  return {
    hooks: loops,
    onWake(topic, wake) {
      loops.push({ topic, wake });
    },
    onAnnounced(announce) {
      watchers.push(announce);
    },
    onMessage(publish) {
      publishers.push(publish);
    },
    collect() {
      const hooks: (() => void)[] = [];
      const messages: OutboxMessage[] = [];
      const topics = new Map<WakeTopic, Set<string>>();
      const changes = new Map<string, Set<string>>();
      return {
        hooks: loops,
        afterCommit(then) {
          hooks.push(then);
        },
        wakeAfterCommit(topic, subscriptionIds = []) {
          addAll(topics, topic, subscriptionIds);
        },
        announceAfterCommit(companyId, subscriptionIds) {
          if (subscriptionIds.length === 0) return;
          addAll(changes, companyId, subscriptionIds);
        },
        publishAfterCommit(message) {
          messages.push(message);
        },
        run() {
          for (const publish of publishers) for (const message of messages) publish(message);
          for (const hook of hooks) hook();
          for (const { topic, wake } of loops) {
            const subscriptionIds = topics.get(topic);
            if (subscriptionIds !== undefined) wake([...subscriptionIds]);
          }
          for (const [companyId, ids] of changes) {
            for (const announce of watchers) announce(companyId, [...ids]);
          }
        },
      };
    },
  };
}

function addAll<Key>(sets: Map<Key, Set<string>>, key: Key, values: readonly string[]): void {
  const set = sets.get(key) ?? new Set();
  for (const value of values) set.add(value);
  sets.set(key, set);
}
