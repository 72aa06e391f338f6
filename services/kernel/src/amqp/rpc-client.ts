import { CALL_CONTENT_TYPE } from '@partner/proto-contracts/call';
import type { QueueDefinition } from '@partner/proto-contracts/topology';
import type { ConfirmChannel, ConsumeMessage } from 'amqplib';
import type { Registry } from 'prom-client';
import { ServiceError } from '../process/service-error.js';
import type { Logger } from '../telemetry/logger.js';
import { requestIdHeaders } from '../telemetry/request-context.js';
import { injectTrace, withSpan } from '../telemetry/tracing.js';
import { CONFIRM_LIMIT_MS, createConfirmWatch } from './confirm-watch.js';
import type { AmqpConnection } from './connection.js';
import { checkMessageSize } from './message-size.js';
import { textHeaders, textOf } from './message-text.js';
import { counter, gauge, secondsHistogram } from './metrics.js';
import { type OperationReply, readReply } from './operation-call.js';
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
  readonly refuse: (cause: unknown) => void;
}

export interface RpcClientOptions {
  readonly connection: Pick<AmqpConnection, 'openChannel' | 'isBlocked'>;
  readonly queue: QueueDefinition;
  readonly logger: Logger;
  readonly metrics: Registry;
  /** Absent: 5,000. */
  readonly defaultTimeoutMs?: number;
}

interface RpcRequest {
  readonly type: string;
  readonly body: Uint8Array;
  /** Absent: the default of the client. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RpcClient {
  call(request: RpcRequest): Promise<OperationReply>;
  close(): Promise<void>;
}

/**
 * Creates a client of one queue: requests to the queue, responses by direct reply-to.
 *
 * Every failure is a `ServiceError`. A call fails with `unavailable` if its caller cancels it or its deadline passes (`timeoutMs`
 * of the call, else `defaultTimeoutMs`). It fails at once with the same error if the connection or channel is lost, the broker blocks the
 * connection or refuses the request, no queue accepts it, or 200 calls are in flight. A request of more than 8 MiB is
 * `internal` and not sent. While the socket's buffer is
 * full, calls wait unsent within their deadlines. A call is never retried automatically.
 */
export function createRpcClient(options: RpcClientOptions): RpcClient {
  const { queue } = options;
  const [binding] = queue.bindings;
  const { durations, timeouts, inFlight } = clientMetrics(options.metrics);
  const pending = new Map<string, PendingCall>();
  /** Calls that wait for the socket's buffer, with the function that sends each. */
  const unsent = new Map<string, () => void>();
  let sequence = 0;
  let isWritable = true;
  let requestChannel: ConfirmChannel | undefined;
  let confirms = createConfirmWatch(() => performance.now());

  const supervised = options.connection.openChannel({
    name: `call ${queue.name}`,
    confirm: true,
    async setup(channel) {
      channel.on('return', ({ properties }) => {
        pending
          .get(textOf(properties.correlationId))
          ?.refuse(new Error(`no queue accepts requests for ${queue.name}`));
      });
      // Before amqplib's own listener, which reports unconfirmed requests as refused.
      channel.prependListener('close', () => {
        if (requestChannel === channel) requestChannel = undefined;
      });
      channel.on('drain', () => {
        isWritable = true;
        sendWaiting();
      });
      await channel.consume(
        REPLY_QUEUE,
        (reply) => {
          if (reply === null) supervised.rebuild(new Error('the broker cancelled the reply consumer'));
          else pending.get(textOf(reply.properties.correlationId))?.complete(reply);
        },
        { noAck: true },
      );
      isWritable = true;
      confirms = createConfirmWatch(() => performance.now());
      requestChannel = channel;
    },
    onLost(cause) {
      requestChannel = undefined;
      for (const call of pending.values()) call.fail(cause);
    },
  });

  function sendWaiting(): void {
    for (const send of unsent.values()) {
      if (!isWritable) return;
      send();
    }
  }

  function exchange(
    request: RpcRequest & { readonly timeoutMs: number; readonly headers: Readonly<Record<string, string>> },
  ): Promise<ConsumeMessage> {
    const { type, body, signal } = request;
    checkMessageSize(`the request of ${type}`, body);
    const channel = requestChannel;
    const timeoutMs = Math.ceil(request.timeoutMs);
    if (signal?.aborted === true) throw notCarriedOut(signal.reason);
    if (timeoutMs <= 0) throw notCarriedOut(new Error('the deadline had passed before the call'));
    if (channel === undefined) throw notCarriedOut(new Error('there is no connection to the broker'));
    if (options.connection.isBlocked())
      throw notCarriedOut(new Error('the broker is short of memory or disk'));
    if (confirms.areMissing()) {
      const cause = new Error(`the broker has confirmed no request for ${CONFIRM_LIMIT_MS} ms`);
      supervised.rebuild(cause);
      throw notCarriedOut(cause);
    }
    if (pending.size >= MAX_IN_FLIGHT)
      throw notCarriedOut(new Error(`${MAX_IN_FLIGHT} calls are in flight already`));

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
      pending.set(correlationId, { complete, fail, refuse });
      inFlight.inc({ queue: queue.name });

      function settle(): void {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        unsent.delete(correlationId);
        if (pending.delete(correlationId)) inFlight.dec({ queue: queue.name });
      }
      function complete(reply: ConsumeMessage): void {
        settle();
        resolve(reply);
      }
      function fail(cause: unknown): void {
        const isSent = !unsent.has(correlationId);
        settle();
        reject(isSent ? outcomeUnknown(cause) : notCarriedOut(cause));
      }
      function refuse(cause: unknown): void {
        settle();
        reject(notCarriedOut(cause));
      }
      function send(to: ConfirmChannel): void {
        unsent.delete(correlationId);
        const leftMs = Math.max(1, Math.ceil(deadline - performance.now()));
        confirms.sent();
        try {
          isWritable = to.publish(
            binding?.exchange.name ?? '',
            binding?.routingKey ?? queue.name,
            Buffer.from(body.buffer, body.byteOffset, body.byteLength),
            {
              mandatory: true,
              persistent: false,
              expiration: leftMs,
              replyTo: REPLY_QUEUE,
              correlationId,
              type,
              contentType: CALL_CONTENT_TYPE,
              headers: { ...request.headers, [TIMEOUT_HEADER]: leftMs },
            },
            (cause) => {
              if (requestChannel !== to) return;
              confirms.confirmed();
              if (cause === null || !pending.has(correlationId)) return;
              // Also after the loss of a node that may have delivered it, so its outcome is unknown.
              fail(new Error(`the broker refused a request for ${queue.name}`));
              // A channel that was opened before a quorum queue elected its new leader never finds that leader.
              supervised.rebuild(new Error('the broker refused a request'));
            },
          );
        } catch (error) {
          refuse(error);
        }
      }

      if (isWritable && unsent.size === 0) send(channel);
      else unsent.set(correlationId, () => send(channel));
    });
  }

  return {
    async call(request) {
      const { type } = request;
      const startedAt = performance.now();
      const observe = (outcome: string) =>
        durations.observe({ method: type, outcome }, (performance.now() - startedAt) / 1_000);
      try {
        const result = await withSpan(
          {
            name: type,
            kind: 'CLIENT',
            attributes: { 'rpc.system': 'amqp', 'messaging.destination.name': queue.name },
          },
          async () => {
            const { properties, content } = await exchange({
              ...request,
              timeoutMs: request.timeoutMs ?? options.defaultTimeoutMs ?? DEFAULT_TIMEOUT_MS,
              headers: { ...requestIdHeaders(), ...injectTrace() },
            });
            return readReply(type, {
              type: textOf(properties.type),
              contentType: textOf(properties.contentType),
              headers: textHeaders(properties.headers ?? {}),
              body: content,
            });
          },
        );
        observe('ok');
        return result;
      } catch (thrown) {
        const error = ServiceError.from(thrown);
        observe(error.reason);
        throw error;
      }
    },
    async close() {
      await supervised.close();
    },
  };
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
