import type { Logger } from '@partner/kernel/telemetry/logger';
import { createShareGate } from '@partner/kernel/process/share-gate';
import { withChildSpan } from '@partner/kernel/telemetry/tracing';
import type pg from 'pg';
import { type AfterCommit, type CommitListeners, createCommitListeners } from './after-commit.js';
import { collectCalls } from './collect-calls.js';
import { type Connection, createConnectionPool, type PreparedStatement } from './connection-pool.js';
import type { PoolMetrics } from './pool-metrics.js';
import { CommitUnknownError, isAfterFailure, UnavailableError } from './server-failures.js';
import { createSharedTransactions } from './shared-transactions.js';

/** Runs one statement and returns its rows. Parameters are always bound, never part of the text. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(
    statement: string | PreparedStatement,
    values?: readonly unknown[],
  ): Promise<Row[]>;
}

/**
 * An open transaction. It is rolled back if its work throws.
 *
 * A statement is sent at once, also while others still run: the server runs them in order. Statements sent without waiting in
 * between share one round trip. If a statement fails, those behind it fail with the first one's error, and nothing is committed.
 * So nothing needs to wait for a write: `void tx.query(…)` is enough. After the end a statement is refused. A handler attached at once to a statement's promise runs before the hooks that follow the commit.
 */
export interface Transaction extends Queryable, AfterCommit {
  /**
   * Runs a statement over arrays, which all of its calls in one turn of the event loop share: the values of each call are one
   * element of each array. Its rows name their call in the column `call`, from 1.
   *
   * It is sent before the next other statement.
   */
  queryTogether<Row extends pg.QueryResultRow>(
    statement: PreparedStatement,
    values: readonly unknown[],
  ): Promise<Row[]>;
  /**
   * Runs a statement as {@link queryTogether} does, but right before the commit.
   *
   * The work cannot wait for its rows. Statements run in ascending order of names.
   */
  queryLast<Row extends pg.QueryResultRow>(
    statement: PreparedStatement,
    values: readonly unknown[],
  ): Promise<Row[]>;
}

/** Limits that the caller of a statement or a transaction sets. */
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

/** Bounds of one transaction. */
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
}

/** The service's connections to Postgres. */
export interface Database extends Queryable, Omit<CommitListeners, 'collect'> {
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
/** Limits of statements are rounded down to this step, so that they rarely change. */
const LIMIT_STEP_MS = 250;
/** Least `statement_timeout` of a session: it also bounds the statement that changes it. */
const LEAST_SESSION_LIMIT_MS = 1_000;
/** `statement_timeout` of a session before `begin`: if `begin` alone were cancelled, the statements behind it would commit. */
const UNLIMITED_MS = 0;
/** A lock timeout ends this much before the caller's deadline, so that the failure still reaches the caller. */
const LOCK_MARGIN_MS = 200;

/** Settings of a database. */
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
 * `unavailable`; the outcome of a commit is then unknown. A lock timeout fails with `LockTimeoutError`. Text that Postgres
 * cannot store fails with `invalid_argument`. Any other server error is thrown unchanged: it is a bug of this service.
 */
export function createDatabase(options: DatabaseOptions): Database {
  const { plainIndexScans = false, measured } = options;
  const { statementMs = STATEMENT_MS, idleInTransactionMs = IDLE_IN_TRANSACTION_MS } = options;
  const pool = createConnectionPool({
    ...options,
    ...{ statementMs, idleInTransactionMs, plainIndexScans, measured },
  });
  const listeners = createCommitListeners();
  const gate = createShareGate({
    slots: options.poolSize,
    queue: QUEUE_PER_CONNECTION * options.poolSize,
    work: 'requests of this company',
  });
  /** Each connection's `statement_timeout` outside of transactions, if it differs from the pool's. */
  const sessionTimeouts = new WeakMap<pg.PoolClient, number>();
  const leastSessionLimitMs = Math.min(LEAST_SESSION_LIMIT_MS, statementMs);

  /** `statement_timeout` for a caller's deadline. Throws after the deadline. */
  function statementLimit(leftMs: number): number {
    if (leftMs <= 0) throw new UnavailableError(new Error('the caller waits no longer'));
    const limitMs = Math.max(1, Math.trunc(Math.min(leftMs, statementMs)));
    return limitMs < LIMIT_STEP_MS ? limitMs : limitMs - (limitMs % LIMIT_STEP_MS);
  }

  /** Sets a connection's `statement_timeout` outside of transactions if it differs. A connection that refuses is not used again. */
  async function limitSession(connection: Connection, limitMs: number): Promise<void> {
    const { client } = connection;
    const formerMs = sessionTimeouts.get(client) ?? statementMs;
    if (limitMs === formerMs) return;
    sessionTimeouts.set(client, limitMs);
    const boundMs = formerMs === UNLIMITED_MS ? statementMs : formerMs;
    await pool.send(connection, `set statement_timeout = ${limitMs}`, [], boundMs).catch(discard(connection));
  }

  async function transact<T>(
    connection: Connection,
    work: (tx: Transaction) => Promise<T> | T,
    leftMs: () => number,
    lockTimeoutMs: number | undefined,
  ): Promise<{ readonly result: T; readonly afterCommit: () => void }> {
    const { run: afterCommit, ...hooks } = listeners.collect();
    let limitMs = statementLimit(leftMs());
    const results: Promise<unknown>[] = [];
    let failure: unknown;
    /** Why no statement can follow: the commit is sent, or the transaction is rolled back. */
    let ended: { readonly cause: unknown } | undefined;

    function issue<Row extends pg.QueryResultRow>(
      statement: string | PreparedStatement,
      values: readonly unknown[] = [],
    ) {
      const result = pool.send<Row>(connection, statement, values, limitMs).catch((error: unknown) => {
        failure ??= error;
        throw isAfterFailure(error) ? failure : error;
      });
      return track(result);
    }

    function track<R>(result: Promise<R>): Promise<R> {
      result.catch(() => undefined);
      if (ended === undefined) results.push(result);
      return result;
    }

    /** Throws after the end: a later statement would run outside of the transaction, or inside the connection's next one. */
    function refuseAfterEnd(): void {
      if (ended !== undefined) throw ended.cause;
      if (connection.broken !== undefined) throw new UnavailableError(connection.broken);
    }

    /** Sends a statement while the caller still waits and the transaction is open. */
    function issueInTime<Row extends pg.QueryResultRow>(
      statement: string | PreparedStatement,
      values?: readonly unknown[],
    ) {
      refuseAfterEnd();
      const nowMs = statementLimit(leftMs());
      if (limitMs > leftMs()) {
        limitMs = nowMs;
        void issue(limitStatements(limitMs, lockTimeoutMs));
      }
      return issue<Row>(statement, values);
    }

    const execute = (statement: PreparedStatement, values: readonly unknown[]) =>
      track((async () => (await issueInTime(statement, values)).rows)());
    const together = collectCalls(execute);
    const last = collectCalls(execute);

    try {
      void limitSession(connection, UNLIMITED_MS);
      issue(`begin; ${limitStatements(limitMs, lockTimeoutMs)}`).catch(discard(connection));
      const result = await work({
        ...hooks,
        query<Row extends pg.QueryResultRow>(
          statement: string | PreparedStatement,
          values?: readonly unknown[],
        ) {
          together.run();
          return track(issueInTime<Row>(statement, values).then(({ rows }) => rows));
        },
        queryTogether<Row extends pg.QueryResultRow>(
          statement: PreparedStatement,
          values: readonly unknown[],
        ) {
          process.nextTick(together.run);
          return track(together.add<Row>(statement, values));
        },
        queryLast<Row extends pg.QueryResultRow>(statement: PreparedStatement, values: readonly unknown[]) {
          refuseAfterEnd();
          return track(last.add<Row>(statement, values));
        },
      });
      together.run();
      last.run();
      const commit = issueInTime('commit');
      ended = { cause: new Error('the transaction has ended: await each statement in its work') };
      const { command } = await commit.catch((error: unknown) => {
        throw connection.broken === undefined ? error : new CommitUnknownError(error);
      });
      await Promise.all(results);
      if (command !== 'COMMIT') throw new Error(`a transaction ended with ${command}`);
      return { result, afterCommit };
    } catch (error) {
      ended = { cause: error };
      // The calls that were not sent fail.
      together.run();
      last.run();
      await Promise.allSettled(results);
      if (connection.broken === undefined) {
        await pool.send(connection, 'rollback', [], 0).catch(discard(connection));
      }
      throw error;
    }
  }

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
    const { companyId, sharedBy, lockTimeoutMs } = limits;
    if (companyId !== undefined && sharedBy !== undefined) {
      return shareTransaction(companyId, sharedBy, work, {
        leftMs,
        lockTimeoutMs: lockTimeoutMs ?? Number.POSITIVE_INFINITY,
      });
    }
    const { result, afterCommit } = await withChildSpan(
      { name: 'transaction', kind: 'CLIENT', attributes: { 'db.system.name': 'postgresql' } },
      () =>
        useConnection(companyId, leftMs, (connection) => transact(connection, work, leftMs, lockTimeoutMs)),
    );
    afterCommit();
    return result;
  }

  const shareTransaction = createSharedTransactions({
    queue: (QUEUE_PER_CONNECTION * options.poolSize) / 4,
    transaction,
  });

  return {
    query<Row extends pg.QueryResultRow>(
      statement: string | PreparedStatement,
      values: readonly unknown[] = [],
      limits: CallerLimits = {},
    ) {
      const leftMs = timeLeft(limits.timeoutMs);
      return useConnection(limits.companyId, leftMs, async (connection) => {
        const limitMs = Math.max(leastSessionLimitMs, statementLimit(leftMs()));
        const limited = limitSession(connection, limitMs);
        const [result] = await Promise.all([pool.send<Row>(connection, statement, values, limitMs), limited]);
        return result.rows;
      });
    },
    transaction,
    hooks: listeners.hooks,
    onWake: listeners.onWake,
    onAnnounced: listeners.onAnnounced,
    onMessage: listeners.onMessage,
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

/** Ends the use of a connection whose state is unknown since a statement failed. */
function discard(connection: Connection): (error: unknown) => void {
  return (error) => {
    connection.broken ??= error instanceof Error ? error : new Error('the statement failed');
  };
}

/** Returns the rest of a timeout that starts now; `Infinity` without one. */
function timeLeft(timeoutMs: number | undefined): () => number {
  if (timeoutMs === undefined) return () => Number.POSITIVE_INFINITY;
  const end = performance.now() + timeoutMs;
  return () => end - performance.now();
}

/** Bounds the following statements of a transaction. */
function limitStatements(statementMs: number, lockTimeoutMs: number | undefined): string {
  const statement = `set local statement_timeout = ${statementMs}`;
  if (lockTimeoutMs === undefined) return statement;
  const lockLimitMs = Math.max(statementMs / 2, statementMs - LOCK_MARGIN_MS);
  const lockMs = Math.max(1, Math.trunc(Math.min(lockTimeoutMs, lockLimitMs)));
  return `${statement}; set local lock_timeout = ${lockMs}`;
}
