/**
 * Every exchange, queue and routing name of the service, and what each queue loses or doubles when something dies.
 * Nothing else in the project spells a name of the broker.
 *
 * All work and event queues are quorum queues that refuse publishes when full (`x-overflow=reject-publish`), dead-letter
 * at least once and have a delivery limit, because a broker of the 3.x line has no limit of its own.
 */

/** An exchange that the service declares. */
export interface ExchangeDefinition {
  readonly name: string;
  readonly type: 'topic' | 'fanout' | 'direct';
}

/** A durable queue, its bindings and its dead-letter queue. */
export interface QueueDefinition {
  readonly name: string;
  /** `quorum`: survives the loss of a node, bodies on disk. `classic`: durable queue of transient messages. */
  readonly type: 'quorum' | 'classic';
  readonly bindings: readonly { readonly exchange: ExchangeDefinition; readonly routingKey: string }[];
  /** Name of the quorum queue that takes what this one gives up on; absent: what expires or is refused is dropped. */
  readonly deadLetterQueue?: string;
  /**
   * Times that a message may be delivered again after its first delivery, before it is dead-lettered. The broker counts
   * whatever puts it back: a handler that threw, but also a consumer that stopped, died or lost its channel with it, and one
   * that has held it for 15 minutes of retries.
   */
  readonly deliveryLimit?: number;
  /** Messages at most; a publish beyond is refused. */
  readonly maxLength?: number;
}

/** Deliveries to be made and their results, routed by queue name: between job-state and the dispatcher alone. */
export const COMMANDS = { name: 'partner.commands', type: 'direct' } as const satisfies ExchangeDefinition;

/**
 * RPC requests of the gateways, routed by queue name. All that a gateway may write to: what is reached through it is what
 * partners can ask for, and no more.
 */
export const RPC_REQUESTS = { name: 'partner.rpc', type: 'direct' } as const satisfies ExchangeDefinition;

/**
 * RPC requests that manage a company: those of the console and of operators to job-state, and job-state's to
 * webhook-dispatcher. Apart from {@link RPC_REQUESTS}, so that a gateway in strange hands makes no key and reads no password's
 * hash.
 */
export const MANAGEMENT = {
  name: 'partner.management',
  type: 'direct',
} as const satisfies ExchangeDefinition;

/** Requests of operators alone, apart from {@link MANAGEMENT} so that only who may write to this exchange can make them. */
export const OPERATOR = { name: 'partner.operator', type: 'direct' } as const satisfies ExchangeDefinition;

/** What the platform tells this service; routing key = full name of the protobuf message. */
export const PLATFORM = { name: 'platform', type: 'topic' } as const satisfies ExchangeDefinition;

/**
 * What this service tells the platform; routing key = full name of the protobuf message. In no certain order: replicas
 * publish side by side, and what the broker refuses goes out later. Whoever reads takes a job's newest version for its state.
 */
export const PARTNER_EVENTS = { name: 'partner.events', type: 'topic' } as const satisfies ExchangeDefinition;

/** Broadcasts to every gateway replica: revoked keys. */
export const ACCESS_BROADCAST = {
  name: 'partner.access',
  type: 'fanout',
} as const satisfies ExchangeDefinition;

/**
 * Broadcasts to every console replica: whose webhooks or deliveries have changed. Loses whatever nobody hears; who shows such
 * things looks again by itself as well.
 */
export const WEBHOOK_CHANGES_BROADCAST = {
  name: 'partner.webhook-changes',
  type: 'fanout',
} as const satisfies ExchangeDefinition;

/** Where queues send what they give up on, routed by dead-letter queue name. */
export const DEAD_LETTERS = {
  name: 'partner.dead-letters',
  type: 'direct',
} as const satisfies ExchangeDefinition;

/**
 * RPC requests of the gateways to job-state. Loses what is queued when the broker restarts, and drops a request once its deadline has
 * passed: the caller sees a timeout, and its idempotency key settles what happened. When job-state dies before it
 * acknowledges, a request is delivered twice; it runs twice only if its method says by `idempotency_level` that this is
 * harmless. Any other is dropped: it ran at most once, and its caller sees a timeout and does not know whether.
 */
export const JOB_STATE_RPC = {
  name: 'job-state.rpc',
  type: 'classic',
  bindings: [{ exchange: RPC_REQUESTS, routingKey: 'job-state.rpc' }],
} as const satisfies QueueDefinition;

/** RPC requests of the console, and of operators on an owner's behalf, to job-state. Loses and doubles as {@link JOB_STATE_RPC}. */
export const JOB_STATE_MANAGEMENT_RPC = {
  name: 'job-state.management-rpc',
  type: 'classic',
  bindings: [{ exchange: MANAGEMENT, routingKey: 'job-state.management-rpc' }],
} as const satisfies QueueDefinition;

/** RPC requests of operators alone to job-state. Loses and doubles as {@link JOB_STATE_RPC}. */
export const JOB_STATE_OPERATOR_RPC = {
  name: 'job-state.operator-rpc',
  type: 'classic',
  bindings: [{ exchange: OPERATOR, routingKey: 'job-state.operator-rpc' }],
} as const satisfies QueueDefinition;

/** RPC requests to webhook-dispatcher. Loses and doubles as {@link JOB_STATE_RPC}; every call there is a read. */
export const WEBHOOK_DISPATCHER_RPC = {
  name: 'webhook-dispatcher.rpc',
  type: 'classic',
  bindings: [{ exchange: MANAGEMENT, routingKey: 'webhook-dispatcher.rpc' }],
} as const satisfies QueueDefinition;

/**
 * `DeliverWebhook` commands. May lose everything: the lease in Postgres runs out and the delivery is due again. A command
 * that is delivered twice can make two attempts, each with its own delivery id; the receiver de-duplicates by event id.
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
 * `DeliveryAttempted` results. May lose everything: the lease in Postgres runs out and the delivery is attempted again.
 * A result that arrives twice is recorded once, by the attempt's id. The delivery limit leaves room for a day of outages of
 * the database, in which each 15 minutes of retries count once.
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
 * Messages of the platform. Loses nothing that was confirmed to the platform. A message that arrives twice is recorded
 * once, by its message id, in the transaction of its effect. The delivery limit leaves room as that of
 * {@link DELIVERY_RESULTS}; what exceeds it is kept as a dead letter.
 */
export const PLATFORM_MESSAGES = {
  name: 'job-state.platform-messages',
  type: 'quorum',
  bindings: [{ exchange: PLATFORM, routingKey: '#' }],
  deadLetterQueue: 'job-state.platform-messages.dead',
  deliveryLimit: 100,
} as const satisfies QueueDefinition;

/**
 * What the platform has yet to read of {@link PARTNER_EVENTS}. Loses nothing: job-state keeps each event until the broker
 * has confirmed it. An event can be there twice, and before an older one; the platform de-duplicates by message id.
 */
export const PARTNER_EVENTS_FOR_PLATFORM = {
  name: 'platform.partner-events',
  type: 'quorum',
  bindings: [{ exchange: PARTNER_EVENTS, routingKey: '#' }],
  deadLetterQueue: 'platform.partner-events.dead',
  deliveryLimit: 20,
  maxLength: 1_000_000,
} as const satisfies QueueDefinition;

/** Every exchange, for declaration and for checks. */
export const EXCHANGES: readonly ExchangeDefinition[] = [
  COMMANDS,
  RPC_REQUESTS,
  MANAGEMENT,
  OPERATOR,
  PLATFORM,
  PARTNER_EVENTS,
  ACCESS_BROADCAST,
  WEBHOOK_CHANGES_BROADCAST,
  DEAD_LETTERS,
];

/** Every durable queue, for declaration and for checks. Every service declares all of them, or looks for them, at each connect. */
export const QUEUES: readonly QueueDefinition[] = [
  JOB_STATE_RPC,
  JOB_STATE_MANAGEMENT_RPC,
  JOB_STATE_OPERATOR_RPC,
  WEBHOOK_DISPATCHER_RPC,
  WEBHOOK_DELIVERIES,
  DELIVERY_RESULTS,
  PLATFORM_MESSAGES,
  PARTNER_EVENTS_FOR_PLATFORM,
];
