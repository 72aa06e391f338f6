import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@partner/kernel/logger';
import pg from 'pg';
import { recordAudit } from '../audit/record-audit.js';
import { checkDatabases, checkSource, checkTarget, describeFailure, MoveRefusedError } from './check-move.js';
import { copyTables, deleteTables, RowsChangedError } from './copy-tables.js';
import { createMissingPartitions } from './create-missing-partitions.js';
import { forwardWaitingMessages } from './forward-waiting-messages.js';
import { type MoveConnections, type MoveUrls, queryableOf, withConnections } from './move-connections.js';

/** One lock number for all moves of a database. */
const ADVISORY_LOCK = 4_207_314;
/** Longer than the interval of the company gate and the deadline of the requests that passed it. */
const DRAIN_MS = 10_000;
/** Longer than the longest usual lease: attempts in flight, or lost, end by then. */
const LEASES_MS = 300_000;
const PAUSE_MS = 500;
/** Attempts to get all locks. The service holds each for a moment. */
const ATTEMPTS = 60;
/** A lock was not granted in time, or a deadlock was broken. */
const BUSY_CODES: ReadonlySet<string | undefined> = new Set(['55P03', '40P01']);

/** Dependencies of a move. */
export interface MoveDeps extends MoveUrls {
  /** Who moves the companies, for their audit trails. */
  readonly operator: string;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Time until requests that were accepted before the move have ended, in ms; absent: 10 s. */
  readonly drainMs?: number;
}

/** What a run did: `moved` by it or an earlier one, or `abandoned`. */
export type MoveOutcome = 'moved' | 'abandoned';

/**
 * Moves companies that share data with no others from the source database to the target. Repeating it after any failure finishes the
 * move; repeating it after a move forwards messages of the platform that reached the source since.
 *
 * 1. Requests of the companies are refused with `unavailable`, and no attempt of a delivery begins. It waits for those in flight.
 * 2. One transaction of the source locks all rows, copies them into one transaction of the target, compares them and deletes them. The
 *    target prepares its transaction, the source commits, then the target does. So at each instant at most one database serves the
 *    companies, and no failure leaves their rows in none.
 * 3. Platform messages that wait in the source follow.
 *
 * Whatever fails before the source has committed, the companies stay there and are served again, unless the databases cannot be reached.
 * Then a repetition, or {@link abandonMove}, is needed. Throws {@link MoveRefusedError} if the move is not possible.
 *
 * Locks: those of {@link copyTables}, and the table of erasures. A lock that is not granted within 0.9 s rolls both transactions back
 * for another attempt, so that the service is never blocked for longer than one copy.
 */
export async function moveCompanies(deps: MoveDeps, companyIds: readonly string[]): Promise<MoveOutcome> {
  const ids = [...new Set(companyIds)].sort();
  return alone(deps, async () => {
    if ((await settle(deps, ids)) === 'target') return finish(deps, ids);
    try {
      await withConnections(deps, async (connections) => {
        const [source, target] = [queryableOf(connections.source), queryableOf(connections.target)];
        await checkDatabases(source, target);
        await checkTarget(target, ids);
        await checkSource(source, ids);
      });
      await createMissingPartitions(deps);
      await closeCompanies(deps, ids);
      await transferWhenQuiet(deps, ids);
    } catch (error) {
      const at = await settle(deps, ids).catch((unsettled: unknown) => {
        throw new Error(
          `${describeFailure(error)}. Whether the companies have moved is unknown (${describeFailure(unsettled)}): run the same command again`,
          { cause: error },
        );
      });
      if (at === 'source') {
        await reopenCompanies(deps, ids);
        throw error;
      }
    }
    return finish(deps, ids);
  });
}

/** Ends an interrupted move: the companies are served by the database that has them. */
export async function abandonMove(deps: MoveDeps, companyIds: readonly string[]): Promise<MoveOutcome> {
  const ids = [...new Set(companyIds)].sort();
  return alone(deps, async () => {
    if ((await settle(deps, ids)) === 'target') return finish(deps, ids);
    await reopenCompanies(deps, ids);
    return 'abandoned';
  });
}

/** Runs work while no other move of one of the databases runs. */
function alone<T>(deps: MoveDeps, work: () => Promise<T>): Promise<T> {
  return withConnections(deps, async ({ source, target }) => {
    for (const [name, client] of [
      ['source', source],
      ['target', target],
    ] as const) {
      const { rows } = await client.query<{ isOurs: boolean }>(
        'select pg_try_advisory_lock($1) as "isOurs"',
        [ADVISORY_LOCK],
      );
      if (rows[0]?.isOurs === true) continue;
      throw new MoveRefusedError(
        `another move uses the ${name}, or source and target are one database: wait, or correct the URLs`,
      );
    }
    return work();
  });
}

/** The name of the prepared transaction of a move. */
function transactionOf(ids: readonly string[]): string {
  return `move-companies-${createHash('sha256').update(ids.join(' ')).digest('hex')}`;
}

/**
 * Finds which database has the companies, and ends the prepared transaction of an interrupted move accordingly.
 *
 * The lock shows that the transaction of the source has ended, even if its connection was lost without an end.
 */
function settle(deps: MoveDeps, ids: readonly string[]): Promise<'source' | 'target'> {
  return withConnections(deps, async ({ source, target }) => {
    await refuseOtherMoves(source, ids);
    const transaction = transactionOf(ids);
    const { rows: prepared } = await target.query(
      'select from pg_prepared_xacts where database = current_database() and gid = $1',
      [transaction],
    );
    await source.query('begin');
    const { rows: here } = await source.query<{ id: string }>(
      `select id from companies where id = any($1) order by id ${prepared.length > 0 ? 'for update' : ''}`,
      [ids],
    );
    if (here.length === ids.length) {
      if (prepared.length > 0) await target.query(`rollback prepared '${transaction}'`);
      return 'source';
    }
    if (here.length === 0 && prepared.length > 0) {
      await target.query(`commit prepared '${transaction}'`);
      deps.logger.info({ companyIds: ids }, 'move.interrupted_finished');
    }
    const { rows: left } = await source.query('select from company_moves where company_id = any($1)', [ids]);
    const { rows: there } = await target.query('select from companies where id = any($1)', [ids]);
    if (left.length === ids.length && there.length === ids.length) return 'target';
    const known = new Set(here.map(({ id }) => id));
    throw new MoveRefusedError(`the source has no company ${ids.filter((id) => !known.has(id)).join(', ')}`);
  });
}

async function refuseOtherMoves(source: pg.Client, ids: readonly string[]): Promise<void> {
  const { rows } = await source.query<{ id: string }>(
    `select company_id as id from company_moves where state = 'leaving' order by company_id`,
  );
  const leaving = rows.map(({ id }) => id);
  if (leaving.length > 0 && leaving.join() !== ids.join()) {
    throw new MoveRefusedError(
      `the move of ${leaving.join(' ')} was interrupted: finish it, or abandon it, first`,
    );
  }
}

/** Refuses the requests of the companies from now on, and waits until earlier ones and attempts in flight have ended. */
function closeCompanies(deps: MoveDeps, ids: readonly string[]): Promise<void> {
  return withConnections(deps, async ({ source }) => {
    // An interrupted run has closed them before.
    await source.query(
      `insert into company_moves (company_id, state) select unnest($1::text[]), 'leaving' on conflict do nothing`,
      [ids],
    );
    deps.logger.info({ companyIds: ids }, 'move.companies_closed');
    await delay(deps.drainMs ?? DRAIN_MS);
    const deadline = Date.now() + LEASES_MS;
    while (await hasAttemptInFlight(source, ids)) {
      if (Date.now() > deadline) {
        throw new MoveRefusedError(
          `attempts in flight have not ended within ${LEASES_MS / 1_000} s: retry later`,
        );
      }
      await delay(PAUSE_MS);
    }
  });
}

/** Serves the companies in the source again. */
function reopenCompanies(deps: MoveDeps, ids: readonly string[]): Promise<void> {
  return withConnections(deps, async ({ source }) => {
    await source.query(`delete from company_moves where company_id = any($1) and state = 'leaving'`, [ids]);
    deps.logger.info({ companyIds: ids }, 'move.companies_reopened');
  });
}

async function hasAttemptInFlight(source: pg.Client, ids: readonly string[]): Promise<boolean> {
  const { rows } = await source.query(
    'select from deliveries where company_id = any($1) and lease_id is not null and next_attempt_at > now() limit 1',
    [ids],
  );
  return rows.length > 0;
}

async function transferWhenQuiet(deps: MoveDeps, ids: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await withConnections(deps, (connections) => transfer(deps, connections, ids));
      return;
    } catch (error) {
      if (!isBusy(error) || attempt === ATTEMPTS) throw error;
      deps.logger.warn({ attempt, cause: describeFailure(error) }, 'move.rows_in_use');
    }
    await delay(PAUSE_MS);
  }
}

function isBusy(error: unknown): boolean {
  return (
    error instanceof RowsChangedError || (error instanceof pg.DatabaseError && BUSY_CODES.has(error.code))
  );
}

async function transfer(deps: MoveDeps, connections: MoveConnections, ids: readonly string[]): Promise<void> {
  const { source, target } = connections;
  await source.query('begin');
  await target.query('begin');
  await source.query('lock table erasures in share row exclusive mode');
  const copied = await copyTables(connections, ids, deps.logger);
  // Under the locks, no other company can begin to share data with these.
  await checkSource(queryableOf(source), ids);
  if (await hasAttemptInFlight(source, ids)) throw new RowsChangedError('an attempt has begun');
  for (const companyId of ids) {
    await recordAudit(queryableOf(target), {
      companyId,
      actor: { membershipId: undefined, displayName: `operator: ${deps.operator}` },
      action: 'company.moved',
      subject: { type: 'company', id: companyId },
    });
  }
  // They can have left it before.
  await target.query('delete from company_moves where company_id = any($1)', [ids]);
  await deleteTables(source, ids, copied);
  await target.query(`prepare transaction '${transactionOf(ids)}'`);
  await source.query('commit');
  await target.query(`commit prepared '${transactionOf(ids)}'`);
}

/** Closes the move in the source. */
function finish(deps: MoveDeps, ids: readonly string[]): Promise<MoveOutcome> {
  return withConnections<MoveOutcome>(deps, async (connections) => {
    await connections.source.query(
      `update company_moves set state = 'left', changed_at = now() where company_id = any($1) and state = 'leaving'`,
      [ids],
    );
    const messages = await forwardWaitingMessages(connections, ids);
    deps.logger.info({ companyIds: ids, messages }, 'move.finished');
    return 'moved';
  });
}
