import type { Logger } from '@partner/kernel/telemetry/logger';
import { createShareGate } from '@partner/kernel/process/share-gate';
import { withChildSpan } from '@partner/kernel/telemetry/tracing';
import type pg from 'pg';
import type { AfterCommit } from './after-commit.js';
import {
  type Connection,
  createConnectionPool,
  type PreparedStatement,
  type Queryable,
} from './connection-pool.js';
import type { PoolMetrics } from './pool-metrics.js';
import { createSharedTransactions } from './shared-transactions.js';
import { limitSession, statementLimit, timeLeft } from './statement-limits.js';
import { runTransaction, type Transaction } from './transaction.js';

export type { Queryable } from './connection-pool.js';
export type { Transaction } from './transaction.js';

export interface CallerLimits {
  /**
   * The caller's company.
   *
   * Its statements and transactions use at most half of the pool at once and queue in order, so that slow ones, or locks, of one
   * company cannot block the others.
   */
  readonly companyId?: string | undefined;
  /**
   * Time until the caller's deadline in ms, including the wait for a connection.
   *
   * After it no statement starts, not even the commit, and a running one is cancelled: the call fails with `unavailable`. A
   * statement outside of a transaction has at least 1 s once it runs.
   */
  readonly timeoutMs?: number | undefined;
}

export interface TransactionLimits extends CallerLimits {
  /**
   * Names of what the work changes, of a company's work that may share its transaction.
   *
   * Work that arrives while other such work of the company runs shares the next transaction, if no name is in both. It must be
   * ready to run twice, and lock in the order of these names.
   */
  readonly sharedBy?: readonly string[];
  /**
   * Maximum wait of one statement for a lock, in ms, before it fails with `LockTimeoutError`.
   *
   * It is shorter if the caller's deadline is earlier.
   */
  readonly lockTimeoutMs?: number;
  /**
   * Plans each prepared statement once for all values, not each time for these: for work that finds all its rows by keys.
   *
   * Postgres would plan a shared statement for ever, since it expects more than one call.
   */
  readonly plansOnce?: boolean;
}

export interface Database extends Queryable, Pick<AfterCommit, 'hooks'> {
  /** Runs one statement on its own. */
  query<Row extends pg.QueryResultRow>(
    statement: string | PreparedStatement,
    values?: readonly unknown[],
    limits?: CallerLimits,
  ): Promise<Row[]>;
  /** Runs work in one transaction (read committed) and returns its result after the commit. */
  transaction<T>(work: (tx: Transaction) => Promise<T> | T, limits?: TransactionLimits): Promise<T>;
  /**
   * True while the last statement reached the server. Load, such as a timeout while waiting for a connection, does not count.
   */
  isReady(): boolean;
  /** Waits for statements in flight and closes all connections. */
  end(): Promise<void>;
}

const STATEMENT_MS = 10_000;
const IDLE_IN_TRANSACTION_MS = 15_000;
/** Statements and transactions of companies that may wait, for each connection. */
const QUEUE_PER_CONNECTION = 40;
/** Least `statement_timeout` of a session: it also bounds the statement that changes it. */
const LEAST_SESSION_LIMIT_MS = 1_000;

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly logger: Pick<Logger, 'warn'>;
  /** Time limit of one statement, in ms; absent: 10,000. */
  readonly statementMs?: number;
  /** Time limit of an idle transaction, in ms; 0: none. Absent: 15,000. */
  readonly idleInTransactionMs?: number;
  /**
   * For tables that fill and drain faster than their statistics follow.
   *
   * Statements read through plain index scans only, so that each read also removes the index entries of deleted rows. Prepared
   * statements are planned once.
   */
  readonly plainIndexScans?: boolean;
  /** Identifies the database for those that listen to its commits: the pools of one process share it. Absent: its own. */
  readonly hooks?: object;
  /** Metrics of the connections and the name of the pool in them. */
  readonly measured?: { readonly by: PoolMetrics; readonly pool: string };
}

/**
 * Creates a pool of connections.
 *
 * Statements are cancelled after 10 s, unless `statementMs` is set. Idle transactions end after 15 s, unless `idleInTransactionMs` is set, so that a stuck process cannot hold a lock for long. A
 * connection that breaks, or is silent for 2 s beyond the server's own limit, is discarded with all earlier ones; the next
 * statement replaces it. After 3 s without a response to one statement, others use connections that have responded since.
 *
 * If the server is unreachable, shuts down, takes too long, is read only or lacks disk space, a statement fails with
 * `unavailable`; the outcome of a commit is then unknown. A lock timeout, a deadlock, and a row that has moved to another partition
 * meanwhile fail with `LockTimeoutError`. Text that Postgres cannot store fails with `invalid_argument`. Any other server error is
 * thrown unchanged: it is a bug of this service.
 */
export function createDatabase(options: DatabaseOptions): Database {
  const { plainIndexScans = false, hooks = {}, measured } = options;
  const { statementMs = STATEMENT_MS, idleInTransactionMs = IDLE_IN_TRANSACTION_MS } = options;
  const pool = createConnectionPool({
    ...options,
    ...{ statementMs, idleInTransactionMs, plainIndexScans, measured },
  });
  const gate = createShareGate({
    slots: options.poolSize,
    queue: QUEUE_PER_CONNECTION * options.poolSize,
    work: 'requests of this company',
  });

  /** Runs work with a connection, for a company with one of its share. */
  function useConnection<T>(
    companyId: string | undefined,
    leftMs: () => number,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const use = () => pool.use(work);
    return companyId === undefined ? use() : gate.run(companyId, { timeoutMs: leftMs() }, use);
  }

  async function transaction<T>(
    work: (tx: Transaction) => Promise<T> | T,
    limits: TransactionLimits = {},
  ): Promise<T> {
    const leftMs = timeLeft(limits.timeoutMs);
    const { companyId, sharedBy, lockTimeoutMs, plansOnce = false } = limits;
    if (companyId !== undefined && sharedBy !== undefined) {
      return shareTransaction(companyId, sharedBy, work, {
        leftMs,
        lockTimeoutMs: lockTimeoutMs ?? Number.POSITIVE_INFINITY,
      });
    }
    const { result, afterCommit } = await withChildSpan(
      { name: 'transaction', kind: 'CLIENT', attributes: { 'db.system.name': 'postgresql' } },
      () =>
        useConnection(companyId, leftMs, (connection) =>
          runTransaction(pool, connection, work, { hooks, statementMs, leftMs, lockTimeoutMs, plansOnce }),
        ),
    );
    for (const then of afterCommit) then();
    return result;
  }

  const shareTransaction = createSharedTransactions({
    queue: (QUEUE_PER_CONNECTION * options.poolSize) / 4,
    transaction: <T>(work: (tx: Transaction) => Promise<T> | T, limits: TransactionLimits) =>
      transaction(work, { ...limits, plansOnce: true }),
  });

  return {
    query<Row extends pg.QueryResultRow>(
      statement: string | PreparedStatement,
      values: readonly unknown[] = [],
      limits: CallerLimits = {},
    ) {
      const leftMs = timeLeft(limits.timeoutMs);
      return useConnection(limits.companyId, leftMs, async (connection) => {
        const leastMs = Math.min(LEAST_SESSION_LIMIT_MS, statementMs);
        const limitMs = Math.max(leastMs, statementLimit(leftMs(), statementMs));
        const limited = limitSession(pool, connection, limitMs, statementMs);
        const [result] = await Promise.all([pool.send<Row>(connection, statement, values, limitMs), limited]);
        return result.rows;
      });
    },
    transaction,
    hooks,
    isReady: pool.isReachable,
    end: pool.end,
  };
}

/** Runs statements of a database within one caller's limits. They share its deadline. */
export function queryWithin(database: Pick<Database, 'query'>, limits: CallerLimits): Queryable {
  const leftMs = timeLeft(limits.timeoutMs);
  return {
    query: (statement, values) => database.query(statement, values, { ...limits, timeoutMs: leftMs() }),
  };
}
