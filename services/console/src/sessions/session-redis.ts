import { once } from 'node:events';
import { createRedis, type RedisClient } from '@partner/gateway-kit/redis';
import type { Logger } from '@partner/kernel/logger';
import { Gauge, type Registry } from 'prom-client';

/** Longer than for a rate limit: without a reply there is no session, and the response is 503. */
const REPLY_TIMEOUT_MS = 1_000;
/** Longer than the connection timeout of Redis. */
const FIRST_TRY_MS = 5_000;

/**
 * Connects to the Redis that stores the sessions. The metric `partner_console_session_redis_up` shows whether it
 * replies. Readiness does not depend on it. Otherwise all replicas would be unready at once, and with them the pages
 * and the API reference, which need no session.
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
    help: '1 while this replica reaches the Redis that keeps the sessions; without it who is signed in gets 503',
    registers: [options.metrics],
    // A command, because a hung Redis keeps its connection open. Its key leads to the node with the sessions.
    async collect() {
      this.set(
        await redis.exists(`${options.keyPrefix}{sessions}:probe`).then(
          () => 1,
          () => 0,
        ),
      );
    },
  });
  return redis;
}

/**
 * Resolves once Redis replies, or after the first failed connection attempt, so that a new replica refuses no request
 * while its connection is being opened.
 */
export async function untilTried(redis: RedisClient): Promise<void> {
  if (redis.status === 'ready') return;
  try {
    await once(redis, 'ready', { signal: AbortSignal.timeout(FIRST_TRY_MS) });
  } catch {
    // The client keeps reconnecting; until then there are no sessions.
  }
}
