import { failureText, hostsOf, type WaitFor } from '@partner/kernel/wait-for';
import pg from 'pg';
import type { Queryable } from '../database/database.js';
import { connectionFailure } from '../database/migrations/require-schema.js';

/**
 * Maximum wait for a lock, in ms. It is shorter than the server's `deadlock_timeout` of 1 s, so that a deadlock with a writer of the service
 * ends this side.
 */
const LOCK_TIMEOUT_MS = 900;
const CONNECT_MS = 10_000;

/** A connection to each of the two databases of a move. */
export interface MoveConnections {
  readonly source: pg.Client;
  readonly target: pg.Client;
}

/** The URLs of the two databases of a move, as the owner of the tables. */
export interface MoveUrls {
  readonly sourceUrl: string;
  readonly targetUrl: string;
}

/** Waits until both databases accept a session. */
export async function waitForDatabases({ sourceUrl, targetUrl }: MoveUrls, waitFor: WaitFor): Promise<void> {
  for (const [name, url] of [
    ['source', sourceUrl],
    ['target', targetUrl],
  ] as const) {
    await waitFor(`Postgres of the ${name} at ${hostsOf(url)}`, async () => {
      const client = newClient(url);
      try {
        await client.connect();
      } catch (error) {
        throw connectionFailure(error);
      } finally {
        await client.end().catch(() => undefined);
      }
    });
  }
}

/** Runs work with new connections, which it closes at the end. Open transactions are rolled back. */
export async function withConnections<T>(
  { sourceUrl, targetUrl }: MoveUrls,
  work: (connections: MoveConnections) => Promise<T>,
): Promise<T> {
  const [source, target] = [newClient(sourceUrl), newClient(targetUrl)];
  try {
    await connect(source, 'the source');
    await connect(target, 'the target');
    return await work({ source, target });
  } finally {
    await Promise.all([source.end(), target.end()].map((ended) => ended.catch(() => undefined)));
  }
}

function newClient(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'move-companies',
  });
  // A lost connection fails its statements.
  client.on('error', () => undefined);
  return client;
}

/** Both sessions write values as the same text, and no limit of the role ends a long copy. */
async function connect(client: pg.Client, name: string): Promise<void> {
  try {
    await client.connect();
  } catch (error) {
    throw new Error(`cannot connect to ${name}: ${failureText(error)}`, { cause: error });
  }
  await client.query(
    `set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set bytea_output = 'hex';
     set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = ${LOCK_TIMEOUT_MS}`,
  );
}

/** Runs statements of the service's modules on a connection. */
export function queryableOf(client: pg.Client): Queryable {
  return {
    async query<Row extends pg.QueryResultRow>(
      statement: Parameters<Queryable['query']>[0],
      values: readonly unknown[] = [],
    ) {
      const text = typeof statement === 'string' ? statement : statement.text;
      return (await client.query<Row>(text, [...values])).rows;
    },
  };
}
