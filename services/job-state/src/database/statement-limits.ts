import type pg from 'pg';
import { type Connection, type ConnectionPool, discard } from './connection-pool.js';
import { UnavailableError } from './server-failures.js';

/** Limits of statements are rounded down to this step, so that they rarely change. */
const LIMIT_STEP_MS = 250;
/** `statement_timeout` of a session before `begin`: if `begin` alone were cancelled, the statements behind it would commit. */
export const UNLIMITED_MS = 0;
/** A lock timeout ends this much before the caller's deadline, so that the failure still reaches the caller. */
const LOCK_MARGIN_MS = 200;

/** Each connection's `statement_timeout` outside of transactions, if it differs from the pool's. */
const sessionTimeouts = new WeakMap<pg.PoolClient, number>();

/** Returns the rest of a timeout that starts now; `Infinity` without one. */
export function timeLeft(timeoutMs: number | undefined): () => number {
  if (timeoutMs === undefined) return () => Number.POSITIVE_INFINITY;
  const end = performance.now() + timeoutMs;
  return () => end - performance.now();
}

/** `statement_timeout` for a caller's deadline, at most that of the pool. Throws after the deadline. */
export function statementLimit(leftMs: number, statementMs: number): number {
  if (leftMs <= 0) throw new UnavailableError(new Error('the caller waits no longer'));
  const limitMs = Math.max(1, Math.trunc(Math.min(leftMs, statementMs)));
  return limitMs < LIMIT_STEP_MS ? limitMs : limitMs - (limitMs % LIMIT_STEP_MS);
}

/** `lock_timeout` beside a `statement_timeout`. */
export function lockLimit(lockTimeoutMs: number, statementMs: number): number {
  const limitMs = Math.max(statementMs / 2, statementMs - LOCK_MARGIN_MS);
  return Math.max(1, Math.trunc(Math.min(lockTimeoutMs, limitMs)));
}

/** Sets a connection's `statement_timeout` outside of transactions if it differs. A connection that refuses is not used again. */
export async function limitSession(
  pool: ConnectionPool,
  connection: Connection,
  limitMs: number,
  statementMs: number,
): Promise<void> {
  const { client } = connection;
  const formerMs = sessionTimeouts.get(client) ?? statementMs;
  if (limitMs === formerMs) return;
  sessionTimeouts.set(client, limitMs);
  const boundMs = formerMs === UNLIMITED_MS ? statementMs : formerMs;
  await pool.send(connection, `set statement_timeout = ${limitMs}`, [], boundMs).catch(discard(connection));
}
