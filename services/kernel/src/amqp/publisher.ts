import type { ExchangeDefinition } from '@partner/proto-contracts/topology';
import type { Registry } from 'prom-client';
import type { Logger } from '../logger.js';
import { requestIdHeaders } from '../request-context.js';
import { injectTrace } from '../telemetry/tracing.js';
import { type ConfirmWindow, createConfirmWindow } from './confirm-window.js';
import type { AmqpConnection } from './connection.js';
import { counter, secondsHistogram } from './metrics.js';
import { PublishError } from './publish-error.js';

export { PublishError, type PublishErrorKind } from './publish-error.js';

const DEFAULT_CONFIRM_TIMEOUT_MS = 5_000;

/** A message to publish. */
export interface OutgoingMessage {
  readonly exchange: ExchangeDefinition;
  readonly routingKey: string;
  /** Identifies the message to whoever de-duplicates. */
  readonly messageId: string;
  /** Full name of the protobuf message. */
  readonly type: string;
  /** Not copied: it must not change before the message is confirmed. */
  readonly body: Uint8Array;
  /**
   * With `traceparent` among them the message continues that trace, else the active one; with `x-request-id` that request,
   * else the present one.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** True: it needs to reach no queue, and a broker that restarts forgets it; that it failed is worth no warning. */
  readonly mayBeLost?: boolean;
}

/** Publishes with the broker's confirm. */
export interface Publisher {
  /**
   * Publishes persistent and mandatory, and resolves once the broker has taken responsibility for the message in at least
   * one queue; one that may be lost needs no queue. Rejects with {@link PublishError} otherwise. Nothing is kept back: without a connection, and while the broker
   * blocks it, it rejects at once.
   * Call it many times without waiting in between; order is kept on a channel.
   */
  publish(message: OutgoingMessage): Promise<void>;
  /** Resolves once every publish so far has been confirmed or has failed. */
  flush(): Promise<void>;
  /** Flushes, and closes the publisher's channel. */
  close(): Promise<void>;
}

/** Makes a publisher with a confirm channel of its own. */
export function createPublisher(options: {
  readonly connection: Pick<AmqpConnection, 'openChannel' | 'isBlocked'>;
  readonly logger: Logger;
  readonly metrics: Registry;
  /** How long to wait for a confirm, a turn in the window included; absent: 5,000. */
  readonly confirmTimeoutMs?: number;
}): Publisher {
  const confirmTimeoutMs = options.confirmTimeoutMs ?? DEFAULT_CONFIRM_TIMEOUT_MS;
  const failures = counter(options.metrics, {
    name: 'partner_publish_failures_total',
    help: 'Messages that do not count as published, by what went wrong',
    labels: ['exchange', 'kind'],
  });
  const latency = secondsHistogram(options.metrics, {
    name: 'partner_publish_confirm_seconds',
    help: 'From publish to the confirm of the broker',
    labels: ['exchange'],
  });
  const inFlight = new Set<Promise<void>>();
  let window: ConfirmWindow | undefined;
  const channel = options.connection.openChannel({
    name: 'publisher',
    confirm: true,
    setup: (confirmChannel) => {
      window = createConfirmWindow(confirmChannel, {
        confirmTimeoutMs,
        onStuck: (cause) => channel.rebuild(cause),
      });
      return Promise.resolve();
    },
    onLost: () => {
      window = undefined;
    },
  });

  async function publishNow(message: OutgoingMessage): Promise<void> {
    const exchange = message.exchange.name;
    const startedAt = performance.now();
    try {
      if (window === undefined)
        throw new PublishError('not-connected', 'there is no connection to the broker');
      if (options.connection.isBlocked())
        throw new PublishError('blocked', 'the broker is short of memory or disk');
      await window.publish({
        exchange,
        routingKey: message.routingKey,
        body: Buffer.from(message.body.buffer, message.body.byteOffset, message.body.byteLength),
        properties: {
          messageId: message.messageId,
          type: message.type,
          contentType: 'application/x-protobuf',
          ...(message.mayBeLost === true && { mandatory: false, persistent: false }),
          headers: {
            ...(message.headers?.['traceparent'] === undefined && injectTrace()),
            ...requestIdHeaders(),
            ...message.headers,
          },
        },
      });
      latency.observe({ exchange }, (performance.now() - startedAt) / 1_000);
    } catch (error) {
      if (error instanceof PublishError) {
        failures.inc({ exchange, kind: error.kind });
        const line = { exchange, type: message.type, kind: error.kind };
        if (message.mayBeLost === true) options.logger.debug(line, 'amqp.publish_failed');
        else options.logger.warn(line, 'amqp.publish_failed');
      }
      throw error;
    }
  }

  async function flush(): Promise<void> {
    await Promise.allSettled(inFlight);
  }

  return {
    publish(message) {
      const publishing = publishNow(message);
      inFlight.add(publishing);
      const forget = () => inFlight.delete(publishing);
      publishing.then(forget, forget);
      return publishing;
    },
    flush,
    async close() {
      await flush();
      await channel.close();
    },
  };
}
