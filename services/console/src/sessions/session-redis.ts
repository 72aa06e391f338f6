import { createRedis, type RedisClient } from '@partner/gateway-kit/limits/redis';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { Gauge, type Registry } from 'prom-client';
import type { SessionSigner } from './session-signer.js';

/** What everything that the console stores in Redis needs. */
export interface StoreDeps {
  readonly redis: Pick<RedisClient, 'eval' | 'hmget' | 'zrem'>;
  readonly signer: SessionSigner;
  readonly keyPrefix: string;
  readonly clock: () => Date;
}

/** Longer than for a rate limit: without a reply there is no session, and the response is 503. */
const REPLY_TIMEOUT_MS = 1_000;

/**
 * Connects to the Redis that stores the sessions. The metric `partner_console_session_redis_up` shows whether it
 * replies. A start waits for it with {@link requireSessions}. A later loss does not change the readiness. Otherwise all replicas would be
 * unready at once, and with them the pages and the API reference, which need no session.
 */
export function createSessionRedis(options: {
  readonly url: string;
  readonly keyPrefix: string;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly metrics: Registry;
}): RedisClient {
  const redis = createRedis(options.url, options.logger, { replyTimeoutMs: REPLY_TIMEOUT_MS });
  new Gauge({
    name: 'partner_console_session_redis_up',
    help: '1 while this replica reaches the Redis that keeps the sessions; while it does not, signed-in owners get 503',
    registers: [options.metrics],
    async collect() {
      this.set(
        await requireSessions(redis, options.keyPrefix).then(
          () => 1,
          () => 0,
        ),
      );
    },
  });
  return redis;
}

/** Resolves if the Redis that stores the sessions replies. For `waitFor`. */
export async function requireSessions(redis: RedisClient, keyPrefix: string): Promise<void> {
  if (redis.status !== 'ready') throw new Error('there is no connection; redis.failed says why');
  // A command, because a hung Redis keeps its connection open. Its key leads to the node with the sessions.
  await redis.exists(`${keyPrefix}{sessions}:probe`);
}

/** Waits for a reply of Redis. An error or a timeout becomes `unavailable`: no session can be verified without Redis. */
export async function awaitRedis<T>(reply: Promise<T>): Promise<T> {
  try {
    return await reply;
  } catch (cause) {
    throw new ServiceError('unavailable', 'sessions cannot be read at the moment; retry', {
      retryAfterSeconds: 1,
      cause,
    });
  }
}
