import { once } from 'node:events';
import { createRedis } from '@partner/gateway-kit/redis';
import type { Logger } from '@partner/kernel/logger';
import type { Redis } from 'ioredis';
import { Gauge, type Registry } from 'prom-client';

/** Without an answer there is no session and so a 503: worth more patience than a count. */
const ANSWER_TIMEOUT_MS = 1_000;
/** Longer than Redis may take to be reached. */
const FIRST_TRY_MS = 5_000;

/**
 * Connects to the Redis that keeps the sessions; shows in `partner_console_session_redis_up` whether it can be asked. No
 * replica is unready without it: all would be at once, and with them the pages and the API reference, which need no session.
 */
export function createSessionRedis(options: {
  readonly url: string;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly metrics: Registry;
}): Redis {
  const redis = createRedis(options.url, options.logger, { answerTimeoutMs: ANSWER_TIMEOUT_MS });
  new Gauge({
    name: 'partner_console_session_redis_up',
    help: '1 while this replica reaches the Redis that keeps the sessions; without it who is signed in gets 503',
    registers: [options.metrics],
    // Asked, since a Redis that hangs keeps its connection.
    async collect() {
      this.set(
        await redis.ping().then(
          () => 1,
          () => 0,
        ),
      );
    },
  });
  return redis;
}

/**
 * Resolves once Redis can be asked, or a try to reach it has failed: a replica that has just started refuses nobody for a
 * connection that is nearly there.
 */
export async function untilTried(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return;
  try {
    await once(redis, 'ready', { signal: AbortSignal.timeout(FIRST_TRY_MS) });
  } catch {
    // It goes on trying; until then there are no sessions.
  }
}
