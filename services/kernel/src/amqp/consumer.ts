import { setTimeout as delay } from 'node:timers/promises';
import { DEAD_LETTERS, type QueueDefinition } from '@partner/proto-contracts/topology';
import type { ConsumeMessage } from 'amqplib';
import type { Registry } from 'prom-client';
import { assertNever } from '../process/invariant.js';
import type { Logger } from '../telemetry/logger.js';
import { extractTrace, withSpan } from '../telemetry/tracing.js';
import type { AmqpConnection } from './connection.js';
import { deathHeaders } from './death-headers.js';
import { textHeaders, textOf } from './message-text.js';
import { counter, secondsHistogram } from './metrics.js';
import { createPublisher } from './publisher.js';
import { type Consumer, type Delivery, startSubscription } from './subscription.js';

export type { Consumer } from './subscription.js';

/** How long retries may hold a message; well below the broker's consumer timeout of 30 minutes. */
const HOLD_LIMIT_MS = 15 * 60_000;
const FAILURE_PAUSE_MS = 1_000;
const LONGEST_FAILURE_PAUSE_MS = 60_000;

export interface IncomingMessage {
  /** Empty if the sender set none. */
  readonly messageId: string;
  /** Full name of the protobuf message; empty if the sender set none. */
  readonly type: string;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, unknown>>;
  /** True if it was delivered before; false guarantees nothing. */
  readonly redelivered: boolean;
}

/**
 * Outcome of a message. `done`: acknowledge. `retry`: the message is valid but cannot be handled now, e.g. the database
 * is down. It is handled again after the pause, which does not count towards the queue's delivery limit. After 15
 * minutes of retries, on shutdown and on a lost channel the message is requeued; each of these counts. `dead`: it can
 * never be handled, so it is dead-lettered with the reason.
 */
export type ConsumeOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'retry'; readonly afterMs: number }
  | { readonly kind: 'dead'; readonly reason: string };

/**
 * Consumes a queue, at most `prefetch` messages at a time. Each message runs in a span of its trace, on behalf of the
 * request that its `x-request-id` names.
 *
 * A message is acknowledged after its outcome, so it is redelivered after a crash. If a handler throws, the message is
 * requeued after 1 s, doubling with each delivery to 60 s, until the queue's delivery limit dead-letters it. The queue
 * is declared, or checked, before each subscription.
 */
export function startConsumer(options: {
  readonly connection: Pick<AmqpConnection, 'openChannel' | 'isBlocked'>;
  readonly queue: QueueDefinition;
  readonly prefetch: number;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly handle: (message: IncomingMessage) => Promise<ConsumeOutcome>;
}): Consumer {
  const { queue } = options;
  const logger = options.logger.child({ queue: queue.name });
  const outcomes = counter(options.metrics, {
    name: 'partner_consumer_outcomes_total',
    help: 'Outcomes of consumed messages: done, retry, dead, or failed if the handler threw',
    labels: ['queue', 'outcome'],
  });
  const durations = secondsHistogram(options.metrics, {
    name: 'partner_consumer_seconds',
    help: 'Time in the handler of a message',
    labels: ['queue'],
  });
  const deadLetters = queue.deadLetterQueue === undefined ? undefined : createPublisher(options);

  async function settle(delivery: Delivery): Promise<void> {
    const message = incomingMessage(delivery.message);
    if (queue.onlyFromBindings === true && !isFromBinding(queue, delivery.message.fields.exchange)) {
      await deadLetter(delivery, message, 'it came through an exchange to which the queue is not bound');
      return;
    }
    const receivedAt = performance.now();
    for (;;) {
      const outcome = await outcomeOf(message);
      switch (outcome.kind) {
        case 'done':
          delivery.ack();
          return;
        case 'dead':
          await deadLetter(delivery, message, outcome.reason);
          return;
        case 'failed':
          await rest(delivery, failurePauseMs(message));
          delivery.requeue();
          return;
        case 'retry': {
          const hasRested = await rest(delivery, outcome.afterMs);
          if (hasRested && performance.now() - receivedAt < HOLD_LIMIT_MS) break;
          delivery.requeue();
          return;
        }
        default:
          assertNever(outcome);
      }
    }
  }

  /** Resolves to false at once if the message need not wait, because it is redelivered. */
  function rest({ over: signal }: Delivery, milliseconds: number): Promise<boolean> {
    return delay(milliseconds, true, { signal }).catch(() => false);
  }

  async function outcomeOf(message: IncomingMessage): Promise<ConsumeOutcome | { readonly kind: 'failed' }> {
    const startedAt = performance.now();
    const outcome = await withSpan(
      {
        name: `process ${queue.name}`,
        kind: 'CONSUMER',
        parent: extractTrace(message.headers),
        attributes: { 'messaging.system': 'rabbitmq', 'messaging.destination.name': queue.name },
      },
      () => options.handle(message),
    ).catch((error: unknown) => {
      logger.error(
        { err: error, messageId: message.messageId, type: message.type },
        'message.handler_failed',
      );
      return { kind: 'failed' } as const;
    });
    durations.observe({ queue: queue.name }, (performance.now() - startedAt) / 1_000);
    outcomes.inc({ queue: queue.name, outcome: outcome.kind });
    return outcome;
  }

  /**
   * Publishes a copy with reason and time, waits for its confirm, then acknowledges. A crash in between duplicates the
   * message and never loses it.
   */
  async function deadLetter(delivery: Delivery, message: IncomingMessage, reason: string): Promise<void> {
    logger.error({ messageId: message.messageId, type: message.type, reason }, 'message.dead_lettered');
    if (deadLetters === undefined || queue.deadLetterQueue === undefined) {
      delivery.reject();
      return;
    }
    try {
      await deadLetters.publish({
        exchange: DEAD_LETTERS,
        routingKey: queue.deadLetterQueue,
        messageId: message.messageId,
        type: message.type,
        body: message.body,
        headers: { ...textHeaders(message.headers), ...deathHeaders(reason, new Date()) },
      });
      delivery.ack();
    } catch {
      // The publisher has logged the cause. The broker moves the message itself: as safely, but without the reason.
      delivery.reject();
    }
  }

  const subscription = startSubscription({
    connection: options.connection,
    name: `consume ${queue.name}`,
    prefetch: options.prefetch,
    provide: (channel, topology) => topology.provideQueue(channel, queue),
    handle: settle,
  });

  return {
    isConsuming: () => subscription.isConsuming(),
    async stop() {
      await subscription.stop();
      await deadLetters?.close();
    },
  };
}

export function incomingMessage({ content, fields, properties }: ConsumeMessage): IncomingMessage {
  return {
    messageId: textOf(properties.messageId),
    type: textOf(properties.type),
    body: content,
    headers: properties.headers ?? {},
    redelivered: fields.redelivered,
  };
}

function failurePauseMs(message: IncomingMessage): number {
  const deliveries = message.headers['x-delivery-count'];
  const doublings = typeof deliveries === 'number' ? Math.min(deliveries, 10) : 0;
  return Math.min(LONGEST_FAILURE_PAUSE_MS, FAILURE_PAUSE_MS * 2 ** doublings);
}

/** The exchange is trustworthy: the broker sets it, not the sender. */
function isFromBinding({ bindings }: QueueDefinition, exchange: string): boolean {
  return bindings.some((binding) => binding.exchange.name === exchange);
}
