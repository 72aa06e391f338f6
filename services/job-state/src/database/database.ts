import type { Environment } from '@partner/kernel/api-key';
import { NOT_DONE_ADVICE, OUTCOME_UNKNOWN_ADVICE, ServiceError } from '@partner/kernel/service-error';
import type { Logger } from '@partner/kernel/logger';
import { withChildSpan } from '@partner/kernel/telemetry/tracing';
import pg from 'pg';
import { createPerCompanyGate } from './per-company-gate.js';
import type { PoolMetrics } from './pool-metrics.js';

/** A statement of a hot path: each connection has the server prepare it once, under its name. The text of a name is constant. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

/** The text of a statement, prepared or not. */
export function textOf(statement: string | PreparedStatement): string {
  return typeof statement === 'string' ? statement : statement.text;
}

/** Runs one statement and gives its rows. Parameters are always bound, never written into the text. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(
    statement: string | PreparedStatement,
    values?: readonly unknown[],
  ): Promise<Row[]>;
}

/**
 * Work that waits in a table for a loop of this process: messages for the broker, webhook deliveries, deliveries for which
 * there is room again, and subscriptions whose deliveries have to follow their state.
 */
export type WakeTopic = 'outbox' | 'deliveries' | 'room' | 'subscriptions';

/** Told for which subscriptions the work is; for none means that it is not known. */
export type Wake = (subscriptionIds: readonly string[]) => void;

/** A transaction that is open; what it did is undone when the work that was given it throws. */
export interface Transaction extends Queryable {
  /** Whose data these are: what there is in the sandbox alone goes by it. */
  readonly environment: Environment;
  /** Runs `then` once the transaction has been committed; never when it was rolled back. */
  afterCommit(then: () => void): void;
  /**
   * Wakes the loops that listen for the topic once the transaction has been committed, and tells them which subscriptions
   * the work is for, where that is known.
   */
  wakeAfterCommit(topic: WakeTopic, subscriptionIds?: readonly string[]): void;
  /**
   * Tells whoever watches the company's webhooks, once the transaction has been committed, that something about these
   * subscriptions or their deliveries is another than before. No ids: it tells nothing.
   */
  announceAfterCommit(companyId: string, subscriptionIds: readonly string[]): void;
}

/** For whom a statement or a transaction is. */
export interface CallerLimits {
  /**
   * For how many milliseconds from now on the caller waits; the wait for a connection counts. Once they are over no statement
   * is begun, not even the commit, and one that runs is cut off: the call fails with `unavailable`.
   */
  readonly timeoutMs?: number | undefined;
}

/** Bounds of one transaction. */
export interface TransactionLimits extends CallerLimits {
  /**
   * The company that writes. Its transactions take at most half of the pool at once and wait for one another in order, so
   * that what one company locks can not hold up the others.
   */
  readonly companyId?: string;
  /**
   * How many milliseconds one statement may wait for a lock before it fails with {@link LockTimeoutError}: less when the
   * caller would not be there any more to hear it.
   */
  readonly lockTimeoutMs?: number;
}

/** The service's connections to Postgres. */
export interface Database extends Queryable {
  /** Runs one statement on its own. */
  query<Row extends pg.QueryResultRow>(
    statement: string | PreparedStatement,
    values?: readonly unknown[],
    limits?: CallerLimits,
  ): Promise<Row[]>;
  /** Runs work in one transaction (read committed) and gives its result after the commit. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, limits?: TransactionLimits): Promise<T>;
  /** Adds a loop to wake when work for it has been committed. Correctness must not rest on it: other replicas commit too. */
  onWake(topic: WakeTopic, wake: Wake): void;
  /** Adds somebody who is told of each company whose webhooks a transaction has changed. Must not throw and must not wait. */
  onAnnounced(tell: (companyId: string, subscriptionIds: readonly string[]) => void): void;
  /** True while the last statement reached the server. Load, such as a wait for a connection in vain, does not count. */
  isReady(): boolean;
  /** Waits for statements in flight and closes all connections. */
  end(): Promise<void>;
}

/** A statement waited too long for a lock that another transaction holds. */
export class LockTimeoutError extends ServiceError {
  constructor(cause: unknown) {
    super('unavailable', `the resource is busy; ${NOT_DONE_ADVICE}`, {
      retryAfterSeconds: 1,
      cause,
    });
  }
}

/** How long the database is waited for, in milliseconds. */
export interface DatabaseTimeouts {
  /** For a connection. */
  readonly connectMs: number;
  /** For one statement, by the server's clock. */
  readonly statementMs: number;
  /** How much longer than the server's own limit an answer may take before its connection counts as dead. */
  readonly answerGraceMs: number;
}

const TIMEOUTS: DatabaseTimeouts = { connectMs: 5_000, statementMs: 10_000, answerGraceMs: 2_000 };
/** Limits of statements are rounded down to this, so that they seldom have to be set anew. */
const LIMIT_STEP_MS = 250;
/** A lock is waited for so much shorter than the caller waits, so that the failure still reaches the caller. */
const LOCK_MARGIN_MS = 200;

/** With these the server ends the connection: it shuts down, has crashed, starts, or the transaction idled for too long. */
const ENDING_CODES: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '25P03']);

/** A connection while it is in use. */
interface Connection {
  readonly client: pg.PoolClient;
  /** Why it must not be used again. */
  broken: Error | undefined;
}

/**
 * Makes a pool of connections. Statements are cut off after 10 s and transactions that idle after 15 s, so that a stuck
 * process can not hold a lock for long. A connection that breaks, or gives no answer in 2 s more than its server has for it,
 * is given up and replaced by the next statement.
 *
 * A server that can not be reached, shuts down or takes too long fails a statement with `unavailable` (the outcome of a
 * commit is then unknown), a lock waited for too long with {@link LockTimeoutError}, and text that Postgres can not hold
 * with `invalid_argument`. Everything else that the server refuses is thrown as it is: a fault of ours.
 */
export function createDatabase(options: {
  readonly url: string;
  readonly poolSize: number;
  readonly logger: Pick<Logger, 'warn'>;
  readonly timeouts?: Partial<DatabaseTimeouts>;
  /** Whose data these are; `production` when not given. */
  readonly environment?: Environment;
  /**
   * For tables that fill and drain faster than their statistics follow: statements read through indexes alone, entry by
   * entry, so that each read also clears away the entries of rows that are gone; prepared ones are planned once.
   */
  readonly plainIndexScans?: boolean;
  /** Where the connections are measured, and under which name of the pool. */
  readonly measured?: { readonly by: PoolMetrics; readonly pool: string };
}): Database {
  const { environment = 'production' } = options;
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: timeouts.connectMs,
    idleTimeoutMillis: 60_000,
    statement_timeout: timeouts.statementMs,
    query_timeout: timeouts.statementMs + timeouts.answerGraceMs,
    idle_in_transaction_session_timeout: 15_000,
    application_name: 'job-state',
    ...(options.plainIndexScans === true && {
      options: '-c enable_seqscan=off -c enable_bitmapscan=off -c plan_cache_mode=force_generic_plan',
    }),
    keepAlive: true,
  });
  const beginWait = options.measured?.by.add(options.measured.pool, pool);
  const gate = createPerCompanyGate({
    running: Math.max(1, Math.floor(options.poolSize / 2)),
    waiting: 10 * options.poolSize,
  });
  /** Each connection's `statement_timeout` outside of transactions, where it is not the pool's. */
  const sessionTimeouts = new WeakMap<pg.PoolClient, number>();
  const listeners: { topic: WakeTopic; wake: Wake }[] = [];
  const watchers: ((companyId: string, subscriptionIds: readonly string[]) => void)[] = [];
  let reachable = false;
  pool.on('error', (error) => {
    reachable = false;
    options.logger.warn({ err: error }, 'database.connection_lost');
  });

  async function withConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const endWait = beginWait?.();
    const client = await pool
      .connect()
      .catch((error: unknown) => {
        if (!(error instanceof pg.DatabaseError) && !isPoolExhausted(error)) reachable = false;
        throw failureOf(error);
      })
      .finally(() => endWait?.());
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
  }

  async function send<Row extends pg.QueryResultRow>(
    connection: Connection,
    statement: string | PreparedStatement,
    values: readonly unknown[],
    serverMs: number,
  ): Promise<Row[]> {
    const query = {
      ...(typeof statement === 'string' ? { text: statement } : statement),
      values: [...values],
      query_timeout: serverMs + timeouts.answerGraceMs,
    };
    try {
      const result = await connection.client.query<Row>(query);
      reachable = true;
      return result.rows;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) reachable = false;
      if (!(error instanceof pg.DatabaseError) || ENDING_CODES.has(error.code ?? '')) {
        connection.broken ??= error instanceof Error ? error : new Error('the statement failed');
      }
      throw failureOf(error);
    }
  }

  /** `statement_timeout` for a caller who waits that long. Throws when the caller waits no longer. */
  function statementLimit(leftMs: number): number {
    if (leftMs <= 0) throw unavailable(new Error('the caller waits no longer'));
    const limitMs = Math.max(1, Math.trunc(Math.min(leftMs, timeouts.statementMs)));
    return limitMs < LIMIT_STEP_MS ? limitMs : limitMs - (limitMs % LIMIT_STEP_MS);
  }

  async function transact<T>(
    connection: Connection,
    work: (tx: Transaction) => Promise<T>,
    leftMs: () => number,
    lockTimeoutMs: number | undefined,
  ): Promise<{ readonly result: T; readonly hooks: readonly (() => void)[] }> {
    const hooks: (() => void)[] = [];
    const topics = new Map<WakeTopic, Set<string>>();
    const changes = new Map<string, Set<string>>();
    let limitMs = statementLimit(leftMs());
    const run = async <Row extends pg.QueryResultRow>(
      statement: string | PreparedStatement,
      values: readonly unknown[] = [],
    ) => {
      const nowMs = statementLimit(leftMs());
      if (limitMs > leftMs()) {
        limitMs = nowMs;
        await send(connection, limitStatements(limitMs, lockTimeoutMs), [], limitMs);
      }
      return send<Row>(connection, statement, values, limitMs);
    };
    try {
      await send(connection, `begin; ${limitStatements(limitMs, lockTimeoutMs)}`, [], limitMs);
      const result = await work({
        environment,
        query: run,
        afterCommit: (then) => hooks.push(then),
        wakeAfterCommit(topic, subscriptionIds = []) {
          topics.set(topic, new Set([...(topics.get(topic) ?? []), ...subscriptionIds]));
        },
        announceAfterCommit(companyId, subscriptionIds) {
          const changed = changes.get(companyId) ?? new Set();
          for (const id of subscriptionIds) changed.add(id);
          if (changed.size > 0) changes.set(companyId, changed);
        },
      });
      await run('commit');
      const woken = listeners.flatMap(({ topic, wake }) => {
        const subscriptionIds = topics.get(topic);
        return subscriptionIds === undefined ? [] : [() => wake([...subscriptionIds])];
      });
      const told = [...changes].flatMap(([companyId, ids]) =>
        watchers.map((tell) => () => tell(companyId, [...ids])),
      );
      return { result, hooks: [...hooks, ...woken, ...told] };
    } catch (error) {
      if (connection.broken === undefined) {
        await send(connection, 'rollback', [], 0).catch((failure: unknown) => {
          connection.broken ??= failure instanceof Error ? failure : new Error('the rollback failed');
        });
      }
      throw error;
    }
  }

  return {
    query(statement, values = [], limits = {}) {
      const leftMs = timeLeft(limits.timeoutMs);
      return withConnection(async (connection) => {
        const { client } = connection;
        const limitMs = statementLimit(leftMs());
        if (limitMs !== (sessionTimeouts.get(client) ?? timeouts.statementMs)) {
          await send(connection, `set statement_timeout = ${limitMs}`, [], limitMs);
          sessionTimeouts.set(client, limitMs);
        }
        return send(connection, statement, values, limitMs);
      });
    },
    async transaction(work, limits = {}) {
      const leftMs = timeLeft(limits.timeoutMs);
      const { companyId, lockTimeoutMs } = limits;
      const begin = () =>
        withChildSpan(
          { name: 'transaction', kind: 'CLIENT', attributes: { 'db.system.name': 'postgresql' } },
          () => withConnection((connection) => transact(connection, work, leftMs, lockTimeoutMs)),
        );
      const { result, hooks } = await (companyId === undefined
        ? begin()
        : gate.run(companyId, leftMs(), begin));
      for (const hook of hooks) hook();
      return result;
    },
    onWake(topic, wake) {
      listeners.push({ topic, wake });
    },
    onAnnounced(tell) {
      watchers.push(tell);
    },
    isReady: () => reachable,
    end: () => pool.end(),
  };
}

/** The statements of a database for one caller, who waits that many milliseconds for all of them. */
export function queryWithin(database: Pick<Database, 'query'>, timeoutMs: number | undefined): Queryable {
  const leftMs = timeLeft(timeoutMs);
  return { query: (statement, values) => database.query(statement, values, { timeoutMs: leftMs() }) };
}

/** What is left of a time that begins now; `Infinity` of one that has no end. */
function timeLeft(timeoutMs: number | undefined): () => number {
  if (timeoutMs === undefined) return () => Number.POSITIVE_INFINITY;
  const end = performance.now() + timeoutMs;
  return () => end - performance.now();
}

/** Bounds the statements of a transaction that follow. */
function limitStatements(statementMs: number, lockTimeoutMs: number | undefined): string {
  const statement = `set local statement_timeout = ${statementMs}`;
  if (lockTimeoutMs === undefined) return statement;
  const heardMs = Math.max(statementMs / 2, statementMs - LOCK_MARGIN_MS);
  const lockMs = Math.max(1, Math.trunc(Math.min(lockTimeoutMs, heardMs)));
  return `${statement}; set local lock_timeout = ${lockMs}`;
}

/** The pool has no error of its own for a wait for a connection in vain. */
function isPoolExhausted(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect';
}

function unavailable(cause: unknown): ServiceError {
  return new ServiceError('unavailable', `the service is not available now; ${OUTCOME_UNKNOWN_ADVICE}`, {
    retryAfterSeconds: 1,
    cause,
  });
}

function failureOf(error: unknown): unknown {
  const code = error instanceof pg.DatabaseError ? (error.code ?? '') : 'unreachable';
  switch (code) {
    case '55P03':
      return new LockTimeoutError(error);
    // Characters that the server can not store: U+0000 as text or inside a JSON document.
    case '22021':
    case '22P05':
      return new ServiceError('invalid_argument', 'text must not hold the character U+0000', {
        cause: error,
      });
    case 'unreachable':
    case '57014': // canceled: the statement took too long
    case '57P01': // the server shuts down,
    case '57P02': // has crashed,
    case '57P03': // or starts
    case '53300': // too many connections
    case '25P03': // idle in a transaction for too long
    case '40P01': // a deadlock was broken
      return unavailable(error);
    default:
      return error;
  }
}
