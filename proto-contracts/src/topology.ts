/**
 * Defines every exchange, queue and routing name of the service, and which messages each queue can lose or duplicate
 * after a crash. No other module contains a broker name.
 *
 * All work and event queues are quorum queues that reject publishes when full (`x-overflow=reject-publish`) and
 * dead-letter at least once. They set a delivery limit, because 3.x brokers have no default.
 */

export interface ExchangeDefinition {
  readonly name: string;
  readonly type: 'topic' | 'fanout' | 'direct';
}

export interface QueueDefinition {
  readonly name: string;
  /**
   * `quorum`: survives the loss of a node, bodies on disk. `classic`: durable queue of transient messages; on a broker of
   * several nodes it is a quorum queue as well.
   */
  readonly type: 'quorum' | 'classic';
  readonly bindings: readonly { readonly exchange: ExchangeDefinition; readonly routingKey: string }[];
  /** Name of the quorum queue for dead-lettered messages; absent: expired and rejected messages are dropped. */
  readonly deadLetterQueue?: string;
  /**
   * Maximum redeliveries of a message before it is dead-lettered. The broker counts every requeue: after a handler that
   * threw, a consumer that stopped, crashed or lost its channel, and 15 minutes of retries.
   */
  readonly deliveryLimit?: number;
  readonly maxLength?: number;
  /**
   * True: a consumer dead-letters what came through another exchange than those of the bindings. A process that replies to RPCs may
   * publish to the default exchange, and so to every queue.
   */
  readonly onlyFromBindings?: true;
}

/** Delivery commands and their results, routed by queue name. Only job-state and the dispatcher use it. */
export const COMMANDS = { name: 'partner.commands', type: 'direct' } as const satisfies ExchangeDefinition;

/**
 * RPC requests of inbound-gateway, routed by queue name. It is the only exchange that this gateway may publish to, so a
 * compromised one reaches only what selling companies can request.
 */
export const INBOUND = { name: 'partner.inbound', type: 'direct' } as const satisfies ExchangeDefinition;

/** RPC requests of installer-gateway, as {@link INBOUND} for installer companies. */
export const INSTALLER = { name: 'partner.installer', type: 'direct' } as const satisfies ExchangeDefinition;

/**
 * RPC requests that manage a company: from the console to job-state, and from job-state and operators to
 * webhook-dispatcher. Separate from the exchanges of the gateways, so that a compromised gateway cannot create keys or read
 * password hashes.
 */
export const MANAGEMENT = {
  name: 'partner.management',
  type: 'direct',
} as const satisfies ExchangeDefinition;

/** RPC requests of operators only. Separate from {@link MANAGEMENT}, so that no other user can publish them. */
const OPERATOR = { name: 'partner.operator', type: 'direct' } as const satisfies ExchangeDefinition;

/** Messages from the platform to this service; routing key = full name of the protobuf message. */
export const PLATFORM = { name: 'platform', type: 'topic' } as const satisfies ExchangeDefinition;

/**
 * Messages from this service to the platform; routing key = full name of the protobuf message. Their order is not
 * guaranteed: replicas publish concurrently, and publishes that the broker refused are retried. A consumer takes a
 * job's newest version as its state.
 */
export const PARTNER_EVENTS = { name: 'partner.events', type: 'topic' } as const satisfies ExchangeDefinition;

/** Broadcasts to every gateway replica: revoked keys. */
export const ACCESS_BROADCAST = {
  name: 'partner.access',
  type: 'fanout',
} as const satisfies ExchangeDefinition;

/**
 * Broadcasts to every console replica: owners of changed webhooks or deliveries. Messages without a consumer are lost,
 * so the console also polls.
 */
export const WEBHOOK_CHANGES_BROADCAST = {
  name: 'partner.webhook-changes',
  type: 'fanout',
} as const satisfies ExchangeDefinition;

/** Dead-letter exchange of every queue, routed by dead-letter queue name. */
export const DEAD_LETTERS = {
  name: 'partner.dead-letters',
  type: 'direct',
} as const satisfies ExchangeDefinition;

/**
 * RPC requests of inbound-gateway to job-state.
 *
 * A broker restart can lose queued requests, and a request is dropped after its deadline. The caller then sees a timeout,
 * and a retry with its idempotency key returns the outcome. If job-state crashes before it acknowledges, a request is
 * delivered twice. It runs twice only if its operation is `repeatable`. Any other is dropped: it ran at most once, and its
 * caller sees a timeout with an unknown outcome.
 */
export const JOB_STATE_INBOUND_RPC = {
  name: 'job-state.inbound-rpc',
  type: 'classic',
  bindings: [{ exchange: INBOUND, routingKey: 'job-state.inbound-rpc' }],
} as const satisfies QueueDefinition;

/** RPC requests of installer-gateway to job-state. Same losses and duplicates as {@link JOB_STATE_INBOUND_RPC}. */
export const JOB_STATE_INSTALLER_RPC = {
  name: 'job-state.installer-rpc',
  type: 'classic',
  bindings: [{ exchange: INSTALLER, routingKey: 'job-state.installer-rpc' }],
} as const satisfies QueueDefinition;

/**
 * RPC requests of the console to job-state, in the name of a person of the company. Same losses and duplicates as
 * {@link JOB_STATE_INBOUND_RPC}.
 */
export const JOB_STATE_MANAGEMENT_RPC = {
  name: 'job-state.management-rpc',
  type: 'classic',
  bindings: [{ exchange: MANAGEMENT, routingKey: 'job-state.management-rpc' }],
} as const satisfies QueueDefinition;

/** RPC requests of operators to job-state, their own and those that manage a company. Same losses and duplicates as {@link JOB_STATE_INBOUND_RPC}. */
export const JOB_STATE_OPERATOR_RPC = {
  name: 'job-state.operator-rpc',
  type: 'classic',
  bindings: [{ exchange: OPERATOR, routingKey: 'job-state.operator-rpc' }],
} as const satisfies QueueDefinition;

/** RPC requests to webhook-dispatcher; all are reads. Same losses and duplicates as {@link JOB_STATE_INBOUND_RPC}. */
export const WEBHOOK_DISPATCHER_RPC = {
  name: 'webhook-dispatcher.rpc',
  type: 'classic',
  bindings: [{ exchange: MANAGEMENT, routingKey: 'webhook-dispatcher.rpc' }],
} as const satisfies QueueDefinition;

/**
 * `DeliverWebhook` commands. All may be lost: the lease in Postgres expires and the delivery is due again. A command
 * that the broker delivers again is carried out only by the process that has begun it.
 */
export const WEBHOOK_DELIVERIES = {
  name: 'webhook-dispatcher.deliveries',
  type: 'quorum',
  bindings: [{ exchange: COMMANDS, routingKey: 'webhook-dispatcher.deliveries' }],
  deadLetterQueue: 'webhook-dispatcher.deliveries.dead',
  deliveryLimit: 5,
  maxLength: 100_000,
} as const satisfies QueueDefinition;

/**
 * `DeliveryAttempted` results. All may be lost: the lease in Postgres expires and the delivery is attempted again. A
 * result that arrives twice is recorded once, by the attempt's id. The delivery limit allows a database outage of a
 * day, in which each 15 minutes of retries count once.
 */
export const DELIVERY_RESULTS = {
  name: 'job-state.delivery-results',
  type: 'quorum',
  bindings: [{ exchange: COMMANDS, routingKey: 'job-state.delivery-results' }],
  deadLetterQueue: 'job-state.delivery-results.dead',
  deliveryLimit: 100,
  maxLength: 100_000,
} as const satisfies QueueDefinition;

/**
 * Messages of the platform. None is lost after its confirm. A message that arrives twice is recorded once, by its
 * message id, in the transaction of its effect. The delivery limit allows the same outage as {@link DELIVERY_RESULTS};
 * beyond it messages are dead-lettered.
 */
export const PLATFORM_MESSAGES = {
  name: 'job-state.platform-messages',
  type: 'quorum',
  bindings: [{ exchange: PLATFORM, routingKey: '#' }],
  deadLetterQueue: 'job-state.platform-messages.dead',
  deliveryLimit: 100,
  onlyFromBindings: true,
} as const satisfies QueueDefinition;

/**
 * Messages of {@link PARTNER_EVENTS} for the platform to consume. None is lost: job-state keeps each event until the
 * broker has confirmed it. An event can be duplicated, or arrive before an older one; the platform de-duplicates by
 * message id.
 */
export const PARTNER_EVENTS_FOR_PLATFORM = {
  name: 'platform.partner-events',
  type: 'quorum',
  bindings: [{ exchange: PARTNER_EVENTS, routingKey: '#' }],
  deadLetterQueue: 'platform.partner-events.dead',
  deliveryLimit: 20,
  maxLength: 1_000_000,
} as const satisfies QueueDefinition;

/** All exchanges, for declaration and checks. */
export const EXCHANGES: readonly ExchangeDefinition[] = [
  COMMANDS,
  INBOUND,
  INSTALLER,
  MANAGEMENT,
  OPERATOR,
  PLATFORM,
  PARTNER_EVENTS,
  ACCESS_BROADCAST,
  WEBHOOK_CHANGES_BROADCAST,
  DEAD_LETTERS,
];

/** All durable queues, for declaration and checks. Every service declares or checks all of them on each connect. */
export const QUEUES: readonly QueueDefinition[] = [
  JOB_STATE_INBOUND_RPC,
  JOB_STATE_INSTALLER_RPC,
  JOB_STATE_MANAGEMENT_RPC,
  JOB_STATE_OPERATOR_RPC,
  WEBHOOK_DISPATCHER_RPC,
  WEBHOOK_DELIVERIES,
  DELIVERY_RESULTS,
  PLATFORM_MESSAGES,
  PARTNER_EVENTS_FOR_PLATFORM,
];
