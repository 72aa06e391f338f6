import type { EventName } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import type { EventData } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Transaction } from '../database/database.js';
import { recordEvent } from '../webhooks/events/record-event.js';
import { linkedAt } from './accounting-links.js';

type JournalEvent = EventName & `journal.${string}`;

/** An entry of a company's journal, as accounting companies receive it. */
export interface JournalEntry {
  readonly id: string;
  /** The company whose journal it is. */
  readonly companyId: string;
  readonly occurredAt: Date;
  readonly event: JournalEvent;
  readonly data: EventData<JournalEvent>;
}

const RECORD_ENTRIES: PreparedStatement = {
  name: 'record-journal-entries',
  shared: 'together',
  text: `with item as materialized (
       select * from unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::json[], $6::timestamptz[])
         with ordinality as item (id, company_id, occurred_at, event, data, recorded_at, call)
     ), recorded as (
       insert into journal_entries (id, company_id, occurred_at, event, data, recorded_at)
       select id, company_id, occurred_at, event, data, recorded_at from item
     )
     select item.call, unnest(${linkedAt('item.company_id', 'item.occurred_at')}) as id from item`,
};

/**
 * Records a new entry and announces it to the accounting companies that its company is linked to at `occurredAt`.
 *
 * The caller holds the lock of the company, so that a change of links either is in effect or finds the entry.
 */
export async function recordEntry(tx: Transaction, entry: JournalEntry, now: Date): Promise<void> {
  const accountants = await tx.query<{ id: string }>(RECORD_ENTRIES, [
    entry.id,
    entry.companyId,
    entry.occurredAt,
    entry.event,
    JSON.stringify(entry.data),
    now,
  ]);
  for (const { id } of accountants) announceEntry(tx, entry, id, now);
}

export function announceEntry(
  tx: Transaction,
  { id, occurredAt, event, data }: JournalEntry,
  accountingCompanyId: string,
  now: Date,
): void {
  recordEvent(tx, {
    companyId: accountingCompanyId,
    event,
    occurredAt,
    resource: { type: 'journal_entry', id, version: 1 },
    data,
    now,
  });
}
