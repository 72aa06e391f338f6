import type { Logger } from '@partner/kernel/logger';
import { Socket } from 'node:net';
import pg from 'pg';
import type { PoolMetrics } from './pool-metrics.js';
import { breaksConnection, failureOf } from './server-failures.js';

/** A statement that the server prepares once per connection, under its name. The text of a name is constant. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

/** The text of a statement, prepared or not. */
export function textOf(statement: string | PreparedStatement): string {
  return typeof statement === 'string' ? statement : statement.text;
}

/** Database timeouts, in milliseconds. */
export interface DatabaseTimeouts {
  /** For a connection. */
  readonly connectMs: number;
  /** For one statement, by the server's clock. */
  readonly statementMs: number;
  /** Extra time for a response beyond the server's own limit before its connection counts as dead. */
  readonly answerGraceMs: number;
}

/** A connection while it is in use. */
export interface Connection {
  readonly client: pg.PoolClient;
  /** Why it must not be reused. */
  broken: Error | undefined;
}

/** The rows of a statement and the command that the server ran. */
export interface StatementResult<Row> {
  readonly rows: Row[];
  readonly command: string;
}

/** Connections to one server. */
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

/** Creates a pool. A connection that breaks, or is silent beyond its limits, is discarded. Failures: {@link failureOf}. */
export function createConnectionPool(options: {
  readonly url: string;
  readonly poolSize: number;
  readonly logger: Pick<Logger, 'warn'>;
  readonly timeouts: DatabaseTimeouts;
  readonly plainIndexScans: boolean;
  readonly measured: { readonly by: PoolMetrics; readonly pool: string } | undefined;
}): ConnectionPool {
  const { timeouts } = options;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: timeouts.connectMs,
    idleTimeoutMillis: 60_000,
    statement_timeout: timeouts.statementMs,
    query_timeout: timeouts.statementMs + timeouts.answerGraceMs,
    idle_in_transaction_session_timeout: 15_000,
    application_name: 'job-state',
    pipeline: true,
    stream: createBatchingSocket,
    // The tables of the delivery queue fill and drain faster than their statistics follow.
    options: `-c jit=off -c enable_seqscan=off${options.plainIndexScans ? ' -c enable_bitmapscan=off -c plan_cache_mode=force_generic_plan' : ''}`,
    keepAlive: true,
  });
  const beginWait = options.measured?.by.add(options.measured.pool, pool);
  let reachable = false;
  pool.on('error', (error) => {
    reachable = false;
    options.logger.warn({ err: error }, 'database.connection_lost');
  });

  async function connect(): Promise<pg.PoolClient> {
    const endWait = beginWait?.();
    try {
      return await pool.connect();
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
        ...(typeof statement === 'string' ? { text: statement } : statement),
        values: [...values],
        query_timeout: serverMs + timeouts.answerGraceMs,
      };
      try {
        const result = await connection.client.query<Row>(query);
        reachable = true;
        return result;
      } catch (error) {
        if (!(error instanceof pg.DatabaseError)) reachable = false;
        if (breaksConnection(error)) {
          connection.broken ??= error instanceof Error ? error : new Error('the statement failed');
        }
        throw failureOf(error);
      }
    },
    isReachable: () => reachable,
    end: () => pool.end(),
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
