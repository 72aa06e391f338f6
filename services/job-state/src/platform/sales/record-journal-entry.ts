import { JournalEntryRecordedSchema } from '@partner/proto-contracts/gen/partner/platform/v1/sales_messages_pb';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { assertNever } from '@partner/kernel/process/invariant';
import { z } from 'zod';
import type { Transaction } from '../../database/database.js';
import { recordEntry } from '../../journal/record-entry.js';
import { anyMoney, id, instant, journalCode, money, optionalId } from '../message-type/message-fields.js';
import { projectObstacle } from '../message-type/obstacles.js';
import { type PlatformEffect, platformMessageType } from '../message-type/platform-message-type.js';
import { claimVersion } from './claim-version.js';

const invoiceNumber = journalCode(
  /^(?=.*\d)[A-Z0-9]+(?:[-._/][A-Z0-9]+)*$/,
  'an invoice number: capital letters and digits, at least one digit, and between them single -, ., _ or /',
);
const reasonCode = journalCode(
  /^[A-Z][A-Z0-9]*(?:[-_][A-Z0-9]+)*$/,
  'a reason code: capital letters and digits, a letter first, and between them single - or _',
);

const journalEntryRecorded = z
  .object({
    entryId: id('jrn'),
    companyId: id('cmp'),
    projectId: optionalId('prj'),
    record: z.discriminatedUnion(
      'case',
      [
        z.object({ case: z.literal('deposit'), value: z.object({ depositId: id('dep'), amount: money }) }),
        z.object({
          case: z.literal('invoice'),
          value: z.object({ invoiceId: id('inv'), invoiceNumber, amount: money }),
        }),
        z.object({
          case: z.literal('payout'),
          value: z.object({ payoutId: id('pay'), payeeCompanyId: id('cmp'), amount: money }),
        }),
        z.object({
          case: z.literal('adjustment'),
          value: z.object({
            adjustsEntryId: optionalId('jrn'),
            reasonCode,
            amount: anyMoney,
          }),
        }),
      ],
      'is missing or of an unknown kind',
    ),
    occurredAt: instant,
  })
  // An entry never changes.
  .transform((entry) => ({ ...entry, version: 1 }));

type JournalEntryCommand = z.infer<typeof journalEntryRecorded>;

export const journalEntryRecordedMessage = platformMessageType({
  schema: JournalEntryRecordedSchema,
  form: journalEntryRecorded,
  resourceId: ({ entryId }) => entryId,
  record: recordJournalEntry,
});

/**
 * Records a journal entry and announces it as {@link recordEntry} does (spec: Events, financial journal).
 *
 * Without the company or the project it is early. A project of another company is refused, and so is a deposit, an invoice or a
 * former entry that is known as another company's. References to unknown records pass: the journal may arrive first. Locks the
 * company against a change of its links, then the entry.
 */
async function recordJournalEntry(
  tx: Transaction,
  command: JournalEntryCommand,
  now: Date,
): Promise<PlatformEffect> {
  const { entryId, companyId, projectId, record, version, occurredAt } = command;
  const company = await tx.query('select from companies where id = $1 for share', [companyId]);
  if (company.length === 0) return { kind: 'early', missing: companyId };
  const obstacle = await projectObstacle(tx, projectId, companyId);
  if (obstacle !== undefined) return obstacle;
  const referred = referredId(command);
  if (referred !== null) {
    const foreign = await tx.query('select from sales_records where id = $1 and company_id <> $2', [
      referred,
      companyId,
    ]);
    if (foreign.length > 0) return { kind: 'refused', reason: `${referred} belongs to another company` };
  }
  const { claim } = await claimVersion(tx, {
    id: entryId,
    kind: 'journal_entry',
    companyId,
    projectId,
    version,
    state: 'RECORDED',
  });
  if (claim === 'contradicts') {
    return { kind: 'refused', reason: `journal entry ${entryId} belongs to another company or project` };
  }
  if (claim === 'repeated') return { kind: 'ignored', why: 'the entry is already recorded' };
  await recordEntry(
    tx,
    {
      ...{ id: entryId, companyId, occurredAt, event: `journal.${record.case}_recorded` },
      // The form drops, and the event refuses, every field that it does not name, so that no customer data leaks.
      data: { entryId, companyId, projectId, recordedAt: formatDateTime(occurredAt), ...record.value },
    },
    now,
  );
  return { kind: 'applied' };
}

/** The id of a referenced record that the platform also reports separately. Any company can be the payee. */
function referredId({ record }: JournalEntryCommand): string | null {
  switch (record.case) {
    case 'deposit':
      return record.value.depositId;
    case 'invoice':
      return record.value.invoiceId;
    case 'adjustment':
      return record.value.adjustsEntryId;
    case 'payout':
      return null;
    default:
      return assertNever(record);
  }
}
