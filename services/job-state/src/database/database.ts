import { ServiceError } from '@partner/runtime/service-error';
import type { Logger } from '@partner/runtime/logger';
import pg from 'pg';

/** Runs one statement and gives its rows. Parameters are always bound, never written into the text. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** Work that waits in a table for a loop of this process: messages for the broker, and webhook deliveries. */
export type WakeTopic = 'outbox' | 'deliveries';

/** A transaction that is open; what it did is undone when the work that was given it throws. */
export interface Transaction extends Queryable {
  /** Runs `then` once the transaction has been committed; never when it was rolled back. */
  afterCommit(then: () => void): void;
  /** Wakes the loops that listen for the topic once the transaction has been committed. */
  wakeAfterCommit(topic: WakeTopic): void;
}

/** Bounds of one transaction, in milliseconds. Absent ones are those of the pool. */
export interface TransactionLimits {
  /** What the caller still waits for; a statement that takes longer is cut off. */
  readonly statementTimeoutMs?: number | undefined;
  /** How long one statement may wait for a lock before it fails with {@link LockTimeoutError}. */
  readonly lockTimeoutMs?: number;
}

/** The service's connections to Postgres. */
export interface Database extends Queryable {
  /** Runs work in one transaction (read committed) and gives its result after the commit. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, limits?: TransactionLimits): Promise<T>;
  /** Adds a loop to wake when work for it has been committed. Correctness must not rest on it: other replicas commit too. */
  onWake(topic: WakeTopic, wake: () => void): void;
  /** True while the last statement reached the server. */
  isReady(): boolean;
  /** Waits for statements in flight and closes all connections. */
  end(): Promise<void>;
}

/** A statement waited too long for a lock that another transaction holds. */
export class LockTimeoutError extends ServiceError {
  constructor(cause: unknown) {
    super('unavailable', 'the resource is busy; retry with the same Idempotency-Key', {
      retryAfterSeconds: 1,
      cause,
    });
  }
}

const STATEMENT_TIMEOUT_MS = 10_000;

/**
 * Makes a pool of connections. Statements are cut off after 10 s and transactions that idle after 15 s, so that a stuck
 * process can not hold a lock for long. A connection that breaks is replaced by the next statement.
 *
 * A server that can not be reached, shuts down or takes too long fails a statement with `unavailable` (the outcome of a
 * commit is then unknown), a lock waited for too long with {@link LockTimeoutError}, and text that Postgres can not hold
 * with `invalid_argument`. Everything else that the server refuses is thrown as it is: a fault of ours.
 */
export function createDatabase(options: {
  readonly url: string;
  readonly poolSize: number;
  readonly logger: Pick<Logger, 'warn'>;
}): Database {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: 15_000,
    application_name: 'job-state',
    keepAlive: true,
  });
  const listeners: { topic: WakeTopic; wake: () => void }[] = [];
  let reachable = false;
  pool.on('error', (error) => {
    reachable = false;
    options.logger.warn({ err: error }, 'database.connection_lost');
  });

  async function reach<T>(attempt: () => Promise<T>): Promise<T> {
    try {
      const result = await attempt();
      reachable = true;
      return result;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) reachable = false;
      throw failureOf(error);
    }
  }

  async function run<Row extends pg.QueryResultRow>(
    on: pg.Pool | pg.PoolClient,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const result = await reach(() => on.query<Row>(text, [...values]));
    return result.rows;
  }

  return {
    query: (text, values) => run(pool, text, values),
    async transaction(work, limits = {}) {
      const client = await reach(() => pool.connect());
      const hooks: (() => void)[] = [];
      const topics = new Set<WakeTopic>();
      let broken: Error | undefined;
      const onError = (error: Error) => {
        broken = error;
      };
      client.on('error', onError);
      try {
        await reach(() => client.query(beginStatement(limits)));
        const result = await work({
          query: (text, values) => run(client, text, values),
          afterCommit: (then) => hooks.push(then),
          wakeAfterCommit: (topic) => topics.add(topic),
        });
        await run(client, 'commit');
        for (const hook of hooks) hook();
        for (const { topic, wake } of listeners) if (topics.has(topic)) wake();
        return result;
      } catch (error) {
        await client.query('rollback').catch((failure: unknown) => {
          broken ??= failure instanceof Error ? failure : new Error('rollback failed');
        });
        throw error;
      } finally {
        client.off('error', onError);
        client.release(broken);
      }
    },
    onWake(topic, wake) {
      listeners.push({ topic, wake });
    },
    isReady: () => reachable,
    end: () => pool.end(),
  };
}

/** Begins and bounds a transaction in one round trip. */
function beginStatement(limits: TransactionLimits): string {
  const settings: string[] = [];
  if (limits.statementTimeoutMs !== undefined && limits.statementTimeoutMs < STATEMENT_TIMEOUT_MS) {
    settings.push(`set local statement_timeout = ${Math.max(1, Math.trunc(limits.statementTimeoutMs))}`);
  }
  if (limits.lockTimeoutMs !== undefined) {
    settings.push(`set local lock_timeout = ${Math.max(1, Math.trunc(limits.lockTimeoutMs))}`);
  }
  return ['begin', ...settings].join('; ');
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
      return new ServiceError(
        'unavailable',
        'the service is not available now; retry with the same Idempotency-Key',
        {
          retryAfterSeconds: 1,
          cause: error,
        },
      );
    default:
      return error;
  }
}
