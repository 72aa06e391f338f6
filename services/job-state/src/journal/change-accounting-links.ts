import type { Transaction } from '../database/database.js';
import { type EventAbout, findEvents, withdrawEvents } from '../webhooks/events/withdraw-events.js';
import { linkedAt } from './accounting-links.js';
import { announceEntry, type JournalEntry } from './record-entry.js';

/** Entries of one step, which bounds a statement. */
const STEP_SIZE = 500;

/** The accounting companies that receive a company's journal from an instant on. */
export interface LinkChange {
  readonly companyId: string;
  /** The version of the platform's message; absent: an operator's change of the newest version. */
  readonly version?: number;
  readonly effectiveFrom: Date;
  readonly accountingCompanyIds: readonly string[];
}

interface ChangedEntry extends JournalEntry {
  /** Accounting companies that it was for before the change. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const INSERT_LINKS = `
  insert into accounting_links (company_id, version, revision, effective_from, accounting_company_ids)
  select c.id, coalesce($2, c.version), case when $2::integer is null then coalesce((
      select max(revision) + 1 from accounting_links where company_id = c.id and version = c.version
    ), 0) else 0 end, $3, $4
  from companies c where c.id = $1
  returning version, revision`;

const CHANGED_ENTRIES = `
  select e.id, e.company_id as "companyId", e.occurred_at as "occurredAt", e.event, e.data, links.before, links.after
  from journal_entries e cross join lateral (
    select ${linkedAt('e.company_id', 'e.occurred_at', '(link.version, link.revision) = ($2, $3)')} as before,
      ${linkedAt('e.company_id', 'e.occurred_at')} as after
  ) links
  where e.company_id = $1 and e.occurred_at >= $4 and e.id > $5 and links.before <> links.after
  order by e.id limit $6`;

/**
 * Changes the accounting companies that receive a company's journal from an instant on.
 *
 * It may be late: entries that happened since and are still kept are announced to accounting companies that they are now for,
 * and their events are withdrawn from those that they are no longer for. What was sent before stays sent, and is announced once.
 *
 * The caller holds the lock of the company. Locks: the withdrawn events in ascending id, then their deliveries in ascending id,
 * per {@link STEP_SIZE} entries.
 */
export async function changeAccountingLinks(tx: Transaction, change: LinkChange, now: Date): Promise<void> {
  const { companyId, effectiveFrom } = change;
  const [made] = await tx.query<{ version: number; revision: number }>(INSERT_LINKS, [
    companyId,
    change.version ?? null,
    effectiveFrom,
    [...change.accountingCompanyIds].sort(),
  ]);
  let step: readonly ChangedEntry[];
  let afterId = '';
  do {
    step = await tx.query<ChangedEntry>(CHANGED_ENTRIES, [
      companyId,
      made?.version,
      made?.revision,
      effectiveFrom,
      afterId,
      STEP_SIZE,
    ]);
    await announceChanged(tx, step, now);
    afterId = step.at(-1)?.id ?? afterId;
  } while (step.length === STEP_SIZE);
}

async function announceChanged(tx: Transaction, entries: readonly ChangedEntry[], now: Date): Promise<void> {
  const lost = entries.flatMap((entry) => eventsAbout(entry, entry.before, entry.after));
  if (lost.length > 0) await withdrawEvents(tx, lost);
  const gained = entries.flatMap((entry) => eventsAbout(entry, entry.after, entry.before));
  if (gained.length === 0) return;
  const sent = new Set((await findEvents(tx, gained)).map(keyOf));
  for (const each of gained) {
    if (!sent.has(keyOf(each))) announceEntry(tx, each.entry, each.companyId, now);
  }
}

/** The events of an entry for the accounting companies in one list and not in the other. */
function eventsAbout(entry: JournalEntry, companyIds: readonly string[], others: readonly string[]) {
  return companyIds
    .filter((id) => !others.includes(id))
    .map((companyId) => ({ companyId, resourceId: entry.id, entry }));
}

function keyOf({ companyId, resourceId }: EventAbout): string {
  return `${companyId} ${resourceId}`;
}
