import type { Transaction } from '../database/database.js';
import { announceNextEntries } from './announce-next-entries.js';

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
