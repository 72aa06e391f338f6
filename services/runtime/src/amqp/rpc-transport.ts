import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import { RpcErrorSchema } from '@partner/proto-contracts/gen/partner/rpc/v1/rpc_error_pb';
import type { QueueDefinition } from '@partner/proto-contracts/topology';
import type { Channel, ConsumeMessage } from 'amqplib';
import type { Registry } from 'prom-client';
import type { Logger } from '../logger.js';
import { ServiceError } from '../service-error.js';
import { injectTrace, withSpan } from '../telemetry/tracing.js';
import type { AmqpConnection } from './connection.js';
import { callHeaders, textOf } from './message-text.js';
import { counter, gauge, secondsHistogram } from './metrics.js';
import { callTypeOf, TIMEOUT_HEADER } from './rpc-dispatch.js';
import { decodeRpcError, notCarriedOut, outcomeUnknown, serviceErrorFrom } from './rpc-error.js';

const REPLY_QUEUE = 'amq.rabbitmq.reply-to';
const DEFAULT_TIMEOUT_MS = 5_000;
const DEFAULT_MAX_IN_FLIGHT = 200;

interface PendingCall {
  readonly answer: (reply: ConsumeMessage) => void;
  readonly fail: (error: ServiceError) => void;
}

/**
 * A Connect transport that calls services over the broker: requests to a queue, answers by direct reply-to. Unary calls
 * only. Every failure is a `ServiceError`. It is `unavailable` when the caller gives up, the deadline passes (`timeoutMs` of
 * the call, else `defaultTimeoutMs`), the connection or channel is lost, no queue takes the request, or `maxInFlight` calls
 * wait already; all but the first two at once. A call is never repeated by itself.
 */
export function createRpcTransport(options: {
  readonly connection: Pick<AmqpConnection, 'openChannel'>;
  readonly queue: QueueDefinition;
  readonly logger: Logger;
  readonly metrics: Registry;
  /** Absent: 5,000. */
  readonly defaultTimeoutMs?: number;
  /** Absent: 200. */
  readonly maxInFlight?: number;
}): Transport & { close(): Promise<void> } {
  const { queue } = options;
  const [binding] = queue.bindings;
  const maxInFlight = options.maxInFlight ?? DEFAULT_MAX_IN_FLIGHT;
  const durations = secondsHistogram(options.metrics, {
    name: 'partner_rpc_client_seconds',
    help: 'Time of RPC calls, by method and outcome (ok or the reason of the failure)',
    labels: ['method', 'outcome'],
  });
  const timeouts = counter(options.metrics, {
    name: 'partner_rpc_client_timeouts_total',
    help: 'RPC calls whose deadline passed without an answer',
    labels: ['method'],
  });
  const inFlight = gauge(options.metrics, {
    name: 'partner_rpc_client_in_flight',
    help: 'RPC calls that wait for an answer',
    labels: ['queue'],
  });
  const pending = new Map<string, PendingCall>();
  let sequence = 0;
  let requestChannel: Channel | undefined;

  const supervised = options.connection.openChannel({
    name: `call ${queue.name}`,
    confirm: false,
    async setup(channel) {
      channel.on('return', ({ properties }) => {
        pending
          .get(textOf(properties.correlationId))
          ?.fail(notCarriedOut(new Error(`no queue takes requests for ${queue.name}`)));
      });
      await channel.consume(
        REPLY_QUEUE,
        (reply) => {
          if (reply === null) supervised.rebuild(new Error('the broker cancelled the reply consumer'));
          else pending.get(textOf(reply.properties.correlationId))?.answer(reply);
        },
        { noAck: true },
      );
      requestChannel = channel;
    },
    onLost(cause) {
      requestChannel = undefined;
      for (const call of pending.values()) call.fail(outcomeUnknown(cause));
    },
  });

  function call(request: {
    readonly callType: string;
    readonly body: Uint8Array;
    readonly timeoutMs: number;
    readonly signal: AbortSignal | undefined;
    readonly headers: Readonly<Record<string, string>>;
  }): Promise<ConsumeMessage> {
    const { callType, body, signal } = request;
    const channel = requestChannel;
    const timeoutMs = Math.ceil(request.timeoutMs);
    if (signal?.aborted === true) throw notCarriedOut(signal.reason);
    if (timeoutMs <= 0) throw notCarriedOut(new Error('the deadline had passed before the call'));
    if (channel === undefined) throw notCarriedOut(new Error('there is no connection to the broker'));
    if (pending.size >= maxInFlight)
      throw notCarriedOut(new Error(`${maxInFlight} calls wait for answers already`));

    return new Promise((resolve, reject) => {
      sequence += 1;
      const correlationId = String(sequence);
      const timer = setTimeout(() => {
        timeouts.inc({ method: callType });
        fail(outcomeUnknown(new Error(`no answer within ${timeoutMs} ms`)));
      }, timeoutMs);
      const giveUp = () => fail(outcomeUnknown(signal?.reason));
      signal?.addEventListener('abort', giveUp);
      pending.set(correlationId, { answer, fail });
      inFlight.inc({ queue: queue.name });

      function settle(): void {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        if (pending.delete(correlationId)) inFlight.dec({ queue: queue.name });
      }
      function answer(reply: ConsumeMessage): void {
        settle();
        resolve(reply);
      }
      function fail(error: ServiceError): void {
        settle();
        reject(error);
      }

      try {
        channel.publish(
          binding?.exchange.name ?? '',
          binding?.routingKey ?? queue.name,
          Buffer.from(body.buffer, body.byteOffset, body.byteLength),
          {
            mandatory: true,
            persistent: false,
            expiration: timeoutMs,
            replyTo: REPLY_QUEUE,
            correlationId,
            type: callType,
            headers: { ...request.headers, [TIMEOUT_HEADER]: timeoutMs },
          },
        );
      } catch (error) {
        fail(notCarriedOut(error));
      }
    });
  }

  return {
    async unary(method, signal, timeoutMs, header, input) {
      const callType = callTypeOf(method);
      const startedAt = performance.now();
      const observe = (outcome: string) =>
        durations.observe({ method: callType, outcome }, (performance.now() - startedAt) / 1_000);
      try {
        const message = await withSpan(
          {
            name: callType,
            kind: 'CLIENT',
            attributes: { 'rpc.system': 'amqp', 'messaging.destination.name': queue.name },
          },
          async () => {
            const reply = await call({
              callType,
              body: toBinary(method.input, create(method.input, input)),
              timeoutMs: timeoutMs ?? options.defaultTimeoutMs ?? DEFAULT_TIMEOUT_MS,
              signal,
              headers: { ...callHeaders(header), ...injectTrace() },
            });
            const type = textOf(reply.properties.type);
            if (type === RpcErrorSchema.typeName) throw decodeRpcError(reply.content);
            if (type !== method.output.typeName) {
              options.logger.error({ method: callType, type }, 'rpc.answer_not_understood');
              throw ServiceError.from(new Error(`${callType} was answered with a "${type}"`));
            }
            return fromBinary(method.output, reply.content);
          },
        );
        observe('ok');
        return {
          stream: false,
          service: method.parent,
          method,
          header: new Headers(),
          trailer: new Headers(),
          message,
        };
      } catch (thrown) {
        const error = serviceErrorFrom(thrown);
        observe(error.reason);
        throw error;
      }
    },
    stream(method) {
      return Promise.reject(
        ServiceError.from(new Error(`${callTypeOf(method)} is a stream, which this transport has not`)),
      );
    },
    async close() {
      await supervised.close();
    },
  };
}
