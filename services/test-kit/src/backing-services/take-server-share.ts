import { withPostgres } from './postgres.js';
import { withRedis } from './redis.js';
import { testAmqpUrl, testPostgresUrl, testRedisUrl } from './server-urls.js';

/** Maximum shares of one test run: the servers have as many vhosts and Redis databases. */
const SHARES = 60;

/** Vhosts of the test broker in addition to the default one. */
export const SHARE_VHOSTS: readonly string[] = Array.from({ length: SHARES }, (_, index) =>
  shareName(index + 1),
);

/** Number of databases of the test Redis: 0, and one for each share. */
export const SHARE_REDIS_DATABASES = SHARES + 1;

export type ServerShare = Awaited<ReturnType<typeof takeServerShare>>;

/**
 * Takes a Postgres database, a vhost and a Redis database on the servers that `scripts/test` has started. They are exclusive in this
 * run. Throws if all are taken.
 */
export async function takeServerShare() {
  const number = await withRedis(testRedisUrl(), (client) => client.incr('shares-taken'));
  if (number > SHARES) throw new Error(`more than ${SHARES} stacks on the servers of one test run`);
  const name = shareName(number);
  await withPostgres(testPostgresUrl(), (client) => client.query(`create database ${name}`));
  return {
    postgresUrl: withPath(testPostgresUrl(), name),
    amqpUrl: withPath(testAmqpUrl(), name),
    redisUrl: withPath(testRedisUrl(), String(number)),
    /** Drops the Postgres database. The vhost and the Redis database are not reused in this run. */
    async release() {
      await withPostgres(testPostgresUrl(), (client) =>
        client.query(`drop database if exists ${name} with (force)`),
      );
    },
  };
}

function shareName(number: number): string {
  return `share_${number}`;
}

function withPath(url: string, path: string): string {
  const changed = new URL(url);
  changed.pathname = `/${path}`;
  return changed.href;
}
