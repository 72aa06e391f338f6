import type { Environment } from '@partner/kernel/api-key';
import { NOT_DONE_ADVICE, OUTCOME_UNKNOWN_ADVICE, ServiceError } from '@partner/kernel/service-error';
import type { Logger } from '@partner/kernel/logger';
import { withChildSpan } from '@partner/kernel/telemetry/tracing';
import pg from 'pg';
import { createPerCompanyGate } from './per-company-gate.js';
import type { PoolMetrics } from './pool-metrics.js';

/** A statement of a hot path that the server prepares once per connection, under its name. The text of a name is constant. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

/** The text of a statement, prepared or not. */
export function textOf(statement: string | PreparedStatement): string {
  return typeof statement === 'string' ? statement : statement.text;
}

/** Runs one statement and returns its rows. Parameters are always bound, never part of the text. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(
    statement: string | PreparedStatement,
    values?: readonly unknown[],
  ): Promise<Row[]>;
}

/**
 * Work in a table that a loop of this process handles.
 *
 * Messages for the broker, webhook deliveries, free slots for deliveries, and subscriptions whose deliveries do not match their
 * state.
 */
export type WakeTopic = 'outbox' | 'deliveries' | 'room' | 'subscriptions';

/** Receives the subscriptions with work; an empty list means unknown. */
export type Wake = (subscriptionIds: readonly string[]) => void;

/** An open transaction. It is rolled back if its work throws. */
export interface Transaction extends Queryable {
  /** The environment of the data. Sandbox features depend on it. */
  readonly environment: Environment;
  /** Runs `then` after the commit; never after a rollback. */
  afterCommit(then: () => void): void;
  /** Wakes the loops of the topic after the commit, with the subscriptions that have work, if they are known. */
  wakeAfterCommit(topic: WakeTopic, subscriptionIds?: readonly string[]): void;
  /**
   * Announces to viewers of the company's webhooks, after the commit, that these subscriptions or their deliveries changed.
   *
   * An empty list announces nothing.
   */
  announceAfterCommit(companyId: string, subscriptionIds: readonly string[]): void;
}

/** Limits that the caller of a statement or a transaction sets. */
export interface CallerLimits {
  /**
   * Time until the caller's deadline in ms, including the wait for a connection.
   *
   * After it no statement starts, not even the commit, and a running one is cancelled: the call fails with `unavailable`.
   */
  readonly timeoutMs?: number | undefined;
}

/** Bounds of one transaction. */
export interface TransactionLimits extends CallerLimits {
  /**
   * The company that writes.
   *
   * Its transactions use at most half of the pool at once and queue in order, so that locks of one company cannot block the
   * others.
   */
  readonly companyId?: string;
  /**
   * Maximum wait of one statement for a lock, in ms, before it fails with {@link LockTimeoutError}.
   *
   * It is shorter if the caller's deadline is earlier.
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
  /** Runs work in one transaction (read committed) and returns its result after the commit. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, limits?: TransactionLimits): Promise<T>;
  /** Adds a loop to wake when work for it is committed. Correctness must not depend on it: other replicas commit too. */
  onWake(topic: WakeTopic, wake: Wake): void;
  /** Adds a listener for companies whose webhooks a transaction changed. It must neither throw nor block. */
  onAnnounced(tell: (companyId: string, subscriptionIds: readonly string[]) => void): void;
  /**
   * True while the last statement reached the server. Load, such as a timeout while waiting for a connection, does not count.
   */
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

/** Database timeouts, in milliseconds. */
export interface DatabaseTimeouts {
  /** For a connection. */
  readonly connectMs: number;
  /** For one statement, by the server's clock. */
  readonly statementMs: number;
  /** Extra time for a response beyond the server's own limit before its connection counts as dead. */
  readonly answerGraceMs: number;
}

const TIMEOUTS: DatabaseTimeouts = { connectMs: 5_000, statementMs: 10_000, answerGraceMs: 2_000 };
/** Limits of statements are rounded down to this step, so that they rarely change. */
const LIMIT_STEP_MS = 250;
/** A lock timeout ends this much before the caller's deadline, so that the failure still reaches the caller. */
const LOCK_MARGIN_MS = 200;

/** With these codes the server closes the connection: it shuts down, crashed, starts, or the transaction idled too long. */
const ENDING_CODES: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '25P03']);

/** A connection while it is in use. */
interface Connection {
  readonly client: pg.PoolClient;
  /** Why it must not be reused. */
  broken: Error | undefined;
}

/**
 * Creates a pool of connections.
 *
 * Statements are cancelled after 10 s, and idle transactions after 15 s, so that a stuck process cannot hold a lock for long. A
 * connection that breaks, or is silent for 2 s beyond the server's own limit, is discarded; the next statement replaces it.
 *
 * If the server is unreachable, shuts down or takes too long, a statement fails with `unavailable`; the outcome of a commit is
 * then unknown. A lock timeout fails with {@link LockTimeoutError}. Text that Postgres cannot store fails with
 * `invalid_argument`. Any other server error is thrown unchanged: it is a bug of this service.
 */
export function createDatabase(options: {
  readonly url: string;
  readonly poolSize: number;
  readonly logger: Pick<Logger, 'warn'>;
  readonly timeouts?: Partial<DatabaseTimeouts>;
  /** The environment of the data; absent: `production`. */
  readonly environment?: Environment;
  /**
   * For tables that fill and drain faster than their statistics follow.
   *
   * Statements read through plain index scans only, so that each read also removes the index entries of deleted rows. Prepared
   * statements are planned once.
   */
  readonly plainIndexScans?: boolean;
  /** Metrics of the connections and the name of the pool in them. */
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
  /** Each connection's `statement_timeout` outside of transactions, if it differs from the pool's. */
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

  /** `statement_timeout` for a caller's deadline. Throws after the deadline. */
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
      const announcements = [...changes].flatMap(([companyId, ids]) =>
        watchers.map((announce) => () => announce(companyId, [...ids])),
      );
      return { result, hooks: [...hooks, ...woken, ...announcements] };
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

/** Runs statements of a database within one caller's deadline, which they share. */
export function queryWithin(database: Pick<Database, 'query'>, timeoutMs: number | undefined): Queryable {
  const leftMs = timeLeft(timeoutMs);
  return { query: (statement, values) => database.query(statement, values, { timeoutMs: leftMs() }) };
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

/** The pool has no error type of its own for a timeout while waiting for a connection. */
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
    // Characters that the server cannot store: U+0000 as text or inside a JSON document.
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
