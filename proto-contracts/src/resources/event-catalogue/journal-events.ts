import { z } from 'zod';
import { dateTimeOut } from '../../values/date-time.js';
import { defineEvent, depositId, EXAMPLE, id, invoiceId, money, projectId } from './define-event.js';

const journalEntry = {
  entryId: id('The id of the journal entry.'),
  companyId: z.string().meta({ description: 'The company whose journal it is.' }),
  projectId: projectId.nullable(),
  recordedAt: dateTimeOut,
};

const entry = (entryId: string) => ({
  entryId,
  companyId: EXAMPLE.companyId,
  projectId: EXAMPLE.projectId,
  recordedAt: EXAMPLE.at,
});

const entryResource = (entryId: string) => ({ type: 'journal_entry', id: entryId, version: 1 });

export const JOURNAL_EVENTS = {
  'journal.deposit_recorded': defineEvent({
    meaning: 'a deposit was recorded',
    classes: ['ACCOUNTING'],
    data: z.strictObject({
      ...journalEntry,
      depositId,
      amount: money,
    }),
    resource: entryResource('jrn_01k3h4b1w8q5mx2z7nt9rvc6de'),
    example: {
      ...entry('jrn_01k3h4b1w8q5mx2z7nt9rvc6de'),
      depositId: EXAMPLE.depositId,
      amount: EXAMPLE.deposit,
    },
  }),
  'journal.invoice_recorded': defineEvent({
    meaning: 'an invoice was recorded',
    classes: ['ACCOUNTING'],
    data: z.strictObject({
      ...journalEntry,
      invoiceId,
      invoiceNumber: z
        .string()
        .meta({ description: 'A code of capital letters and digits, e.g. `INV-2026-0417`.' }),
      amount: money,
    }),
    resource: entryResource('jrn_01k3hb3e5m9wx8q2zt6nrv4cde'),
    example: {
      ...entry('jrn_01k3hb3e5m9wx8q2zt6nrv4cde'),
      invoiceId: EXAMPLE.invoiceId,
      invoiceNumber: EXAMPLE.invoiceNumber,
      amount: EXAMPLE.total,
    },
  }),
  'journal.payout_recorded': defineEvent({
    meaning: 'a payout was recorded',
    classes: ['ACCOUNTING'],
    data: z.strictObject({
      ...journalEntry,
      payoutId: id('The id of the payout.'),
      payeeCompanyId: id('The company that is paid.'),
      amount: money,
    }),
    resource: entryResource('jrn_01k3hd8r2x6wq9m4vt5nzc7bde'),
    example: {
      ...entry('jrn_01k3hd8r2x6wq9m4vt5nzc7bde'),
      payoutId: 'pay_01k3hd8q9w5mx2z7nt4rvc6bde',
      payeeCompanyId: 'cmp_01k3g9s5t8m4wx2q7zn6rvc9de',
      amount: { amountMinor: 620_000, currency: 'USD' },
    },
  }),
  'journal.adjustment_recorded': defineEvent({
    meaning: 'an adjustment was recorded',
    classes: ['ACCOUNTING'],
    data: z.strictObject({
      ...journalEntry,
      adjustsEntryId: z.string().nullable().meta({ description: 'The entry that is corrected.' }),
      reasonCode: z.string().meta({ description: 'A code of capital letters and digits, e.g. `WRITE_OFF`.' }),
      amount: money.meta({ description: 'Negative lowers.' }),
    }),
    resource: entryResource('jrn_01k3he2v7q4mx9w6zt8nrc5bde'),
    example: {
      ...entry('jrn_01k3he2v7q4mx9w6zt8nrc5bde'),
      adjustsEntryId: 'jrn_01k3hb3e5m9wx8q2zt6nrv4cde',
      reasonCode: 'PRICE_CORRECTION',
      amount: { amountMinor: -15_000, currency: 'USD' },
    },
  }),
} as const;
