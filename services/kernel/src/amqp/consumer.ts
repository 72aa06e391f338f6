import { DEAD_LETTERS, type QueueDefinition } from '@partner/proto-contracts/topology';
import type { ConsumeMessage } from 'amqplib';
import type { Registry } from 'prom-client';
import { assertNever } from '../invariant.js';
import type { Logger } from '../logger.js';
import { requestIdIn, runWithRequestId } from '../request-context.js';
import { extractTrace, withSpan } from '../telemetry/tracing.js';
import type { AmqpConnection } from './connection.js';
import { deathHeaders } from './death-headers.js';
import { textHeaders, textOf } from './message-text.js';
import { counter, secondsHistogram } from './metrics.js';
import { createPauses } from './pauses.js';
import { createPublisher } from './publisher.js';
import { type Consumer, type Delivery, startSubscription } from './subscription.js';

export type { Consumer } from './subscription.js';

/** For how long retries keep a message; well below the 30 minutes after which a broker takes the channel away. */
const HOLD_LIMIT_MS = 15 * 60_000;
const FAILURE_PAUSE_MS = 1_000;
const LONGEST_FAILURE_PAUSE_MS = 60_000;

/** A message as it came. */
export interface IncomingMessage {
  /** Empty when the sender has given none. */
  readonly messageId: string;
  /** Full name of the protobuf message; empty when the sender has given none. */
  readonly type: string;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, unknown>>;
  /** True when it has been delivered before; false promises nothing. */
  readonly redelivered: boolean;
}

/**
 * What became of a message. `done`: acknowledge. `retry`: the message is fine but can not be handled now, e.g. the database
 * is away; it is handled again after the pause, which by itself counts nothing. After 15 minutes of retries, at a stop and
 * with a lost channel the message goes back to its queue, and each of these counts towards the queue's delivery limit.
 * `dead`: it can never be handled; it goes to the dead-letter queue with the reason.
 */
export type ConsumeOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'retry'; readonly afterMs: number }
  | { readonly kind: 'dead'; readonly reason: string };

/**
 * Consumes a queue, at most `prefetch` messages at a time, each in a span that continues the message's trace and on behalf
 * of the request that its `x-request-id` names. A message is acknowledged after its outcome; whatever dies before that, it is delivered again. A handler that throws is at fault: the
 * message goes back to its queue after 1 s, doubling with each delivery to 60 s, until the queue's delivery limit
 * dead-letters it. The queue is declared, or looked for, before each subscription.
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
    help: 'What became of consumed messages: done, retry, dead, or failed where the handler threw',
    labels: ['queue', 'outcome'],
  });
  const durations = secondsHistogram(options.metrics, {
    name: 'partner_consumer_seconds',
    help: 'Time in the handler of a message',
    labels: ['queue'],
  });
  const deadLetters = queue.deadLetterQueue === undefined ? undefined : createPublisher(options);
  const pauses = createPauses();
  let isStopping = false;

  async function settle(delivery: Delivery): Promise<void> {
    const message = incomingMessage(delivery.message);
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

  /** Resolves to false at once when the message need not wait here: it is delivered anew, here or elsewhere. */
  async function rest(delivery: Delivery, milliseconds: number): Promise<boolean> {
    if (isStopping || delivery.isLost()) return false;
    return (await pauses.pause(milliseconds)) && !delivery.isLost();
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

  /** A confirmed copy with reason and time first, then the acknowledgement: a crash in between doubles, and loses nothing. */
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
      // The publisher has logged why. The broker moves the message itself, without the reason but as safely.
      delivery.reject();
    }
  }

  const subscription = startSubscription({
    connection: options.connection,
    name: `consume ${queue.name}`,
    prefetch: options.prefetch,
    provide: async (channel, topology) => {
      await topology.provideQueue(channel, queue);
      return queue.name;
    },
    handle: (delivery) =>
      runWithRequestId(requestIdIn(delivery.message.properties.headers ?? {}), () => settle(delivery)),
    // What waits for its next try is delivered anew.
    onLost: () => pauses.end(),
    onStopping: () => {
      isStopping = true;
      pauses.end();
    },
  });

  return {
    isConsuming: () => subscription.isConsuming(),
    async stop() {
      await subscription.stop();
      await deadLetters?.close();
    },
  };
}

/** The parts of a delivered message that handlers may see. */
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
