import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Role } from '@partner/proto-contracts/api/roles';
import type { SecondFactorCode } from '@partner/proto-contracts/internal/access/second-factor';
import {
  type EmailOutcome,
  leaseSecurityNoticesOperation,
  reportSecurityNoticeOperation,
} from '@partner/proto-contracts/internal/notifications/notification-emails';
import { securityNoticeDetails } from '@partner/proto-contracts/resources/security-notice/security-notice';
import { newId } from '@partner/kernel/process/ids';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { recordMembershipChanged } from '../platform/record-membership-changed.js';
import { connectAccess } from '../testing/access-client.js';
import { connectOperators } from '../testing/public-clients.js';
import { somePasswordHash } from '../testing/some-password-hash.js';
import { emailOf, insertCompany, insertMember } from '../testing/test-jobs.js';
import { totpCode } from '../testing/totp-code.js';
import { notificationOperations } from './emails.js';
import { database } from '../testing/file-database.js';

let companyId: string;
/** The person of the test, and a second owner. */
let dana: string;
let olive: string;

beforeEach(async () => {
  await database.query('delete from security_notices');
  companyId = await insertCompany(database, 'SALES');
  [dana, olive] = [await member('Dana'), await member('Olive')];
});

const member = (displayName: string, role: 'OWNER' | 'VIEWER' = 'OWNER') =>
  insertMember(database, { companyId, displayName, role });

const clock = () => new Date();
const client = () => connectAccess({ database, clock });
const operators = () => connectOperators({ database, clock });
const hash = () => randomBytes(32).toString('hex');
const owner = () => ({ companyId, membershipId: dana, ...origin });
const console = () =>
  inProcessOperations({ implementations: notificationOperations({ database, clock }), callers: ['service'] });
const lease = async () => {
  const { notices } = await console().callInternal(leaseSecurityNoticesOperation, { limit: 100 });
  return notices.sort((a, b) => (a.kind < b.kind ? -1 : 1));
};
const report = (leaseId = '', outcome: EmailOutcome = 'sent') =>
  console().callInternal(reportSecurityNoticeOperation, { leaseId, outcome });

/** The notices that are due, as recipient, kind and details. */
async function due() {
  const leased = await lease();
  for (const { leaseId } of leased) await report(leaseId);
  return leased.map(({ email, kind, count, detailsJson }) => {
    return { email, kind, count, details: securityNoticeDetails.parse(JSON.parse(detailsJson)) };
  });
}

const origin = { remoteAddress: '203.0.113.7', userAgent: 'Browser/1.0' };

/** Sets a password with a link. */
async function useLink(membershipId: string): Promise<void> {
  const tokenSha256 = hash();
  await database.query(
    `insert into password_links (membership_id, token_sha256, expires_at) values ($1, $2, now() + interval '1 hour')`,
    [membershipId, Buffer.from(tokenSha256, 'hex')],
  );
  await client().usePasswordToken({ tokenSha256, passwordHash: somePasswordHash(), ...origin });
}

const addFactor = (membershipId: string) =>
  database.query(
    `insert into second_factors (id, membership_id, sealed, sealing_key_id, enabled_at) values ($1, $2, '', 'k1', now())`,
    [newId('mfa'), membershipId],
  );

describe('a person is mailed', () => {
  test('each change of the own second factor, each used recovery code, and each wrong code after the password [NOTIFY-12, FACTOR-7]', async () => {
    const access = client();
    const recoveryCodeSha256s = Array.from({ length: 10 }, hash);
    const { secret } = await access.beginSecondFactor(owner());
    const code = (at = Date.now()) => ({ totp: totpCode(secret, new Date(at)) });
    const refused = expect.objectContaining({ reason: 'second_factor_wrong' });
    const enable = (given: SecondFactorCode) =>
      access.useSecondFactor(owner(), { to: 'enable', code: given, recoveryCodeSha256s });
    const use = (given: SecondFactorCode, to: 'sign_in' | 'disable' = 'sign_in') =>
      access.useSecondFactor(owner(), { to, code: given });
    await expect(enable({})).rejects.toEqual(refused);
    expect(await due()).toEqual([]);
    await enable(code(Date.now() - 30_000));
    expect(await due()).toEqual([
      { email: emailOf(dana), kind: 'second_factor_enabled', count: 1, details: origin },
    ]);

    for (const wrong of [{ totp: '000000' }, { recoveryCodeSha256: hash() }, {}])
      await expect(use(wrong)).rejects.toEqual(refused);
    await expect(use({}, 'disable')).rejects.toEqual(refused);
    await use({ recoveryCodeSha256: recoveryCodeSha256s[0] });
    const replacement = { to: 'replace_recovery_codes', code: code(), recoveryCodeSha256s } as const;
    await access.useSecondFactor(owner(), replacement);
    await use(code(Date.now() + 30_000), 'disable');
    const to = { email: emailOf(dana), count: 1, details: origin };
    expect(await due()).toEqual([
      { ...to, kind: 'recovery_code_used', details: { ...origin, left: 9 } },
      { ...to, kind: 'recovery_codes_replaced' },
      { ...to, kind: 'second_factor_disabled' },
      { ...to, kind: 'second_factor_wrong', count: 4 },
    ]);
  });

  test('each password that replaces another, by the person, a mailed link or an operator [NOTIFY-12, SESSION-11]', async () => {
    const access = client();
    const changed = { email: emailOf(dana), kind: 'password_changed', count: 1 };
    const former = await access.findPerson(companyId, dana);
    const formerPasswordVersion = String(former?.passwordVersion);
    const passwordHash = somePasswordHash();
    await access.replacePassword(owner(), { formerPasswordVersion, passwordHash });
    await operators().updateOwner({ membershipId: dana, passwordHash: somePasswordHash() });
    expect(await due()).toEqual([{ ...changed, count: 2, details: { by: 'operator: olga' } }]);

    await useLink(olive);
    expect(await due()).toEqual([{ ...changed, email: emailOf(olive), details: origin }]);
    // The first password, of an invitation, replaces none. A notice is not withheld for the one before it.
    await database.query(`update security_notices set mailed_at = now() - interval '1 hour'`);
    await database.query('update memberships set password_hash = null where id = $1', [dana]);
    await useLink(dana);
    expect(await due()).toEqual([]);
  });

  test('the first sign-in with an account of the identity provider [NOTIFY-12, OIDC-3]', async () => {
    const issuer = 'https://idp.example';
    const identity = { issuer, subject: 'dana-1', verifiedEmail: emailOf(dana) };
    for (let n = 0; n < 2; n += 1) await client().linkProvider(owner(), identity);
    expect(await due()).toEqual([
      { email: emailOf(dana), kind: 'provider_linked', count: 1, details: { ...origin, issuer } },
    ]);
  });

  test('who has reset the second factor [FACTOR-5, FACTOR-6, NOTIFY-12]', async () => {
    await addFactor(olive);
    await client().resetColleagueSecondFactor(owner(), { params: { id: olive } });
    await addFactor(olive);
    await operators().resetSecondFactor({ membershipId: olive });
    const notice = { email: emailOf(olive), kind: 'second_factor_disabled', count: 2 };
    expect(await due()).toEqual([{ ...notice, details: { by: 'operator: olga' } }]);
  });
});

describe('the other owners are mailed a new owner', () => {
  const added = (email: string, displayName: string, by: object) => ({
    ...{ email: emailOf(email), kind: 'owner_added', count: 1 },
    details: { ...by, displayName },
  });
  const byDana = () => ({ by: 'Dana', ...origin });
  const sorted = async () => (await due()).sort((a, b) => (a.email < b.email ? -1 : 1));
  const toBoth = (displayName: string, by: object) =>
    [dana, olive].sort().map((id) => added(id, displayName, by));

  test('who is invited or promoted by one of them, and no viewer [NOTIFY-12]', async () => {
    const invite = (displayName: string, role: Role) =>
      client().inviteColleague(owner(), {
        ...{ displayName, role },
        ...{ email: `${newId('mem')}@seller.example`, tokenSha256: hash() },
      });
    const vera = await member('Vera', 'VIEWER');
    await invite('Viktor', 'viewer');
    const setRole = (role: Role) =>
      client().setColleagueRole(owner(), { params: { id: vera }, body: { role } });
    expect(await due()).toEqual([]);
    await setRole('owner');
    expect(await sorted()).toEqual(toBoth('Vera', byDana()));
    await setRole('viewer');
    await invite('Otto', 'owner');
    expect(await sorted()).toEqual(toBoth('Otto', byDana()));
  });

  test('whom an operator adds, promotes or lets in again [NOTIFY-12]', async () => {
    const by = { by: 'operator: olga' };
    const email = `${newId('mem')}@seller.example`;
    const add = { companyId, displayName: 'Otto', email };
    const { membershipId } = await operators().createOwner({ ...add, role: 'viewer' });
    expect(await due()).toEqual([]);
    const update = (change: object) => operators().updateOwner({ membershipId, ...change });
    await update({ role: 'owner' });
    expect(await sorted()).toEqual(toBoth('Otto', by));
    await update({ active: false });
    expect(await due()).toEqual([]);
    await update({ active: true });
    await database.query(`update security_notices set mailed_at = now() - interval '1 hour'`);
    expect(await sorted()).toEqual(toBoth('Otto', by));
    await operators().createOwner({ ...add, displayName: 'Oda', email: `other-${email}` });
    expect(await sorted()).toEqual(toBoth('Oda', by));
  });

  test('whom the platform adds, once, and not one who was an owner before [NOTIFY-12]', async () => {
    const id = newId('mem');
    const paul = { membershipId: id, companyId, displayName: 'Paul', active: true };
    const whole = { ...paul, role: 'OWNER' as const, email: emailOf(id), occurredAt: new Date() };
    const change = (version: number, more: Partial<typeof whole> = {}) =>
      database.transaction((tx) => recordMembershipChanged(tx, { ...whole, version, ...more }, new Date()));
    await change(1);
    await change(2, { displayName: 'Paul B.' });
    expect(await sorted()).toEqual(toBoth('Paul', { by: 'the operator of the service' }));
    await change(3, { membershipId: newId('mem'), email: emailOf(olive), displayName: 'Olive' });
    expect(await due()).toEqual([]);
  });
});

test('a former technical contact is mailed its replacement, and who requested it [NOTIFY-12]', async () => {
  const contact = async (email: string) => {
    const tokenSha256 = hash();
    await client().requestTechnicalContact(owner(), { email, tokenSha256 });
    await client().useTechnicalContactToken({ tokenSha256 });
  };
  await contact('first@seller.example');
  await contact('First@seller.example');
  expect(await due()).toEqual([]);
  await contact('second@seller.example');
  const notice = { email: 'First@seller.example', kind: 'technical_contact_replaced', count: 1 };
  const details = { by: 'Dana', remoteAddress: '203.0.113.7' };
  expect(await due()).toEqual([{ ...notice, details }]);
});

describe('equal notices', () => {
  const wrong = () =>
    client()
      .useSecondFactor(owner(), { to: 'sign_in', code: {} })
      .catch(() => undefined);
  beforeEach(() => addFactor(dana));
  const sendAll = async (outcome: 'sent' | 'failed') => {
    const leased = await lease();
    for (const { leaseId } of leased) await report(leaseId, outcome);
    return leased.map(({ count }) => count);
  };
  const age = () =>
    database.query(
      `update security_notices set mailed_at = mailed_at - interval '1 hour', not_before = not_before - interval '5 minutes'`,
    );

  test('are one email an hour with their number; the first is mailed at once [NOTIFY-13]', async () => {
    await wrong();
    expect(await sendAll('sent')).toEqual([1]);
    for (let time = 0; time < 3; time += 1) await wrong();
    expect(await sendAll('sent')).toEqual([]);
    await age();
    expect(await sendAll('sent')).toEqual([3]);
    await age();
    expect(await sendAll('sent')).toEqual([]);
  });

  test('are leased by one of several processes, and come again after a failure or a crash; those that came meanwhile are kept [NOTIFY-13]', async () => {
    await wrong();
    const [first, second] = await Promise.all([lease(), lease()]);
    expect([...first, ...second]).toHaveLength(1);
    await age();
    expect(await sendAll('failed')).toEqual([1]);
    expect(await sendAll('sent')).toEqual([]);
    await age();
    const [leased] = await lease();
    await wrong();
    await report(leased?.leaseId);
    await age();
    expect(await sendAll('sent')).toEqual([1]);
  });
});
