import { describe, expect, test } from '@jest/globals';
import { CompanyClass } from '@partner/proto-contracts/gen/partner/platform/v1/company_messages_pb';
import { newId } from '@partner/kernel/process/ids';
import { linkedNow } from '../journal/accounting-links.js';
import { untilLockWaits } from '../testing/lock-waits.js';
import { insertCompany } from '../testing/test-jobs.js';
import { sent } from './testing/messages.js';
import { database, handle, DONE, waitsFor } from './testing/platform-fixture.js';

async function companyOf(companyId: string): Promise<unknown> {
  const [company] = await database.query(
    `select name, class, version, ${linkedNow('id')} as links from companies where id = $1`,
    [companyId],
  );
  return company;
}

const companyChanged = (companyId: string, given: Parameters<typeof sent.companyChanged>[0] = {}) =>
  sent.companyChanged({ companyId, ...given });

describe('a company of the platform', () => {
  test('has its newest name and its newest links, in any order of messages [PLATFORM-2]', async () => {
    const companyId = newId('cmp');
    const accounting = [
      await insertCompany(database, 'ACCOUNTING'),
      await insertCompany(database, 'ACCOUNTING'),
    ].sort();
    const messages = [
      companyChanged(companyId, { version: 2, name: 'Two', accountingCompanyIds: accounting }),
      companyChanged(companyId, { version: 1, name: 'One' }),
      companyChanged(companyId, { version: 3, name: 'Three', accountingCompanyIds: accounting.slice(1) }),
      companyChanged(companyId, { version: 2, name: 'Two', accountingCompanyIds: accounting }),
    ];
    const [first, ...others] = messages;
    if (first !== undefined) await handle(first);
    expect(await companyOf(companyId)).toMatchObject({ name: 'Two', links: accounting });
    for (const message of others) expect(await handle(message)).toEqual(DONE);
    expect(await companyOf(companyId)).toEqual({
      name: 'Three',
      class: 'SALES',
      version: 3,
      links: accounting.slice(1),
    });
  });

  test('from another source is changed by any message', async () => {
    const companyId = await insertCompany(database, 'INSTALLER');
    await handle(companyChanged(companyId, { name: 'Renamed', class: CompanyClass.INSTALLER }));
    expect(await companyOf(companyId)).toMatchObject({ name: 'Renamed', version: 1 });
  });

  test('waits for a link also after a newer message has dropped it, since it counts for its time [PLATFORM-6]', async () => {
    const [companyId, missing] = [newId('cmp'), newId('cmp')];
    const older = companyChanged(companyId, { version: 1, accountingCompanyIds: [missing] });
    for (const message of [older, companyChanged(companyId, { version: 2 })]) await handle(message);
    expect(await waitsFor(older.messageId)).toBe(missing);
    await handle(companyChanged(missing, { class: CompanyClass.ACCOUNTING }));
    expect(await waitsFor(older.messageId)).toBeNull();
    expect(await companyOf(companyId)).toMatchObject({ version: 2, links: [] });
  });

  test('never changes its class, even if another source creates it concurrently', async () => {
    const companyId = newId('cmp');
    const handling = await database.transaction(async (tx) => {
      await tx.query(`insert into companies (id, name, class) values ($1, 'Made', 'SALES')`, [companyId]);
      const outcome = handle(companyChanged(companyId, { class: CompanyClass.INSTALLER }));
      await untilLockWaits(database);
      return { outcome };
    });
    expect(await handling.outcome).toEqual({
      kind: 'dead',
      reason: `company ${companyId} is not of class INSTALLER, and a class never changes`,
    });
    expect(await companyOf(companyId)).toEqual({ name: 'Made', class: 'SALES', version: 0, links: [] });
  });

  test('never changes its class, and can only be linked to accounting companies', async () => {
    const companyId = await insertCompany(database, 'SALES');
    expect(await handle(companyChanged(companyId, { class: CompanyClass.INSTALLER }))).toEqual({
      kind: 'dead',
      reason: `company ${companyId} is not of class INSTALLER, and a class never changes`,
    });
    const message = companyChanged(newId('cmp'), { accountingCompanyIds: [companyId] });
    expect(await handle(message)).toEqual({
      kind: 'dead',
      reason: `company ${companyId} is not an accounting company`,
    });
  });
});
