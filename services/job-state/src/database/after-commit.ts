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

/** A delivery under a lease, with everything that its attempt needs. */
export interface LeasedDelivery {
  readonly id: string;
  readonly leaseId: string;
  /** By the database's clock. */
  readonly leasedAt: Date;
  /** By the database's clock. */
  readonly leaseExpiresAt: Date;
  /** Number of the next attempt, from 1. */
  readonly attempt: number;
  readonly subscriptionId: string;
  /** Whether the latest attempt of the subscription, of any delivery, failed. */
  readonly lastAttemptFailed: boolean;
  readonly url: string;
  readonly urlVersion: number;
  readonly secretVersion: number;
  readonly sealedSecret: Buffer;
  /** Null without custom headers. */
  readonly sealedHeaders: Buffer | null;
  readonly eventId: string;
  readonly event: string;
  readonly isTest: boolean;
  /** Number of the event among those of the subscription, a decimal text; null: a test, or queued before there were numbers. */
  readonly number: string | null;
  readonly body: Buffer;
  readonly traceParent: string | null;
  /** The request that caused the event. */
  readonly requestId: string | null;
}

/** Bounds of the leases that a transaction may take for the deliveries that it queues. */
export interface LeaseLimits {
  readonly leaseSeconds: number;
  /** Slots for companies with nothing in flight. */
  readonly inFlight: number;
  /** Slots for companies that already have deliveries in flight. */
  readonly sharedSlots: number;
  /** Slots of one subscription. */
  readonly subscriptionCap: number;
  /** Slots of one company. */
  readonly companyCap: number;
}

/** Publishes commands for leased deliveries. */
export interface Releaser {
  /** Undefined while deliveries must wait for the scheduler. */
  leaseLimits(): LeaseLimits | undefined;
  /** It must neither throw nor block. */
  release(deliveries: readonly LeasedDelivery[]): void;
}

/** Actions that a transaction requests after its commit. */
export interface AfterCommit {
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
  /** Bounds of the leases of deliveries that the transaction queues; undefined: the scheduler leases them. */
  readonly leaseLimits: LeaseLimits | undefined;
  /** Publishes commands after the commit for deliveries that the transaction has leased. */
  releaseAfterCommit(deliveries: readonly LeasedDelivery[]): void;
  /** Publishes a message after the commit; if that fails, it stays in the outbox for the relay. */
  publishAfterCommit(message: OutboxMessage): void;
}

/** The listeners of one database, which its transactions call after their commits. */
export interface CommitListeners {
  /** Adds a loop to wake. */
  onWake(topic: WakeTopic, wake: Wake): void;
  /** Adds a listener for announcements. */
  onAnnounced(announce: Announce): void;
  /** Adds a publisher of committed messages. It must neither throw nor block. */
  onMessage(publish: (message: OutboxMessage) => void): void;
  /** Sets the releaser of deliveries that transactions lease. */
  onLeased(releaser: Releaser): void;
  /** Collects the requests of one transaction; `run` executes them, each topic and each company once. */
  collect(): AfterCommit & { readonly run: () => void };
}

/** Creates the listeners of a database. */
export function createCommitListeners(): CommitListeners {
  const loops: { readonly topic: WakeTopic; readonly wake: Wake }[] = [];
  const watchers: Announce[] = [];
  const publishers: ((message: OutboxMessage) => void)[] = [];
  let releaser: Releaser | undefined;
  return {
    onWake(topic, wake) {
      loops.push({ topic, wake });
    },
    onAnnounced(announce) {
      watchers.push(announce);
    },
    onMessage(publish) {
      publishers.push(publish);
    },
    onLeased(added) {
      releaser = added;
    },
    collect() {
      const hooks: (() => void)[] = [];
      const messages: OutboxMessage[] = [];
      const topics = new Map<WakeTopic, Set<string>>();
      const changes = new Map<string, Set<string>>();
      const leased: LeasedDelivery[] = [];
      return {
        leaseLimits: releaser?.leaseLimits(),
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
        releaseAfterCommit(deliveries) {
          leased.push(...deliveries);
        },
        publishAfterCommit(message) {
          messages.push(message);
        },
        run() {
          if (leased.length > 0) releaser?.release(leased);
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
