import type { ExchangeDefinition } from '@partner/proto-contracts/topology';
import type { Registry } from 'prom-client';
import type { Logger } from '../telemetry/logger.js';
import { requestIdHeaders } from '../telemetry/request-context.js';
import { injectTrace } from '../telemetry/tracing.js';
import { type ConfirmWindow, createConfirmWindow } from './confirm-window.js';
import type { AmqpConnection } from './connection.js';
import { checkMessageSize } from './message-size.js';
import { counter, secondsHistogram } from './metrics.js';
import { PublishError } from './publish-error.js';
import type { SupervisedChannel } from './supervised-channel.js';

export { PublishError } from './publish-error.js';

/** Time limit of a confirm, including the wait for the window. A service publishes again, so it ends early. */
const CONFIRM_TIMEOUT_MS = 5_000;
/** The same for a person, to whom an unknown outcome costs more than the wait for a quorum queue on a slow disk. */
export const PATIENT_CONFIRM_TIMEOUT_MS = 30_000;
/** A channel is not replaced earlier: a full queue refuses messages on every channel. */
const SHORTEST_CHANNEL_LIFE_MS = 1_000;

export interface OutgoingMessage {
  readonly exchange: ExchangeDefinition;
  readonly routingKey: string;
  /** Identifies the message for de-duplication. */
  readonly messageId: string;
  readonly type: string;
  /** Not copied: do not change it before the message is confirmed. */
  readonly body: Uint8Array;
  /**
   * `traceparent` sets the message's trace, else it continues the active one. `x-request-id` sets its request, else it
   * belongs to the current one.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** If true, the message needs no queue, a broker restart may lose it, and a failure logs no warning. */
  readonly mayBeLost?: boolean;
}

export interface Publisher {
  /**
   * Publishes persistent and mandatory. Resolves once the broker has confirmed the message in at least one queue; with
   * `mayBeLost` it needs no queue. Rejects with {@link PublishError} otherwise. Nothing is buffered: without a
   * connection, and while the broker blocks it, it rejects at once, as for a message of more than 8 MiB. Concurrent calls are
   * allowed; a channel keeps their order.
   */
  publish(message: OutgoingMessage): Promise<void>;
  /** Resolves once every earlier publish is confirmed or has failed. */
  flush(): Promise<void>;
  /** Flushes, then closes the publisher's channel. */
  close(): Promise<void>;
}

/** A channel of a publisher; without a window while it is not open. */
interface PublishChannel {
  readonly supervised: SupervisedChannel;
  window: ConfirmWindow | undefined;
  openedAt: number;
}

/**
 * Creates a publisher with its own confirm channel. It opens another one after a refused message or a missing confirm: a
 * channel that was opened before a quorum queue elected its new leader may never find that leader. Messages in flight
 * stay on the former channel.
 */
export function createPublisher(options: {
  readonly connection: Pick<AmqpConnection, 'openChannel' | 'isBlocked'>;
  readonly logger: Logger;
  readonly metrics: Registry;
  /** Default: 5 s. */
  readonly confirmTimeoutMs?: number;
}): Publisher {
  const { confirmTimeoutMs = CONFIRM_TIMEOUT_MS } = options;
  const failures = counter(options.metrics, {
    name: 'partner_publish_failures_total',
    help: 'Messages that were not confirmed, by reason',
    labels: ['exchange', 'kind'],
  });
  const latency = secondsHistogram(options.metrics, {
    name: 'partner_publish_confirm_seconds',
    help: "Time from publish to the broker's confirm",
    labels: ['exchange'],
  });
  const inFlight = new Set<Promise<void>>();
  let sequence = 0;
  let next: PublishChannel | undefined;
  let current = open();

  function open(): PublishChannel {
    const supervised = options.connection.openChannel({
      name: 'publisher',
      confirm: true,
      setup: (confirmChannel) => {
        opened.window = createConfirmWindow(confirmChannel);
        opened.openedAt = performance.now();
        if (opened === next) useNext();
        return Promise.resolve();
      },
      onLost: () => {
        opened.window = undefined;
      },
    });
    const opened: PublishChannel = { supervised, window: undefined, openedAt: 0 };
    return opened;
  }

  function replace(refusing: PublishChannel): void {
    if (refusing !== current || next !== undefined || options.connection.isBlocked()) return;
    if (performance.now() - refusing.openedAt >= SHORTEST_CHANNEL_LIFE_MS) next = open();
  }

  function useNext(): void {
    if (next === undefined) return;
    const { supervised: former } = current;
    current = next;
    next = undefined;
    void flush().then(() => former.close());
  }

  async function publishNow(message: OutgoingMessage): Promise<void> {
    const exchange = message.exchange.name;
    const startedAt = performance.now();
    const channel = current;
    try {
      checkMessageSize(`the message ${message.type}`, message.body);
      const { window } = channel;
      if (window === undefined)
        throw new PublishError('not-connected', 'there is no connection to the broker');
      if (options.connection.isBlocked())
        throw new PublishError('blocked', 'the broker is short of memory or disk');
      await sendConfirmed(window, message);
      latency.observe({ exchange }, (performance.now() - startedAt) / 1_000);
    } catch (error) {
      if (error instanceof PublishError) {
        failures.inc({ exchange, kind: error.kind });
        if (error.kind === 'nacked' || error.kind === 'timeout') replace(channel);
        const line = { exchange, type: message.type, kind: error.kind };
        if (message.mayBeLost === true) options.logger.debug(line, 'amqp.publish_failed');
        else options.logger.warn(line, 'amqp.publish_failed');
      }
      throw error;
    }
  }

  function sendConfirmed(window: ConfirmWindow, message: OutgoingMessage): Promise<void> {
    const { exchange, routingKey, body, messageId, type } = message;
    const properties = {
      ...{ messageId, type, contentType: 'application/x-protobuf' },
      ...(message.mayBeLost === true && { mandatory: false, persistent: false }),
      headers: {
        ...(message.headers?.['traceparent'] === undefined && injectTrace()),
        ...requestIdHeaders(),
        ...message.headers,
      },
    };
    sequence += 1;
    const correlationId = String(sequence);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const isUnsent = window.withdraw(correlationId);
        const cause = `the broker did not confirm ${isUnsent ? 'earlier messages ' : ''}within ${confirmTimeoutMs} ms`;
        reject(new PublishError(isUnsent ? 'blocked' : 'timeout', cause));
      }, confirmTimeoutMs);
      window.send({
        ...{ exchange: exchange.name, routingKey, body, correlationId, properties: () => properties },
        settle(error) {
          clearTimeout(timer);
          if (error === undefined) resolve();
          else reject(error);
        },
      });
    });
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
      await Promise.all([current.supervised.close(), next?.supervised.close()]);
    },
  };
}
