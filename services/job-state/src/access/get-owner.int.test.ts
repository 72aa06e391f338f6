import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import type { Database } from '../database/database.js';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { insertCompany } from '../testing/test-jobs.js';
import { getOwner } from './get-owner.js';

let testDatabase: TestDatabase;
let database: Database;
let companyId: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  ({ database } = testDatabase);
  companyId = await insertCompany(database, 'SALES');
});

afterAll(() => testDatabase.drop());

async function member(role: string, active = true): Promise<string> {
  const id = newId('mem');
  await database.query(
    `insert into memberships (id, company_id, role, display_name, email, password_hash, active)
     values ($1, $2, $3, 'Dana', $4, '$argon2id$hash', $5)`,
    [id, companyId, role, `${id}@seller.example`, active],
  );
  return id;
}

describe('an owner', () => {
  test('is an active owner of the company', async () => {
    const membershipId = await member('OWNER');
    await expect(getOwner({ database }, { companyId, membershipId })).resolves.toEqual({
      role: 'owner',
      sessionVersion: 0,
      email: `${membershipId}@seller.example`,
      passwordHash: '$argon2id$hash',
    });
  });

  test('is no other person', async () => {
    const owner = await member('OWNER');
    const others = [
      { companyId, membershipId: await member('TECHNICIAN') },
      { companyId, membershipId: await member('OWNER', false) },
      { companyId, membershipId: newId('mem') },
      { companyId: await insertCompany(database, 'SALES'), membershipId: owner },
    ];
    for (const other of others) await expect(getOwner({ database }, other)).resolves.toBeUndefined();
  });

  test('is not found after the membership has ended or has another role [SESSION-6]', async () => {
    const membershipId = await member('OWNER');
    await database.query(`update memberships set active = false where id = $1`, [membershipId]);
    await expect(getOwner({ database }, { companyId, membershipId })).resolves.toBeUndefined();
  });
});
