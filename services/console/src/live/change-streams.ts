import { fromBinary } from '@bufbuild/protobuf';
import {
  HEARTBEAT_SECONDS,
  STREAM_MINUTES,
  STREAMS_PER_SESSION,
} from '@partner/proto-contracts/resources/change-stream/operations';
import { WebhooksChangedSchema } from '@partner/proto-contracts/gen/partner/webhooks/v1/webhooks_changed_pb';
import { WEBHOOK_CHANGES_BROADCAST } from '@partner/proto-contracts/topology';
import { startBroadcastConsumer } from '@partner/kernel/amqp/broadcast';
import type { AmqpConnection } from '@partner/kernel/amqp/connection';
import type { ResponseStream } from '@partner/gateway-kit/http/response-stream';
import { createKeyedThrottle } from '@partner/kernel/process/keyed-throttle';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { createShareGate } from '@partner/kernel/process/share-gate';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { After } from '@partner/kernel/process/timers';
import { Gauge, type Registry } from 'prom-client';
import type { OwnerSession } from '../sessions/session-store.js';

const EVENT_INTERVAL_MS = 1_000;
const RETRY_MS = 3_000;
/** Open streams of this process; a company has at most half. */
const STREAMS = 1_000;
const ONCE = { once: true } as const;

type StreamSession = Pick<OwnerSession, 'id' | 'companyId'>;

export type ChangeStreams = ReturnType<typeof createChangeStreams>;

/**
 * Creates the change streams of this process. Each sends at most one event a second and a comment every 15 seconds. A stream ends after 10
 * minutes. It also ends if a check at a comment finds that the session has ended, or fails.
 */
export function createChangeStreams(deps: {
  /** Returns whether a session is active, without resetting its idle time. */
  readonly isAlive: (session: StreamSession) => Promise<boolean>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly metrics: Registry;
  readonly after: After;
}) {
  const { after } = deps;
  const places = new Map<string, number>();
  const gate = createShareGate({ slots: STREAMS, queue: 0, work: 'streams' });
  const byCompany = new Map<string, Set<ResponseStream>>();
  let isClosed = false;
  new Gauge({
    name: 'partner_console_change_streams',
    help: 'Streams of changes that are open.',
    registers: [deps.metrics],
    collect() {
      this.set([...byCompany.values()].reduce((sum, streams) => sum + streams.size, 0));
    },
  });
  const throttle = createKeyedThrottle({
    intervalMs: EVENT_INTERVAL_MS,
    after,
    emit(companyId, webhookIds) {
      const event = `event: changed\ndata: ${JSON.stringify({ webhookIds })}\n\n`;
      for (const stream of byCompany.get(companyId) ?? []) stream.write(event);
    },
  });

  function release({ id, companyId }: StreamSession, stream: ResponseStream): void {
    const taken = (places.get(id) ?? 0) - 1;
    if (taken > 0) places.set(id, taken);
    else places.delete(id);
    const streams = byCompany.get(companyId);
    streams?.delete(stream);
    if (streams?.size === 0) byCompany.delete(companyId);
  }

  async function beat(session: StreamSession, stream: ResponseStream): Promise<void> {
    const isAlive = await deps.isAlive(session).catch((error: unknown) => {
      deps.logger.warn({ err: error, companyId: session.companyId }, 'change_stream.session_not_known');
      return false;
    });
    if (stream.over.aborted) return;
    if (isAlive) stream.write(':\n\n');
    else stream.end();
  }

  function keepAlive(session: StreamSession, stream: ResponseStream): void {
    const cancel = after(HEARTBEAT_SECONDS * 1_000, () => {
      stream.over.removeEventListener('abort', cancel);
      void beat(session, stream).then(() => {
        if (!stream.over.aborted) keepAlive(session, stream);
      });
    });
    stream.over.addEventListener('abort', cancel, ONCE);
  }

  return {
    /**
     * Reserves a stream slot of a session and returns the function that starts the stream. Fails with `rate_limited` if
     * the session is at its limit, and with `unavailable` if its company or this process is. On shutdown a new stream ends at once.
     * The slot is released when the stream is over, so the returned function must be called.
     */
    open(session: StreamSession) {
      const taken = places.get(session.id) ?? 0;
      if (taken >= STREAMS_PER_SESSION) {
        throw new ServiceError(
          'rate_limited',
          `a session can have at most ${STREAMS_PER_SESSION} streams of changes at once; close one`,
          { retryAfterSeconds: HEARTBEAT_SECONDS },
        );
      }
      const leave = gate.tryEnter(session.companyId);
      if (leave === undefined) {
        throw new ServiceError('unavailable', 'too many streams of changes are open; close one, or retry', {
          retryAfterSeconds: HEARTBEAT_SECONDS,
        });
      }
      places.set(session.id, taken + 1);

      return (stream: ResponseStream) => {
        const close = () => {
          leave();
          release(session, stream);
        };
        // An `EventSource` reconnects after an end, but not after a 503.
        if (isClosed) stream.end();
        if (stream.over.aborted) {
          close();
          return;
        }
        const streams = byCompany.get(session.companyId) ?? new Set();
        byCompany.set(session.companyId, streams.add(stream));
        stream.over.addEventListener(
          'abort',
          after(STREAM_MINUTES * 60_000, () => stream.end()),
          ONCE,
        );
        stream.over.addEventListener('abort', close, ONCE);
        stream.write(`retry: ${RETRY_MS}\n\n`);
        keepAlive(session, stream);
      };
    },
    /** Notifies the company's streams which webhooks to reload; none: any of them may have changed. */
    changed(companyId: string, webhookIds: readonly string[]) {
      if (byCompany.has(companyId)) throttle.note(companyId, webhookIds);
    },
    /** Notifies every stream that a change may have been missed. */
    lookAgain() {
      for (const companyId of byCompany.keys()) throttle.note(companyId, []);
    },
    /** Ends all streams, and every later one as it starts. */
    close() {
      isClosed = true;
      throttle.stop();
      for (const stream of [...byCompany.values()].flatMap((streams) => [...streams])) stream.end();
    },
  };
}

/**
 * Forwards job-state's live updates to the open streams. Makes every stream refresh if one may have been missed.
 */
export function startChangeListener(deps: {
  readonly connection: Pick<AmqpConnection, 'openChannel'>;
  readonly changeStreams: Pick<ChangeStreams, 'changed' | 'lookAgain'>;
  readonly logger: Logger;
}) {
  const { connection, changeStreams, logger } = deps;
  return startBroadcastConsumer({
    connection,
    exchange: WEBHOOK_CHANGES_BROADCAST,
    logger,
    handle(message) {
      if (message.type !== WebhooksChangedSchema.typeName) return;
      const first = fromBinary(WebhooksChangedSchema, message.body);
      for (const { companyId, subscriptionIds } of [first, ...first.others]) {
        if (companyId !== undefined) changeStreams.changed(companyId, subscriptionIds);
      }
    },
    onGap: () => changeStreams.lookAgain(),
  });
}
