import { CALL_CONTENT_TYPE } from '@partner/proto-contracts/call';
import type { QueueDefinition } from '@partner/proto-contracts/topology';
import type { ConsumeMessage } from 'amqplib';
import type { Registry } from 'prom-client';
import { ServiceError } from '../process/service-error.js';
import type { Logger } from '../telemetry/logger.js';
import { requestIdHeaders } from '../telemetry/request-context.js';
import { injectTrace, withSpan } from '../telemetry/tracing.js';
import { CONFIRM_LIMIT_MS, createConfirmWatch } from './confirm-watch.js';
import { type ConfirmWindow, createConfirmWindow } from './confirm-window.js';
import type { AmqpConnection } from './connection.js';
import { checkMessageSize } from './message-size.js';
import { textHeaders, textOf } from './message-text.js';
import { counter, gauge, secondsHistogram } from './metrics.js';
import { type OperationReply, readReply } from './operation-call.js';
import { createOperationClient, type OperationClient, type SentCall } from './operation-client.js';
import { PublishError } from './publish-error.js';
import { notCarriedOut, outcomeUnknown } from './rpc-error.js';

const REPLY_QUEUE = 'amq.rabbitmq.reply-to';
const DEFAULT_TIMEOUT_MS = 5_000;
const MAX_IN_FLIGHT = 200;

/** Request header: time from receipt until the caller's deadline, in whole ms. */
export const TIMEOUT_HEADER = 'x-timeout-ms';

interface PendingCall {
  readonly complete: (reply: ConsumeMessage) => void;
  /** Ends a call that has no response: its outcome is unknown if it was sent. */
  readonly fail: (cause: unknown) => void;
}

interface RequestChannel {
  readonly window: ConfirmWindow;
  readonly confirms: ReturnType<typeof createConfirmWatch>;
}

export interface RpcClientOptions {
  readonly connection: Pick<AmqpConnection, 'openChannel' | 'isBlocked'>;
  readonly queue: QueueDefinition;
  readonly logger: Logger;
  readonly metrics: Registry;
  /** Absent: 5,000. */
  readonly defaultTimeoutMs?: number;
}

interface RpcRequest extends SentCall {
  readonly timeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RpcClient extends OperationClient {
  close(): Promise<void>;
}

/**
 * Creates a client of the operations behind one queue: requests to the queue, responses by direct reply-to.
 *
 * Every failure is a `ServiceError`. A call fails with `unavailable` if its caller cancels it or its deadline passes (`timeoutMs`
 * of the call, else `defaultTimeoutMs`). It fails at once with the same error if the connection or channel is lost, the broker blocks the
 * connection or refuses the request, no queue accepts it, or 200 calls are in flight. A request of more than 8 MiB is
 * `internal` and not sent. While the socket's buffer is
 * full, calls wait unsent within their deadlines. A call is never retried automatically.
 */
export function createRpcClient(options: RpcClientOptions): RpcClient {
  const { queue, defaultTimeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const [binding] = queue.bindings;
  const { durations, timeouts, inFlight } = clientMetrics(options.metrics);
  const pending = new Map<string, PendingCall>();
  let sequence = 0;
  let current: RequestChannel | undefined;

  const supervised = options.connection.openChannel({
    name: `call ${queue.name}`,
    confirm: true,
    async setup(channel) {
      await channel.consume(
        REPLY_QUEUE,
        (reply) => {
          if (reply === null) supervised.rebuild(new Error('the broker canceled the reply consumer'));
          else pending.get(textOf(reply.properties.correlationId))?.complete(reply);
        },
        { noAck: true },
      );
      const confirms = createConfirmWatch(() => performance.now());
      current = { window: createConfirmWindow(channel), confirms };
    },
    onLost(cause) {
      current = undefined;
      for (const call of pending.values()) call.fail(cause);
    },
  });

  /** Returns the channel for a request, or throws that it cannot be sent. */
  function channelFor({ signal, timeoutMs }: RpcRequest): RequestChannel {
    if (signal?.aborted === true) throw notCarriedOut(signal.reason);
    if (timeoutMs <= 0) throw notCarriedOut(new Error('the deadline had passed before the call'));
    if (current === undefined) throw notCarriedOut(new Error('there is no connection to the broker'));
    if (options.connection.isBlocked())
      throw notCarriedOut(new Error('the broker is short of memory or disk'));
    if (current.confirms.areMissing()) {
      const cause = new Error(`the broker has confirmed no request for ${CONFIRM_LIMIT_MS} ms`);
      supervised.rebuild(cause);
      throw notCarriedOut(cause);
    }
    if (pending.size >= MAX_IN_FLIGHT)
      throw notCarriedOut(new Error(`${MAX_IN_FLIGHT} calls are in flight already`));
    return current;
  }

  function exchange(request: RpcRequest): Promise<ConsumeMessage> {
    const { type, body, signal, timeoutMs } = request;
    checkMessageSize(`the request of ${type}`, body);
    const { window, confirms } = channelFor(request);
    return new Promise((resolve, reject) => {
      sequence += 1;
      const correlationId = String(sequence);
      const deadline = performance.now() + timeoutMs;
      const timer = setTimeout(() => {
        timeouts.inc({ method: type });
        fail(new Error(`no response within ${timeoutMs} ms`));
      }, timeoutMs);
      const giveUp = () => fail(signal?.reason);
      signal?.addEventListener('abort', giveUp);
      pending.set(correlationId, { complete, fail });
      inFlight.inc({ queue: queue.name });

      /** Returns whether the request waits unsent. */
      function end(): boolean {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        if (pending.delete(correlationId)) inFlight.dec({ queue: queue.name });
        return window.withdraw(correlationId);
      }
      function complete(reply: ConsumeMessage): void {
        end();
        resolve(reply);
      }
      function fail(cause: unknown): void {
        reject(end() ? notCarriedOut(cause) : outcomeUnknown(cause));
      }
      function settle(error?: Error): void {
        const kind = error instanceof PublishError ? error.kind : undefined;
        if (kind !== 'returned') confirms.confirmed();
        if (error === undefined || !pending.has(correlationId)) return;
        // Also after the loss of a node that may have delivered it, so its outcome is unknown.
        if (kind === 'nacked' || kind === 'closed') fail(error);
        else {
          end();
          reject(notCarriedOut(error));
        }
        // A channel that was opened before a quorum queue elected its new leader never finds that leader.
        if (kind === 'nacked') supervised.rebuild(error);
      }

      window.send({
        exchange: binding?.exchange.name ?? '',
        routingKey: binding?.routingKey ?? queue.name,
        ...{ body, correlationId, settle },
        properties() {
          const leftMs = Math.max(1, Math.ceil(deadline - performance.now()));
          confirms.sent();
          return {
            persistent: false,
            expiration: leftMs,
            replyTo: REPLY_QUEUE,
            type,
            contentType: CALL_CONTENT_TYPE,
            headers: { ...request.headers, [TIMEOUT_HEADER]: leftMs },
          };
        },
      });
    });
  }

  async function send({ timeoutMs = defaultTimeoutMs, ...request }: SentCall): Promise<OperationReply> {
    const { type } = request;
    const startedAt = performance.now();
    const observe = (outcome: string) =>
      durations.observe({ method: type, outcome }, (performance.now() - startedAt) / 1_000);
    const attributes = { 'rpc.system': 'amqp', 'messaging.destination.name': queue.name };
    try {
      const result = await withSpan({ name: type, kind: 'CLIENT', attributes }, async () => {
        const headers = { ...requestIdHeaders(), ...injectTrace() };
        const sent = { ...request, timeoutMs: Math.ceil(timeoutMs), headers };
        const { properties, content } = await exchange(sent);
        return readReply(type, {
          type: textOf(properties.type),
          contentType: textOf(properties.contentType),
          headers: textHeaders(properties.headers ?? {}),
          body: content,
        });
      });
      observe('ok');
      return result;
    } catch (thrown) {
      const error = ServiceError.from(thrown);
      observe(error.reason);
      throw error;
    }
  }

  return { ...createOperationClient(send), close: () => supervised.close() };
}

function clientMetrics(registry: Registry) {
  return {
    durations: secondsHistogram(registry, {
      name: 'partner_rpc_client_seconds',
      help: 'Time of RPC calls, by method and outcome (ok or the reason of the failure)',
      labels: ['method', 'outcome'],
    }),
    timeouts: counter(registry, {
      name: 'partner_rpc_client_timeouts_total',
      help: 'RPC calls whose deadline passed without a response',
      labels: ['method'],
    }),
    inFlight: gauge(registry, {
      name: 'partner_rpc_client_in_flight',
      help: 'RPC calls in flight',
      labels: ['queue'],
    }),
  };
}
