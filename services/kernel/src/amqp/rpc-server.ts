import { SpanStatusCode } from '@opentelemetry/api';
import type { QueueDefinition } from '@partner/proto-contracts/topology';
import type { Registry } from 'prom-client';
import type { Logger } from '../telemetry/logger.js';
import { extractTrace, withSpan } from '../telemetry/tracing.js';
import type { AmqpConnection } from './connection.js';
import { counter, secondsHistogram } from './metrics.js';
import { textOf } from './message-text.js';
import type { RpcReply } from './operation-call.js';
import { operationHandlers, type ServedOperations } from './operation-dispatch.js';
import { TIMEOUT_HEADER } from './rpc-client.js';
import { unlessClosed } from './acknowledge-together.js';
import { type Consumer, type Delivery, startSubscription } from './subscription.js';

/** Prefix of the reply address that the broker assigns to a request with direct reply-to. */
const DIRECT_REPLY_TO = 'amq.rabbitmq.reply-to.';

/**
 * Serves RPC requests from a queue, at most `prefetch` at once. Each response goes to the reply queue that the request
 * names.
 *
 * A request is acknowledged after its response is sent, so the broker redelivers it if this process crashes before. A
 * redelivered request runs again only if it is repeatable. Any other is dropped because it may
 * have run already; its caller then times out with an unknown outcome.
 *
 * It serves only requests through an exchange that the queue is bound to, and only with direct reply-to. Each server needs
 * write access to the default exchange for its responses; that must not allow it to call another server's methods.
 *
 * A request past its caller's deadline is dropped, like a response that is late or cannot be routed. An error of
 * the implementation is returned as its `ServiceError`, or logged and returned as `internal`. Each request runs on
 * behalf of the one that its `x-request-id` names.
 */
export function startRpcServer(options: {
  readonly connection: Pick<AmqpConnection, 'openChannel'>;
  readonly queue: QueueDefinition;
  readonly prefetch: number;
  readonly operations: ServedOperations;
  readonly logger: Logger;
  readonly metrics: Registry;
}): Consumer {
  const { queue } = options;
  const logger = options.logger.child({ queue: queue.name });
  const handlerOf = operationHandlers(options.operations);
  const durations = secondsHistogram(options.metrics, {
    name: 'partner_rpc_server_seconds',
    help: 'Time from the receipt of an RPC request to its response, by method and outcome (ok or the reason of the failure)',
    labels: ['method', 'outcome'],
  });
  const dropped = counter(options.metrics, {
    name: 'partner_rpc_server_dropped_total',
    help: 'RPC requests without a response: expired before the start, overdue at the end, without a direct reply address, through another exchange, or redelivered though not idempotent',
    labels: ['method', 'cause'],
  });

  async function serve(delivery: Delivery): Promise<void> {
    const receivedAt = performance.now();
    const { content, properties } = delivery.message;
    const headers: Readonly<Record<string, unknown>> = properties.headers ?? {};
    const handler = handlerOf({ type: textOf(properties.type), contentType: textOf(properties.contentType) });
    const method = handler.name;
    const replyTo = textOf(properties.replyTo);
    const timeoutMs = timeoutOf(headers);
    const refusal = refusalOf(delivery.message.fields.exchange, replyTo, timeoutMs);
    if (refusal !== undefined) {
      dropped.inc({ method, cause: refusal });
      if (refusal !== 'expired') logger.warn({ method, cause: refusal }, 'rpc.request_refused');
      delivery.ack();
      return;
    }

    if (delivery.message.fields.redelivered && !handler.isRepeatable) {
      dropped.inc({ method, cause: 'not_repeatable' });
      logger.warn({ method }, 'rpc.repeat_dropped');
      delivery.ack();
      return;
    }

    const reply = await withSpan(
      {
        name: method,
        kind: 'SERVER',
        parent: extractTrace(headers),
        attributes: { 'rpc.system': 'amqp', 'messaging.destination.name': queue.name },
      },
      async (span) => {
        const deadline = timeoutMs === undefined ? undefined : receivedAt + timeoutMs;
        const leftMs = () => deadline && deadline - performance.now();
        const response = await handler.run(content, leftMs);
        if (response.error?.reason === 'internal') {
          span.setStatus({ code: SpanStatusCode.ERROR });
          logger.error({ err: response.error.cause, method }, 'rpc.failed');
        }
        return (leftMs() ?? 1) <= 0 ? undefined : response;
      },
    );
    if (reply === undefined) {
      dropped.inc({ method, cause: 'overdue' });
    } else {
      send(delivery, replyTo, reply);
      durations.observe(
        { method, outcome: reply.error?.reason ?? 'ok' },
        (performance.now() - receivedAt) / 1_000,
      );
    }
    delivery.ack();
  }

  /** Returns why a request is not served. The exchange is trustworthy: the broker sets it, not the sender. */
  function refusalOf(exchange: string, replyTo: string, timeoutMs: number | undefined): string | undefined {
    if (!queue.bindings.some((binding) => binding.exchange.name === exchange)) return 'foreign_exchange';
    if (!replyTo.startsWith(DIRECT_REPLY_TO)) return 'no_reply_address';
    return (timeoutMs ?? 1) <= 0 ? 'expired' : undefined;
  }

  return startSubscription({
    connection: options.connection,
    name: `serve ${queue.name}`,
    prefetch: options.prefetch,
    provide: (channel, topology) => topology.provideQueue(channel, queue),
    handle: serve,
  });
}

/**
 * Sends through the default exchange. Without the reply queue the caller has gone too, and the broker drops the response.
 */
function send({ channel, message }: Delivery, replyTo: string, reply: RpcReply): void {
  const { type, contentType, headers, body } = reply;
  unlessClosed(() =>
    channel.publish('', replyTo, Buffer.from(body.buffer, body.byteOffset, body.byteLength), {
      type,
      ...(contentType !== undefined && { contentType }),
      ...(headers !== undefined && { headers }),
      correlationId: textOf(message.properties.correlationId),
    }),
  );
}

function timeoutOf(headers: Readonly<Record<string, unknown>>): number | undefined {
  const timeoutMs = headers[TIMEOUT_HEADER];
  return typeof timeoutMs === 'number' ? timeoutMs : undefined;
}
