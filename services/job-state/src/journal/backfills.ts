import type { Logger } from '@partner/kernel/telemetry/logger';
import type { Registry } from 'prom-client';
import { commitTopic } from '../database/after-commit.js';
import type { Database, Transaction } from '../database/database.js';
import { type Loop, startLoop } from '../database/start-loop.js';
import { type EventAbout, findEvents, withdrawEvents } from '../webhooks/events/withdraw-events.js';
import { linkedAt } from './accounting-links.js';
import { announceEntry, type JournalEntry } from './record-entry.js';

/** Journals have entries that do not match the links of their company. */
export const backfillLeft = commitTopic<never>();

/** The accounting companies that receive a company's journal from an instant on. */
export interface LinkChange {
  readonly companyId: string;
  /** The version of the platform's message; absent: an operator's change of the newest version. */
  readonly version?: number;
  readonly effectiveFrom: Date;
  readonly accountingCompanyIds: readonly string[];
}

const INSERT_LINKS = `
  insert into accounting_links (company_id, version, revision, effective_from, accounting_company_ids)
  select c.id, coalesce($2, c.version), case when $2::integer is null then coalesce((
      select max(revision) + 1 from accounting_links where company_id = c.id and version = c.version
    ), 0) else 0 end, $3, $4
  from companies c where c.id = $1`;

/** A backfill that has not reached the instant yet covers it. One in progress beyond it starts again from there. */
const START_BACKFILL = `
  insert into journal_backfills as known (company_id, occurred_at, entry_id) values ($1, $2, '')
  on conflict (company_id) do update set occurred_at = excluded.occurred_at, entry_id = excluded.entry_id
    where (excluded.occurred_at, excluded.entry_id) < (known.occurred_at, known.entry_id)`;

/**
 * Changes the accounting companies that receive a company's journal from an instant on.
 *
 * It may be late: entries that happened since and are still kept are announced as {@link announceNextEntries} does. The first
 * ones are part of the transaction; `startJournalBackfills` announces the others.
 *
 * The caller holds the lock of the company. Locks: the company's backfill, then those of {@link announceNextEntries}.
 */
export async function changeAccountingLinks(tx: Transaction, change: LinkChange, now: Date): Promise<void> {
  const { companyId, effectiveFrom } = change;
  void tx.query(INSERT_LINKS, [
    companyId,
    change.version ?? null,
    effectiveFrom,
    [...change.accountingCompanyIds].sort(),
  ]);
  void tx.query(START_BACKFILL, [companyId, effectiveFrom]);
  await announceNextEntries(tx, companyId, now);
}

/** Entries of one step, which bounds its transaction. */
const STEP_SIZE = 500;

interface LinkedEntry extends JournalEntry {
  /** The accounting companies that it is for. */
  readonly linked: readonly string[];
  /** The other accounting companies that its company is or was linked to. */
  readonly others: readonly string[];
}

const NEXT_ENTRIES = `
  select e.id, e.company_id as "companyId", e.occurred_at as "occurredAt", e.event, e.data, links.linked, array(
      select distinct unnest(link.accounting_company_ids) from accounting_links link where link.company_id = e.company_id
      except select unnest(links.linked)
    ) as others
  from (
    select * from journal_entries
    where company_id = $1 and occurred_at >= $2 and (occurred_at, id) > ($2, $3)
    order by occurred_at, id limit ${STEP_SIZE}
  ) e cross join lateral (select ${linkedAt('e.company_id', 'e.occurred_at')} as linked) links
  order by e.occurred_at, e.id`;

/**
 * Takes one step of a company's backfill: announces the next entries to the accounting companies that they are for, and
 * withdraws their events from all others. What was sent before stays sent, and is announced once.
 *
 * It compares entries with the present links and depends on no earlier step, so the order of changes does not matter. The next
 * position is part of the transaction, so a crash neither repeats nor skips an entry. An entry that is recorded meanwhile follows
 * the present links on its own.
 *
 * Returns false if the company has no backfill, or another transaction takes a step of it. Locks: the backfill, without
 * waiting, which excludes a change of the company's links; then the withdrawn events in ascending id, then their deliveries in
 * ascending id.
 */
async function announceNextEntries(tx: Transaction, companyId: string, now: Date): Promise<boolean> {
  const [position] = await tx.query<{ occurred_at: Date; entry_id: string }>(
    'select occurred_at, entry_id from journal_backfills where company_id = $1 for update skip locked',
    [companyId],
  );
  if (position === undefined) return false;
  const entries = await tx.query<LinkedEntry>(NEXT_ENTRIES, [
    companyId,
    position.occurred_at,
    position.entry_id,
  ]);
  await announce(tx, entries, now);
  const last = entries[STEP_SIZE - 1];
  if (last === undefined) {
    void tx.query('delete from journal_backfills where company_id = $1', [companyId]);
  } else {
    void tx.query('update journal_backfills set occurred_at = $2, entry_id = $3 where company_id = $1', [
      companyId,
      last.occurredAt,
      last.id,
    ]);
    backfillLeft.tell(tx);
  }
  return true;
}

async function announce(tx: Transaction, entries: readonly LinkedEntry[], now: Date): Promise<void> {
  const lost = entries.flatMap((entry) => eventsAbout(entry, entry.others));
  if (lost.length > 0) await withdrawEvents(tx, lost);
  const due = entries.flatMap((entry) => eventsAbout(entry, entry.linked));
  if (due.length === 0) return;
  const announced = new Set((await findEvents(tx, due)).map(keyOf));
  for (const each of due) {
    if (!announced.has(keyOf(each))) announceEntry(tx, each.entry, each.companyId, now);
  }
}

function eventsAbout(entry: JournalEntry, companyIds: readonly string[]) {
  return companyIds.map((companyId) => ({ companyId, resourceId: entry.id, entry }));
}

function keyOf({ companyId, resourceId }: EventAbout): string {
  return `${companyId} ${resourceId}`;
}

const FAILURE_PAUSE_MS = 5_000;
const LOCK_WAIT_MS = 2_000;

interface Deps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
}

/**
 * Announces journal entries after late changes of accounting links, in steps with a transaction each, until it is stopped.
 *
 * Waking makes it prompt, polling makes it correct. Any number of replicas can run it.
 */
export function startJournalBackfills(
  deps: Deps & {
    readonly logger: Pick<Logger, 'info' | 'warn'>;
    readonly metrics: Registry;
    readonly intervalMs: number;
  },
): Loop {
  return startLoop({
    name: 'journal_backfills',
    intervalMs: deps.intervalMs,
    failurePauseMs: FAILURE_PAUSE_MS,
    logger: deps.logger,
    metrics: deps.metrics,
    runOnce: async () => ((await stepJournalBackfills(deps)) ? 'more' : 'idle'),
  });
}

/** Takes one step of each backfill, and returns whether there was any. A failing one does not stop the others. */
export async function stepJournalBackfills({ database, clock }: Deps): Promise<boolean> {
  const backfills = await database.query<{ companyId: string }>(
    'select company_id as "companyId" from journal_backfills order by company_id',
  );
  let hasStepped = false;
  const failures: unknown[] = [];
  for (const { companyId } of backfills) {
    try {
      const step = database.transaction((tx) => stepOf(tx, companyId, clock()), {
        lockTimeoutMs: LOCK_WAIT_MS,
      });
      if (await step) hasStepped = true;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return hasStepped;
}

/** Takes a step, unless the company changes at the same time: a change locks the company before its backfill. */
async function stepOf(tx: Transaction, companyId: string, now: Date): Promise<boolean> {
  const company = await tx.query('select from companies where id = $1 for share skip locked', [companyId]);
  return company.length > 0 && announceNextEntries(tx, companyId, now);
}
