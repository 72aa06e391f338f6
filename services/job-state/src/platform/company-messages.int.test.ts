import { describe, expect, test } from '@jest/globals';
import { CompanyClass } from '@partner/proto-contracts/gen/partner/platform/v1/company_messages_pb';
import { newId } from '@partner/kernel/process/ids';
import { linkedNow } from '../journal/accounting-links.js';
import { untilLockWaits } from '../testing/lock-waits.js';
import { insertCompany } from '../testing/test-jobs.js';
import { sent } from './testing/messages.js';
import { database, handle } from './testing/platform-fixture.js';

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

  test('can only be linked to accounting companies', async () => {
    const companyId = await insertCompany(database, 'SALES');
    const message = companyChanged(newId('cmp'), { accountingCompanyIds: [companyId] });
    const reason = `company ${companyId} is not an accounting company`;
    expect(await handle(message)).toEqual({ kind: 'dead', reason });
  });
});
