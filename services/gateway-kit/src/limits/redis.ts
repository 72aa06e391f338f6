import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import type { Logger } from '@partner/kernel/telemetry/logger';

export type RedisClient = Redis | Cluster;

/** Time between two queries of which node has which keys. */
const SLOTS_REFRESH_MS = 2_000;

/**
 * Creates a Redis client that fails fast. A command fails at once without a connection, and after `replyTimeoutMs`
 * without a reply. It is never sent twice, because counting twice is worse than not counting. A reply that arrived
 * while this process was blocked is in time. The client reconnects without a limit of attempts, at least every 2 seconds, also if the
 * server goes silent without closing the connection, or has become a replica. A loss is logged once.
 */
export function createRedis(
  url: string,
  logger: Pick<Logger, 'warn' | 'info'>,
  { replyTimeoutMs }: { readonly replyTimeoutMs: number },
): RedisClient {
  const redis = connectTo(url);
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

const retryStrategy = (attempt: number) => Math.min(attempt * 100, 2_000);

const CONNECTION = {
  autoResendUnfulfilledCommands: false,
  // The users of the services may not send CLIENT.
  disableClientInfo: true,
  maxRetriesPerRequest: 0,
  connectTimeout: 2_000,
  socketTimeout: 3_000,
  reconnectOnError: (error) => error.message.startsWith('READONLY'),
} satisfies RedisOptions;

const CLUSTER = {
  enableOfflineQueue: false,
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  slotsRefreshInterval: SLOTS_REFRESH_MS,
  clusterRetryStrategy: retryStrategy,
  clusterNodeRetryStrategy: retryStrategy,
} satisfies ClusterOptions;

function connectTo(redisUrl: string): RedisClient {
  const single = { ...CONNECTION, enableOfflineQueue: false, retryStrategy };
  const [, tls, kind] = /^redis(s?)-(sentinel|cluster):/.exec(redisUrl) ?? [];
  if (kind === undefined) return new Redis(redisUrl, single);
  const urls = redisUrl.split(',').map((url) => new URL(url));
  const nodes = urls.map(({ hostname, port }) => ({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (kind === 'cluster' ? 6_379 : 26_379)),
  }));
  const { username = '', password = '', pathname = '', searchParams } = urls[0] ?? {};
  const account = {
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(tls === 's' && { tls: {} }),
  };
  if (kind === 'cluster') {
    return new Cluster(nodes, { ...CLUSTER, redisOptions: { ...CONNECTION, ...account } });
  }
  const sentinelPassword = searchParams?.get('sentinelPassword') ?? '';
  // Without `failoverDetector`: a fail-over that it notices while the client asks a Sentinel ends the client for ever.
  return new Redis({
    ...single,
    ...account,
    db: Number(pathname.slice(1)),
    sentinels: nodes,
    name: searchParams?.get('group') ?? 'mymaster',
    ...(sentinelPassword !== '' && { sentinelPassword }),
    sentinelRetryStrategy: retryStrategy,
    sentinelCommandTimeout: 2_000,
    ...(tls === 's' && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
  });
}

/** Replaces the client's own time limit, which fails a command whose reply has arrived but was not read yet. */
function limitCommandTime(redis: RedisClient, replyTimeoutMs: number): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (...args: Parameters<Cluster['sendCommand']>) => {
    const [command] = args;
    const fail = () => command.reject(new Error(`Redis sent no response in ${replyTimeoutMs} ms`));
    // Between a timer and an immediate, the event loop reads what has arrived.
    const timer = setTimeout(() => setImmediate(fail), replyTimeoutMs);
    const settle = () => clearTimeout(timer);
    command.promise.then(settle, settle);
    return send(...args);
  };
}
