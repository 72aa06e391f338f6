import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { connectAccess } from '../../testing/access-client.js';
import { somePasswordHash } from '../../testing/some-password-hash.js';
import { auditedOf, emailOf, insertCompany, insertMember, TEST_NOW } from '../../testing/test-jobs.js';
import { connectOperators } from '../../testing/public-clients.js';
import { database } from '../../testing/file-database.js';

const INVALID = { reason: 'invalid_argument' };
const NOT_FOUND = { reason: 'not_found' };

let companyId: string;

beforeAll(async () => {
  companyId = await insertCompany(database, 'SALES');
});

let now = TEST_NOW;

const access = () => connectAccess({ database, clock: () => now });

const member = async (role: 'OWNER' | 'TECHNICIAN' = 'OWNER') => ({
  membershipId: await insertMember(database, { companyId, role }),
});

const readOwner = (membershipId: string) => access().findPerson(companyId, membershipId);

test('a password replaces the proved one once, with an entry in the audit trail [SESSION-11]', async () => {
  const { membershipId } = await member();
  const before = await readOwner(membershipId);
  expect(before?.email).toBe(emailOf(membershipId));
  const by = { companyId, membershipId, remoteAddress: '203.0.113.7' };
  const { passwordVersion: formerPasswordVersion = '' } = before ?? {};
  const [passwordHash, another] = [somePasswordHash(), somePasswordHash()];
  const { passwordVersion } = await access().replacePassword(by, { formerPasswordVersion, passwordHash });
  expect(await readOwner(membershipId)).toMatchObject({ passwordVersion, passwordHash });
  expect(passwordVersion).not.toBe(formerPasswordVersion);
  const again = access().replacePassword(by, { formerPasswordVersion, passwordHash: another });
  await expect(again).rejects.toMatchObject({ reason: 'password_wrong' });
  const details = { changed: ['password'], displayName: 'Dana' };
  expect(await auditedOf(database, membershipId)).toEqual([
    { action: 'owner.updated', by: membershipId, at: '203.0.113.7', details },
  ]);
});

test('no password is set with a weaker hash, or for a person of another company [SESSION-1, SESSION-11]', async () => {
  const { membershipId } = await member();
  const formerPasswordVersion = (await readOwner(membershipId))?.passwordVersion ?? '';
  const replace = (of: string, passwordHash: string) =>
    access().replacePassword({ companyId: of, membershipId }, { formerPasswordVersion, passwordHash });
  const weak = somePasswordHash().replace('t=2', 't=1');
  await expect(replace(companyId, weak)).rejects.toMatchObject(INVALID);
  const foreign = replace(await insertCompany(database, 'SALES'), somePasswordHash());
  await expect(foreign).rejects.toMatchObject({ reason: 'password_wrong' });
  expect((await readOwner(membershipId))?.passwordVersion).toBe(formerPasswordVersion);
});

describe('a link', () => {
  const token = () => randomBytes(32).toString('hex');
  const request = (membershipId: string, tokenSha256: string) =>
    access().createPasswordLink({ email: emailOf(membershipId).toUpperCase(), tokenSha256 });
  const use = (tokenSha256: string, passwordHash = somePasswordHash()) =>
    access().usePasswordToken({ tokenSha256, passwordHash, remoteAddress: '203.0.113.7' });

  beforeEach(() => {
    now = TEST_NOW;
  });

  test('sets the password once, and requests and uses are in the audit trail [SESSION-13]', async () => {
    const { membershipId } = await member();
    const [first, second] = [token(), token()];
    expect(await request(membershipId, first)).toMatchObject({ email: emailOf(membershipId) });
    await request(membershipId, second);
    await expect(use(first)).rejects.toMatchObject(NOT_FOUND);
    const found = await access().findPasswordLink({ tokenSha256: second });
    expect(found).toMatchObject({ membershipId, displayName: 'Dana' });
    const passwordHash = somePasswordHash();
    const results = await Promise.allSettled([use(second, passwordHash), use(second, passwordHash)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await readOwner(membershipId))?.passwordHash).toBe(passwordHash);
    await expect(access().findPasswordLink({ tokenSha256: second })).rejects.toMatchObject(NOT_FOUND);
    const requested = { action: 'owner.password_link_requested', by: null, at: null };
    const changed = { action: 'owner.updated', by: membershipId, at: '203.0.113.7' };
    expect(await auditedOf(database, membershipId)).toMatchObject([requested, requested, changed]);
  });

  test('ends after 30 minutes, and with any other change of the password [SESSION-13]', async () => {
    const { membershipId } = await member();
    const [late, outdated] = [token(), token()];
    await request(membershipId, late);
    now = new Date(TEST_NOW.getTime() + 30 * 60_000);
    await expect(use(late)).rejects.toMatchObject(NOT_FOUND);
    await request(membershipId, outdated);
    const { passwordVersion: formerPasswordVersion = '' } = (await readOwner(membershipId)) ?? {};
    const change = { formerPasswordVersion, passwordHash: somePasswordHash() };
    await access().replacePassword({ companyId, membershipId }, change);
    await expect(use(outdated)).rejects.toMatchObject(NOT_FOUND);
    await request(membershipId, outdated);
    for (const active of [false, true]) {
      await connectOperators({ database }).updateOwner({ membershipId, active });
    }
    await expect(use(outdated)).rejects.toMatchObject(NOT_FOUND);
  });

  test('is for no one who cannot sign in with a password [SESSION-12]', async () => {
    const technician = await member('TECHNICIAN');
    const disabled = { membershipId: await insertMember(database, { companyId, passwordHash: null }) };
    for (const { membershipId } of [technician, disabled, { membershipId: newId('mem') }]) {
      expect(await request(membershipId, token())).toEqual({});
      expect(await auditedOf(database, membershipId)).toEqual([]);
    }
  });
});
