import type { Transaction } from '../database/database.js';
import { type EventAbout, findEvents, withdrawEvents } from '../webhooks/events/withdraw-events.js';
import { linkedAt } from './accounting-links.js';
import { announceEntry, type JournalEntry } from './record-entry.js';

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
export async function announceNextEntries(tx: Transaction, companyId: string, now: Date): Promise<boolean> {
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
    tx.wakeAfterCommit('journal');
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

/** The events of an entry for accounting companies. */
function eventsAbout(entry: JournalEntry, companyIds: readonly string[]) {
  return companyIds.map((companyId) => ({ companyId, resourceId: entry.id, entry }));
}

function keyOf({ companyId, resourceId }: EventAbout): string {
  return `${companyId} ${resourceId}`;
}
