import { Redis } from 'ioredis';
import type { Logger } from '@partner/kernel/logger';

/**
 * Connects to Redis such that nothing waits for it for long: a command fails at once without a connection and after
 * `answerTimeoutMs` without an answer, and is never sent twice, since counting twice is worse than not counting. An answer that came in while
 * this process stood still is in time. Reconnects for ever, at least every 2 seconds, also when the server has gone silent
 * without closing the connection; a loss is logged once.
 */
export function createRedis(
  url: string,
  logger: Pick<Logger, 'warn' | 'info'>,
  { answerTimeoutMs }: { readonly answerTimeoutMs: number },
): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    socketTimeout: 3_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  });
  limitCommandTime(redis, answerTimeoutMs);
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

/** In place of the client's own time limit, which fails a command whose answer has arrived but was not read yet. */
function limitCommandTime(redis: Redis, answerTimeoutMs: number): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    const fail = () => command.reject(new Error(`Redis gave no answer in ${answerTimeoutMs} ms`));
    // Between a timer and an immediate the event loop reads what has arrived.
    const timer = setTimeout(() => setImmediate(fail), answerTimeoutMs);
    const settle = () => clearTimeout(timer);
    command.promise.then(settle, settle);
    return send(command, stream);
  };
}
