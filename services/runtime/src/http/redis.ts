import { Redis } from 'ioredis';
import type { Logger } from '../logger.js';

/**
 * Connects to Redis such that nothing ever waits for it: a command fails at once without a connection and after 100 ms
 * without an answer, and is never sent twice, since counting twice is worse than not counting. Reconnects for ever, at
 * least every 2 seconds, also when the server has gone silent without closing the connection; a loss is logged once.
 */
export function createRedis(url: string, logger: Pick<Logger, 'warn' | 'info'>): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 100,
    connectTimeout: 2_000,
    socketTimeout: 3_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  });
  let isToldOf = false;
  redis.on('error', (error: Error) => {
    if (!isToldOf) logger.warn({ err: error }, 'redis.failed');
    isToldOf = true;
  });
  redis.on('ready', () => {
    isToldOf = false;
    logger.info({}, 'redis.ready');
  });
  return redis;
}
