import { Redis } from 'ioredis';
import type { Logger } from '@partner/kernel/logger';

/**
 * Creates a Redis client that fails fast. A command fails at once without a connection, and after `replyTimeoutMs`
 * without a reply. It is never sent twice, because counting twice is worse than not counting. A reply that arrived
 * while this process was blocked is in time. The client reconnects without a limit of attempts, at least every 2 seconds, also if the
 * server goes silent without closing the connection. A loss is logged once.
 */
export function createRedis(
  url: string,
  logger: Pick<Logger, 'warn' | 'info'>,
  { replyTimeoutMs }: { readonly replyTimeoutMs: number },
): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // The services' Redis users may not send CLIENT.
    disableClientInfo: true,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    socketTimeout: 3_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  });
  limitCommandTime(redis, replyTimeoutMs);
  let isLogged = false;
  redis.on('error', (error: Error) => {
    if (!isLogged) logger.warn({ err: error }, 'redis.failed');
    isLogged = true;
  });
  redis.on('ready', () => {
    isLogged = false;
    logger.info({}, 'redis.ready');
  });
  return redis;
}

/** Replaces the client's own time limit, which fails a command whose reply has arrived but was not read yet. */
function limitCommandTime(redis: Redis, replyTimeoutMs: number): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    const fail = () => command.reject(new Error(`Redis sent no response in ${replyTimeoutMs} ms`));
    // Between a timer and an immediate, the event loop reads what has arrived.
    const timer = setTimeout(() => setImmediate(fail), replyTimeoutMs);
    const settle = () => clearTimeout(timer);
    command.promise.then(settle, settle);
    return send(command, stream);
  };
}
