import type pg from 'pg';
import type { AfterCommit } from './after-commit.js';
import { collectCalls } from './collect-calls.js';
import {
  type Connection,
  type ConnectionPool,
  discard,
  type PreparedStatement,
  type Queryable,
} from './connection-pool.js';
import { CommitUnknownError, isAfterFailure, UnavailableError } from './server-failures.js';
import { limitSession, lockLimit, statementLimit, UNLIMITED_MS } from './statement-limits.js';

/**
 * An open transaction. It is rolled back if its work throws.
 *
 * A statement is sent at once, also while others still run: the server runs them in order. Statements sent without waiting in
 * between share one round trip. If a statement fails, those behind it fail with the first one's error, and nothing is committed.
 * So nothing needs to wait for a write: `void tx.query(…)` is enough. After the end a statement is refused. A handler attached at
 * once to a statement's promise runs before what follows the commit.
 */
export interface Transaction extends Queryable, AfterCommit {}

/** Limits of a transaction. */
interface Limits {
  /** `statement_timeout` without a nearer deadline. */
  readonly statementMs: number;
  readonly leftMs: () => number;
  readonly lockTimeoutMs: number | undefined;
  /** See `TransactionLimits`. */
  readonly plansOnce: boolean;
}

/** The statements of an open transaction, in the order in which they were sent. */
interface Sent {
  readonly pool: ConnectionPool;
  readonly connection: Connection;
  readonly limits: Limits;
  readonly results: Promise<unknown>[];
  /** The `statement_timeout` in effect. */
  limitMs: number;
  /** The first failure. */
  failure: unknown;
  /** Why no statement can follow: the commit is sent, or the transaction is rolled back. */
  ended: { readonly cause: unknown } | undefined;
}

/** Runs work in a transaction on a connection, and returns what to run after its commit. */
export async function runTransaction<T>(
  pool: ConnectionPool,
  connection: Connection,
  work: (tx: Transaction) => Promise<T> | T,
  { hooks, ...limits }: Limits & Pick<AfterCommit, 'hooks'>,
): Promise<{ readonly result: T; readonly afterCommit: readonly (() => void)[] }> {
  const limitMs = statementLimit(limits.leftMs(), limits.statementMs);
  const sent: Sent = { pool, connection, limits, results: [], limitMs, failure: undefined, ended: undefined };
  const execute = (statement: PreparedStatement, values: readonly unknown[]) =>
    track(sent, (async () => (await sendInTime(sent, statement, values)).rows)());
  const together = collectCalls(execute);
  const last = collectCalls(execute);
  const afterCommit: (() => void)[] = [];
  const tx: Transaction = {
    hooks,
    afterCommit: (then) => void afterCommit.push(then),
    query<Row extends pg.QueryResultRow>(
      statement: string | PreparedStatement,
      values: readonly unknown[] = [],
    ) {
      const shared = typeof statement === 'string' ? undefined : statement.shared;
      if (typeof statement === 'string' || shared === undefined) {
        together.run();
        return track(
          sent,
          sendInTime<Row>(sent, statement, values).then(({ rows }) => rows),
        );
      }
      if (shared === 'last') refuseAfterEnd(sent);
      else process.nextTick(together.run);
      return track(sent, (shared === 'last' ? last : together).add<Row>(statement, values));
    },
  };
  try {
    void limitSession(pool, connection, UNLIMITED_MS, limits.statementMs);
    const planning = limits.plansOnce ? 'set local plan_cache_mode = force_generic_plan; ' : '';
    send(sent, `begin; ${planning}${limitStatements(sent)}`).catch(discard(connection));
    const result = await work(tx);
    together.run();
    last.run();
    const commit = sendInTime(sent, 'commit');
    sent.ended = { cause: new Error('the transaction has ended: await each statement in its work') };
    const { command } = await commit.catch((error: unknown) => {
      throw connection.broken === undefined ? error : new CommitUnknownError(error);
    });
    await Promise.all(sent.results);
    if (command !== 'COMMIT') throw new Error(`a transaction ended with ${command}`);
    return { result, afterCommit };
  } catch (error) {
    sent.ended = { cause: error };
    // The calls that were not sent fail.
    together.run();
    last.run();
    await Promise.allSettled(sent.results);
    if (connection.broken === undefined) {
      await pool.send(connection, 'rollback', [], 0).catch(discard(connection));
    }
    throw error;
  }
}

/** Sends a statement while the caller still waits and the transaction is open. */
function sendInTime<Row extends pg.QueryResultRow>(
  sent: Sent,
  statement: string | PreparedStatement,
  values?: readonly unknown[],
) {
  refuseAfterEnd(sent);
  const leftMs = sent.limits.leftMs();
  const nowMs = statementLimit(leftMs, sent.limits.statementMs);
  if (sent.limitMs > leftMs) {
    sent.limitMs = nowMs;
    void send(sent, limitStatements(sent));
  }
  return send<Row>(sent, statement, values);
}

/** Throws after the end: a later statement would run outside of the transaction, or inside the connection's next one. */
function refuseAfterEnd({ ended, connection }: Sent): void {
  if (ended !== undefined) throw ended.cause;
  if (connection.broken !== undefined) throw new UnavailableError(connection.broken);
}

function send<Row extends pg.QueryResultRow>(
  sent: Sent,
  statement: string | PreparedStatement,
  values: readonly unknown[] = [],
) {
  const result = sent.pool
    .send<Row>(sent.connection, statement, values, sent.limitMs)
    .catch((error: unknown) => {
      sent.failure ??= error;
      throw isAfterFailure(error) ? sent.failure : error;
    });
  return track(sent, result);
}

/** The end of the transaction waits for the result. */
function track<R>({ ended, results }: Sent, result: Promise<R>): Promise<R> {
  result.catch(() => undefined);
  if (ended === undefined) results.push(result);
  return result;
}

/** Bounds the following statements of the transaction. */
function limitStatements({ limitMs, limits: { lockTimeoutMs } }: Sent): string {
  const statement = `set local statement_timeout = ${limitMs}`;
  if (lockTimeoutMs === undefined) return statement;
  return `${statement}; set local lock_timeout = ${lockLimit(lockTimeoutMs, limitMs)}`;
}
