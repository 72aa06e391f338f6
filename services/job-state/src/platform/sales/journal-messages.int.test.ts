import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { insertCompany } from '../../testing/test-jobs.js';
import {
  otherSeller,
  dead,
  insertLead,
  insertProject,
  projectCreated,
  eventsAbout,
  recordOf,
} from './testing/sales-messages-fixture.js';
import { at, MONEY, sent, stamp } from '../testing/messages.js';
import { database, seller, handle, DONE } from '../testing/platform-fixture.js';

describe('an entry of the journal', () => {
  const amount = MONEY;
  const refund = { ...MONEY, amountMinor: '-250000' };
  const depositId = newId('dep');
  const invoice = { invoiceId: newId('inv'), invoiceNumber: 'INV-7' };
  const payout = { payoutId: newId('pay'), payeeCompanyId: newId('cmp') };
  const adjustment = { adjustsEntryId: newId('jrn'), reasonCode: 'WRITE_OFF' };
  const RECORDS = [
    ['deposit', { case: 'deposit', value: { depositId, amount } }, { depositId }, 250_000],
    ['invoice', { case: 'invoice', value: { ...invoice, amount } }, invoice, 250_000],
    ['payout', { case: 'payout', value: { ...payout, amount } }, payout, 250_000],
    ['adjustment', { case: 'adjustment', value: { ...adjustment, amount: refund } }, adjustment, -250_000],
  ] as const;
  const [[, deposit]] = RECORDS;

  type Entry = NonNullable<Parameters<typeof sent.journalEntryRecorded>[0]>;
  const entry = (entryId: string, companyId: string, record: Entry['record'] = deposit, projectId?: string) =>
    sent.journalEntryRecorded({ entryId, companyId, projectId, record, occurredAt: stamp(-3) });

  async function linkedSeller(...accountants: readonly string[]): Promise<string> {
    const companyId = await insertCompany(database, 'SALES');
    await database.query(
      'insert into accounting_links (company_id, accounting_company_ids) values ($1, $2)',
      [companyId, accountants],
    );
    return companyId;
  }

  test.each(RECORDS)(
    'is published to every linked accounting company, without the lead: %s [PLATFORM-18, LEAD-8, TENANT-1]',
    async (kind, record, data, amountMinor) => {
      const [one, two] = [
        await insertCompany(database, 'ACCOUNTING'),
        await insertCompany(database, 'ACCOUNTING'),
      ];
      const stranger = await insertCompany(database, 'ACCOUNTING');
      const companyId = await linkedSeller(one, two);
      await linkedSeller(stranger);
      const { leadId, projectId } = await insertLead(companyId);
      const entryId = newId('jrn');
      expect(await handle(entry(entryId, companyId, record, projectId))).toEqual(DONE);
      const recordedAt = at(-3).toISOString();
      const all = await eventsAbout(entryId);
      expect(new Set(all.map(({ to }) => to))).toEqual(new Set([one, two]));
      expect(all).toHaveLength(2);
      for (const { to: _to, ...envelope } of all) {
        const amount = { amountMinor, currency: 'USD' };
        expect(envelope).toEqual({
          event: `journal.${kind}_recorded`,
          occurredAt: recordedAt,
          resource: { type: 'journal_entry', id: entryId, version: 1 },
          data: { entryId, companyId, projectId, recordedAt, ...data, amount },
        });
        expect(JSON.stringify(envelope)).not.toContain(leadId);
      }
    },
  );

  test('is recorded without a link, and published once [PLATFORM-3, PLATFORM-18]', async () => {
    const entryId = newId('jrn');
    const companyId = await linkedSeller();
    expect(await handle(entry(entryId, companyId))).toEqual(DONE);
    expect(await eventsAbout(entryId)).toEqual([]);
    const record = { kind: 'journal_entry', company_id: companyId, project_id: null };
    expect(await recordOf(entryId)).toEqual({ ...record, version: 1, state: 'RECORDED' });
    const accountant = await insertCompany(database, 'ACCOUNTING');
    const linked = await linkedSeller(accountant);
    const next = newId('jrn');
    await Promise.all([handle(entry(next, linked)), handle(entry(next, linked))]);
    expect(await eventsAbout(next)).toMatchObject([{ to: accountant, data: { projectId: null } }]);
  });

  test('waits for its company and its project, and is refused with those of another company', async () => {
    const accountant = await insertCompany(database, 'ACCOUNTING');
    const companyId = await linkedSeller(accountant);
    const unknown = newId('cmp');
    await handle(entry(newId('jrn'), unknown));
    expect(await database.query('select from inbox where prerequisite_id = $1', [unknown])).toHaveLength(1);

    const [entryId, projectId] = [newId('jrn'), newId('prj')];
    await handle(entry(entryId, companyId, deposit, projectId));
    expect(await eventsAbout(entryId)).toEqual([]);
    await handle(projectCreated(projectId, companyId));
    expect(await eventsAbout(entryId)).toMatchObject([{ to: accountant, data: { projectId } }]);

    const foreign = await insertProject(otherSeller);
    expect(await handle(entry(newId('jrn'), companyId, deposit, foreign))).toEqual(
      dead(`project ${foreign} belongs to another company`),
    );
    expect(await handle(entry(entryId, seller))).toEqual(
      dead(`journal entry ${entryId} belongs to another company or project`),
    );
  });

  test('is refused, without an event, if it refers to a record of another company [PLATFORM-18]', async () => {
    const accountant = await insertCompany(database, 'ACCOUNTING');
    const companyId = await linkedSeller(accountant);
    const foreign = await insertProject(otherSeller);
    const own = await insertProject(companyId);
    for (const projectId of [foreign, own]) {
      const ids = { deposit: newId('dep'), invoice: newId('inv'), entry: newId('jrn') };
      for (const message of [
        sent.depositPaid({ projectId, depositId: ids.deposit }),
        sent.invoiceIssued({ projectId, invoiceId: ids.invoice }),
        entry(ids.entry, projectId === own ? companyId : otherSeller),
      ]) {
        expect(await handle(message)).toEqual(DONE);
      }
      const references = [
        [ids.deposit, { case: 'deposit', value: { depositId: ids.deposit, amount } }],
        [ids.invoice, { case: 'invoice', value: { ...invoice, invoiceId: ids.invoice, amount } }],
        [ids.entry, { case: 'adjustment', value: { ...adjustment, adjustsEntryId: ids.entry, amount } }],
      ] as const;
      for (const [id, record] of references) {
        const entryId = newId('jrn');
        expect(await handle(entry(entryId, companyId, record))).toEqual(
          projectId === own ? DONE : dead(`${id} belongs to another company`),
        );
        expect(await eventsAbout(entryId)).toHaveLength(projectId === own ? 1 : 0);
      }
    }
  });
});
