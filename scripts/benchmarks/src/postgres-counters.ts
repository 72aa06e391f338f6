import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import type { Stack } from '@partner/local-stack/stack/start-stack';
import { z } from 'zod';
import { sleepsOf } from './process-usage.js';
import { type Counters, sum } from './usage-meter.js';

const counterRow = z.object({
  statements: z.coerce.number(),
  writes: z.coerce.number(),
  walBytes: z.coerce.number(),
  backends: z.array(z.int()),
});

/** Enables the counting of statements in the private Postgres of a stack. Restarts it. */
export async function enableStatementCounter(stack: Stack): Promise<void> {
  const { postgresUrl } = stack.description;
  const postgres = stack.process('postgres');
  await withPostgres(postgresUrl, (client) =>
    client.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`),
  );
  await postgres.stop();
  await postgres.start();
  await postgres.ready();
  for (const url of [postgresUrl, serverUrl(stack)])
    await withPostgres(url, (client) => client.query('create extension pg_stat_statements'));
  await stack.process('job-state').ready();
}

/**
 * Runs work that reads counters of Postgres. Its statistics views lag by up to 10 s; none of these do: statements in the stack's
 * database, `begin` and `commit` among them; transactions that wrote; bytes of WAL; and how often a backend of that database slept, once
 * for each round trip, and also for locks and flushes of the WAL. The last is 0 where the system does not report it.
 */
export async function withPostgresCounters<T>(
  stack: Stack,
  work: (read: () => Promise<Counters>) => Promise<T>,
): Promise<T> {
  const database = new URL(stack.description.postgresUrl).pathname.slice(1);
  // From another database, so that it does not count itself.
  return withPostgres(serverUrl(stack), (client) =>
    work(async () => {
      const { rows } = await client.query(
        `select
           (select coalesce(sum(calls), 0) from pg_stat_statements
            where dbid = (select oid from pg_database where datname = $1)) as statements,
           pg_snapshot_xmax(pg_current_snapshot())::text as writes,
           pg_current_wal_insert_lsn() - '0/0'::pg_lsn as "walBytes",
           array(select pid from pg_stat_activity where datname = $1 and backend_type = 'client backend') as backends`,
        [database],
      );
      const { backends, ...counters } = counterRow.parse(rows[0]);
      return { ...counters, waits: sum(backends.map((pid) => sleepsOf(pid) ?? 0)) };
    }),
  );
}

/** Returns the bytes of each table with its indexes and partitions. */
export async function readStorage({ description }: Stack): Promise<Counters> {
  return withPostgres(description.postgresUrl, async (client) => {
    const { rows } = await client.query<{ name: string; bytes: number }>(
      `select coalesce(pg_partition_root(oid), oid)::regclass::text as name, sum(pg_total_relation_size(oid))::float8 as bytes
       from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace group by 1`,
    );
    return Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes]));
  });
}

function serverUrl(stack: Stack): string {
  return Object.assign(new URL(stack.description.postgresUrl), { pathname: '/postgres' }).href;
}
