import type { Logger } from '@partner/kernel/telemetry/logger';
import { Socket } from 'node:net';
import pg from 'pg';
import type { PoolMetrics } from './pool-metrics.js';
import { breaksConnection, failureOf } from './server-failures.js';

/** A statement that the server prepares once per connection, under its name. The text of a name is constant. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
  /**
   * In a transaction, calls of the statement run as one: the values of each call are one element of each array, and each row
   * names its call in the column `call`, from 1. Such statements run in ascending order of names.
   *
   * `together`: all calls of one turn of the event loop, before the next other statement. `last`: all calls of the transaction,
   * right before the commit, so its work cannot wait for the rows. Absent: each call on its own.
   */
  readonly shared?: 'together' | 'last';
}

/** Runs one statement and returns its rows. Parameters are always bound, never part of the text. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(
    statement: string | PreparedStatement,
    values?: readonly unknown[],
  ): Promise<Row[]>;
}

const CONNECT_MS = 3_000;
/** Extra time for a response beyond the server's own limit before its connection counts as dead. */
const RESPONSE_GRACE_MS = 2_000;
/** Time without a response to a statement after which connections are not reused that have not responded since. */
const SILENT_MS = 3_000;
/** An idle connection is probed after this time, then every second; after ten lost probes it is dead. */
const KEEP_ALIVE_DELAY_MS = 5_000;
const SERVER_QUERY =
  'select pg_is_in_recovery() as is_standby, pg_postmaster_start_time()::text as started_at';

/** A connection while it is in use. */
export interface Connection {
  readonly client: pg.PoolClient;
  /** Why it must not be reused. */
  broken: Error | undefined;
}

interface StatementResult<Row> {
  readonly rows: Row[];
  readonly command: string;
}

export interface ConnectionPool {
  /** Runs work with a dedicated connection. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /**
   * Sends a statement at once, behind those that are still running on the connection, and returns its result.
   *
   * `serverMs`: the `statement_timeout` in effect; beyond it, and a grace, the connection counts as dead.
   */
  send<Row extends pg.QueryResultRow>(
    connection: Connection,
    statement: string | PreparedStatement,
    values: readonly unknown[],
    serverMs: number,
  ): Promise<StatementResult<Row>>;
  /** True while the last statement reached the server. */
  isReachable(): boolean;
  /** Waits for statements in flight and closes all connections. */
  end(): Promise<void>;
}

/**
 * Creates a pool. A connection that breaks, or is silent beyond its limits, is discarded, and those from before are not reused:
 * another server may have taken over without closing them. Once a new connection shows that, all to the former server end. A
 * standby is not used. Failures: {@link failureOf}.
 */
export function createConnectionPool(options: {
  readonly url: string;
  readonly poolSize: number;
  readonly logger: Pick<Logger, 'warn'>;
  /** Time limit of one statement in ms, by the server's clock. */
  readonly statementMs: number;
  /** Time limit of an idle transaction in ms; 0: none. */
  readonly idleInTransactionMs: number;
  readonly plainIndexScans: boolean;
  readonly measured: { readonly by: PoolMetrics; readonly pool: string } | undefined;
}): ConnectionPool {
  const { statementMs } = options;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: 60_000,
    statement_timeout: statementMs,
    query_timeout: statementMs + RESPONSE_GRACE_MS,
    application_name: 'job-state',
    pipeline: true,
    stream: createBatchingSocket,
    // The tables of the delivery queue fill and drain faster than their statistics follow.
    options: `-c idle_in_transaction_session_timeout=${options.idleInTransactionMs} -c jit=off -c enable_seqscan=off${options.plainIndexScans ? ' -c enable_bitmapscan=off -c plan_cache_mode=force_generic_plan' : ''}`,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    verify: (client, done) => void verify(client).then(() => done(), done),
  });
  const beginWait = options.measured?.by.add(options.measured.pool, pool);
  let reachable = false;
  /** When each connection was established and last responded, and the start of its server once that is verified. */
  const known = new Map<
    pg.PoolClient,
    { readonly establishedAt: number; respondedAt: number; serverStart?: string }
  >();
  /** When a connection to the newest server was last lost. */
  let lostAt = 0;
  /** When each statement without a response was sent, oldest first. */
  const pending = new Set<{ readonly sentAt: number }>();
  pool.on('connect', (client) => {
    const now = performance.now();
    known.set(client, { establishedAt: now, respondedAt: now });
    // While it is verified nothing else listens, and an error without a listener would end the process.
    client.on('error', () => undefined);
  });
  pool.on('remove', (client) => known.delete(client));
  /** When the server of the newest connection started. */
  let serverStart: string | undefined;
  pool.on('error', (error, client) => {
    reachable = false;
    if (known.get(client)?.serverStart === serverStart) lostAt = performance.now();
    options.logger.warn({ err: error }, 'database.connection_lost');
  });

  /** Throws for a standby, which takes no writes and may lag behind. Ends all connections to a former server. */
  async function verify(client: pg.PoolClient): Promise<void> {
    const query = { text: SERVER_QUERY, query_timeout: CONNECT_MS };
    const { rows } = await client.query<{ is_standby: boolean; started_at: string }>(query);
    const [server] = rows;
    if (server === undefined || server.is_standby) throw new Error('the server is a standby');
    if (serverStart !== undefined && serverStart !== server.started_at) {
      for (const [former, { serverStart: start }] of known) {
        if (start !== undefined && start !== server.started_at) former.connection.stream.destroy();
      }
    }
    serverStart = server.started_at;
    const verified = known.get(client);
    if (verified !== undefined) verified.serverStart = serverStart;
  }

  /** False for a connection from before a loss, and for one that has not responded since another one became silent. */
  function isTrusted(client: pg.PoolClient): boolean {
    const times = known.get(client);
    if (times === undefined || times.establishedAt <= lostAt) return false;
    const [oldest] = pending;
    const isSilent = oldest !== undefined && performance.now() - oldest.sentAt >= SILENT_MS;
    return !isSilent || times.respondedAt > oldest.sentAt;
  }

  async function connect(): Promise<pg.PoolClient> {
    const endWait = beginWait?.();
    try {
      for (;;) {
        const client = await pool.connect();
        if (isTrusted(client)) return client;
        // A server that is gone would not respond to the end of the session.
        client.connection.stream.destroy();
        client.release(true);
      }
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) && !isPoolExhausted(error)) reachable = false;
      throw failureOf(error);
    } finally {
      endWait?.();
    }
  }

  return {
    async use(work) {
      const client = await connect();
      const connection: Connection = { client, broken: undefined };
      const onError = (error: Error) => {
        connection.broken ??= error;
      };
      client.on('error', onError);
      try {
        return await work(connection);
      } finally {
        client.off('error', onError);
        client.release(connection.broken);
      }
    },
    async send<Row extends pg.QueryResultRow>(
      connection: Connection,
      statement: string | PreparedStatement,
      values: readonly unknown[],
      serverMs: number,
    ) {
      const query = {
        ...(typeof statement === 'string'
          ? { text: statement }
          : { name: statement.name, text: statement.text }),
        values: [...values],
        query_timeout: serverMs + RESPONSE_GRACE_MS,
      };
      const sent = { sentAt: performance.now() };
      pending.add(sent);
      try {
        const result = await connection.client.query<Row>(query);
        reachable = true;
        const times = known.get(connection.client);
        if (times !== undefined) times.respondedAt = performance.now();
        return result;
      } catch (error) {
        if (!(error instanceof pg.DatabaseError)) reachable = false;
        if (breaksConnection(error)) {
          discard(connection)(error);
          lostAt = performance.now();
        }
        throw failureOf(error);
      } finally {
        pending.delete(sent);
      }
    },
    isReachable: () => reachable,
    end: () => pool.end(),
  };
}

/** Ends the use of a connection whose state is unknown since a statement failed. */
export function discard(connection: Connection): (error: unknown) => void {
  return (error) => {
    connection.broken ??= error instanceof Error ? error : new Error('the statement failed');
  };
}

type Written = (error?: Error | null) => void;

/** A socket that sends all writes of one turn of the event loop together, so that a batch of statements is one packet. */
function createBatchingSocket(): Socket {
  const socket = new Socket();
  const write = socket.write.bind(socket);
  let isHeld = false;
  // `connect` of Node's sockets restores the method, so it is replaced afterwards.
  socket.once('connect', () => {
    socket.write = (data: Uint8Array | string, encodingOrDone?: BufferEncoding | Written, done?: Written) => {
      if (!isHeld) {
        isHeld = true;
        socket.cork();
        process.nextTick(() => {
          isHeld = false;
          socket.uncork();
        });
      }
      return typeof encodingOrDone === 'function'
        ? write(data, encodingOrDone)
        : write(data, encodingOrDone, done);
    };
  });
  return socket;
}

/** The pool has no separate error type for a timeout while waiting for a connection. */
function isPoolExhausted(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect';
}
