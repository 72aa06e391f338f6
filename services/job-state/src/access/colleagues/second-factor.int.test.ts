import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SecondFactorCode } from '@partner/proto-contracts/internal/access/second-factor';
import { newId } from '@partner/kernel/process/ids';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { connectAccess } from '../../testing/access-client.js';
import { connectOperators } from '../../testing/public-clients.js';
import { auditedOf, emailOf, insertCompany, insertMember, TEST_NOW } from '../../testing/test-jobs.js';
import { totpCode } from '../../testing/totp-code.js';
import { TEST_SEALING_KEYS } from '../../testing/test-sealing-keys.js';
import { createSecretMaintenance } from '../../webhooks/subscriptions/maintain-secrets.js';
import { database } from '../../testing/file-database.js';

const INVALID = { reason: 'invalid_argument' };
const NOT_FOUND = { reason: 'not_found' };

const STEP_MS = 30_000;
const OWN = Buffer.alloc(32, 9);

let now: Date;
let companyId: string;
let membershipId: string;
let sealingKeys = TEST_SEALING_KEYS;

beforeAll(async () => {
  companyId = await insertCompany(database, 'SALES');
});
beforeEach(async () => {
  now = TEST_NOW;
  sealingKeys = TEST_SEALING_KEYS;
  membershipId = await insertMember(database, { companyId });
});

const deps = () => ({ database, clock: () => now, logger: silentLogger });
const client = () => connectAccess({ ...deps(), sealingKeys });
const operators = () => connectOperators(deps());
const newHash = () => randomBytes(32).toString('hex');
const recoveryCodeSha256s = Array.from({ length: 10 }, newHash);
const owner = () => ({ companyId, membershipId });
const codeOf = (secret: string, at = now) => ({ totp: totpCode(secret, at) });
const later = (steps: number) => new Date(TEST_NOW.getTime() + steps * STEP_MS);
const refused = expect.objectContaining({ reason: 'second_factor_wrong' });

/** Enables a second factor at the start of the test. */
async function enrol(): Promise<string> {
  const { secret } = await client().beginSecondFactor(owner());
  await enable(codeOf(secret));
  return secret;
}

const use = (code: SecondFactorCode, to: 'sign_in' | 'disable' = 'sign_in', by = owner()) =>
  client().useSecondFactor(by, { to, code });

const enable = (code: SecondFactorCode, hashes = recoveryCodeSha256s) =>
  client().useSecondFactor(owner(), { to: 'enable', code, recoveryCodeSha256s: hashes });

const replace = (code: SecondFactorCode, hashes: string[]) =>
  client().useSecondFactor(owner(), { to: 'replace_recovery_codes', code, recoveryCodeSha256s: hashes });

const sessionVersion = async () => (await client().findPerson(companyId, membershipId))?.passwordVersion;

const audited = async () =>
  (await auditedOf(database, membershipId))
    .filter(({ action }) => action === 'owner.updated')
    .map(({ details }) => details);
const displayName = 'Dana';
const changedTo = (secondFactor: string) => ({ displayName, changed: ['secondFactor'], secondFactor });
const codesLeft = (left: number) => ({ displayName, changed: ['recoveryCodes'], recoveryCodesLeft: left });

describe('enrolment', () => {
  test('takes effect with a code of the app, shows the secret once, and stores it sealed [FACTOR-1]', async () => {
    const { secret, uri } = await client().beginSecondFactor(owner());
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const parsed = new URL(uri);
    expect(decodeURIComponent(parsed.pathname)).toBe(`/Partner console (sandbox):${emailOf(membershipId)}`);
    expect(parsed.searchParams.get('secret')).toBe(secret);
    const login = { hasSecondFactor: false, passwordHash: '$argon2id$hash' };
    expect(await client().findLogin(emailOf(membershipId))).toMatchObject(login);
    await expect(enable({ totp: '000000' })).rejects.toEqual(refused);
    await enable(codeOf(secret));
    const enabled = { enabled: true, enabledAt: TEST_NOW.toISOString(), recoveryCodesLeft: 10 };
    expect(await client().getSecondFactor(owner())).toEqual(enabled);
    const [{ stored } = { stored: '' }] = await database.query<{ stored: string }>(
      `select encode(sealed, 'escape') as stored from second_factors where membership_id = $1`,
      [membershipId],
    );
    expect(stored).not.toContain(secret);
    expect(await audited()).toEqual([changedTo('enabled')]);
    const again = client().beginSecondFactor(owner());
    await expect(again).rejects.toMatchObject({ reason: 'second_factor_enabled' });
  });

  test('needs a pending secret, ten recovery codes, and a person of the company', async () => {
    const code = { totp: '000000' };
    await expect(enable(code)).rejects.toMatchObject(NOT_FOUND);
    for (const hashes of [recoveryCodeSha256s.slice(1), ['00', ...recoveryCodeSha256s.slice(1)]])
      await expect(enable(code, hashes)).rejects.toMatchObject(INVALID);
    const secret = await enrol();
    const other = { ...owner(), companyId: await insertCompany(database, 'SALES') };
    await expect(client().beginSecondFactor(other)).rejects.toMatchObject(NOT_FOUND);
    expect(await client().getSecondFactor(other)).toMatchObject({ enabled: false });
    now = later(1);
    await expect(use(codeOf(secret), 'sign_in', other)).rejects.toEqual(refused);
    await expect(use(codeOf(secret), 'disable', other)).rejects.toMatchObject(NOT_FOUND);
  });
});

describe('a code', () => {
  test('of the app is accepted from one step before to one step after its own [FACTOR-2]', async () => {
    const secret = await enrol();
    const code = codeOf(secret, later(10));
    for (const steps of [8, 12]) {
      now = later(steps);
      await expect(use(code)).rejects.toEqual(refused);
    }
    now = later(11);
    for (const step of [10, 11, 12]) await use(codeOf(secret, later(step)));
    await expect(use(codeOf(secret, later(11)))).rejects.toEqual(refused);
  });

  test('is accepted once, of concurrent uses and after the enrolment [FACTOR-2]', async () => {
    const secret = await enrol();
    await expect(use(codeOf(secret))).rejects.toEqual(refused);
    now = later(1);
    const [recoveryCodeSha256 = newHash()] = recoveryCodeSha256s;
    for (const code of [codeOf(secret), { recoveryCodeSha256 }]) {
      const outcomes = await Promise.allSettled([use(code), use(code), use(code)]);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
    expect(await client().getSecondFactor(owner())).toMatchObject({ recoveryCodesLeft: 9 });
    await expect(use({ recoveryCodeSha256: newHash() })).rejects.toEqual(refused);
    await expect(use({})).rejects.toEqual(refused);
    expect(await audited()).toEqual([changedTo('enabled'), codesLeft(9)]);
  });

  test('replaces the recovery codes and disables the second factor [FACTOR-1]', async () => {
    const secret = await enrol();
    const [former, fresh] = [recoveryCodeSha256s[0] ?? newHash(), newHash()];
    const hashes = [fresh, ...recoveryCodeSha256s.slice(1)];
    const wrong = { totp: '000000' };
    await expect(replace(wrong, hashes)).rejects.toEqual(refused);
    await expect(use(wrong, 'disable')).rejects.toEqual(refused);
    now = later(1);
    await replace(codeOf(secret), hashes);
    await expect(use({ recoveryCodeSha256: former })).rejects.toEqual(refused);
    await use({ recoveryCodeSha256: fresh }, 'disable');
    expect(await client().findLogin(emailOf(membershipId))).toMatchObject({ hasSecondFactor: false });
    const left = [codesLeft(10), codesLeft(9)];
    expect(await audited()).toEqual([changedTo('enabled'), ...left, changedTo('disabled')]);
  });
});

describe('the login of an owner with a second factor', () => {
  const add = async (role: 'OWNER' | 'VIEWER', of = companyId) => {
    const id = await insertMember(database, { companyId: of, role });
    return { companyId: of, membershipId: id };
  };
  const resetBy = (by: ReturnType<typeof owner>) =>
    client().resetColleagueSecondFactor(by, { params: { id: membershipId } });

  test.each([
    [
      'an operator',
      async () => {
        const reset = await operators().resetSecondFactor({ membershipId });
        expect(reset).toMatchObject({ membershipId, hasSecondFactor: false });
      },
    ],
    ['another owner of the company', async () => resetBy(await add('OWNER'))],
  ])(
    'needs the password only after %s has reset it, with one entry in the audit trail and the end of the sessions [FACTOR-5, FACTOR-6, SESSION-6]',
    async (_who, reset) => {
      await enrol();
      const before = await sessionVersion();
      expect((await operators().listOwners({ companyId })).owners.at(-1)).toMatchObject({
        hasSecondFactor: true,
      });
      for (let repeat = 0; repeat < 2; repeat += 1) await reset();
      expect(await client().findLogin(emailOf(membershipId))).toMatchObject({ hasSecondFactor: false });
      expect(await audited()).toEqual([changedTo('enabled'), changedTo('disabled')]);
      expect(await sessionVersion()).toBe(`${before}.1`);
    },
  );

  test('is reset by no viewer, no other company and not by the person [FACTOR-6]', async () => {
    await enrol();
    const stranger = await add('OWNER', await insertCompany(database, 'SALES'));
    for (const [by, reason] of [
      [owner(), 'permission_denied'],
      [await add('VIEWER'), 'permission_denied'],
      [stranger, 'not_found'],
      [{ ...stranger, companyId }, 'permission_denied'],
    ] as const) {
      await expect(resetBy(by)).rejects.toMatchObject({ reason });
    }
    const unknown = operators().resetSecondFactor({ membershipId: newId('mem') });
    await expect(unknown).rejects.toMatchObject(NOT_FOUND);
    expect(await audited()).toEqual([changedTo('enabled')]);
  });
});

test('a second factor is resealed under the current key and works without the former one [SECRET-9]', async () => {
  const secret = await enrol();
  const keys = new Map([...TEST_SEALING_KEYS.keys, ['k2', OWN] as const]);
  await createSecretMaintenance({ ...deps(), sealingKeys: { currentKeyId: 'k2', keys } }).runOnce();
  sealingKeys = { currentKeyId: 'k2', keys: new Map([['k2', OWN]]) };
  now = later(1);
  await expect(use(codeOf(secret))).resolves.toBeDefined();
});
