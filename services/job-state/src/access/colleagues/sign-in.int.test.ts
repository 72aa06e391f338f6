import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Role } from '@partner/proto-contracts/api/roles';
import { newId } from '@partner/kernel/process/ids';
import { recordMembershipChanged } from '../../platform/record-membership-changed.js';
import { connectAccess } from '../../testing/access-client.js';
import { connectOperators } from '../../testing/public-clients.js';
import { auditedOf, emailOf, insertCompany, insertMember, TEST_NOW } from '../../testing/test-jobs.js';
import { database } from '../../testing/file-database.js';

const ISSUER = 'https://login.example/';

let companyId: string;

beforeEach(async () => {
  companyId = await insertCompany(database, 'SALES');
});

const access = () => connectAccess({ database });
const operators = () => connectOperators({ database });

const by = (membershipId: string) => ({ companyId, membershipId });

const member = (options: Partial<Parameters<typeof insertMember>[1]> = {}) =>
  insertMember(database, { companyId, ...options });

const token = () => randomBytes(32).toString('hex');

/** Invites a person, who has no password yet. */
async function invited(ownerId: string, role: Role = 'owner'): Promise<string> {
  const id = newId('mem');
  const person = { displayName: 'Vera', email: emailOf(id), role };
  return (await access().inviteColleague(by(ownerId), { ...person, tokenSha256: token() })).membershipId;
}

const storedEmail = async (membershipId: string) => {
  const emails = 'select email from memberships where id = $1';
  return (await database.query<{ email: string }>(emails, [membershipId]))[0]?.email ?? '';
};

/** An identity with the address of a person. */
async function identityOf(membershipId: string, issuer = ISSUER) {
  return { issuer, subject: newId('usr'), verifiedEmail: (await storedEmail(membershipId)).toUpperCase() };
}

type Identity = Pick<Awaited<ReturnType<typeof identityOf>>, 'issuer' | 'subject'> & {
  readonly verifiedEmail?: string;
};

async function loginOf(identity: Identity) {
  const { login, isLinked } = await access().findProviderLogin(identity);
  return login && { membershipId: login.membershipId, isLinked };
}

/** Links a person. Resolves to the identity without its address. */
async function linked(membershipId: string): Promise<Identity> {
  const identity = await identityOf(membershipId);
  await access().linkProvider(by(membershipId), identity);
  return { issuer: identity.issuer, subject: identity.subject };
}

const refused = { reason: 'provider_sign_in_refused' };

describe('an account at the identity provider', () => {
  test.each(['\u212aay', 'kay\u0130', 'kay smith', ''])(
    'finds no one by the address "%s@seller.example", which is not valid, but the linked person [OIDC-3]',
    async (name) => {
      const id = await member();
      const email = `${name}@${id.replace('_', '-')}.example`;
      // As a database stored or equates it; production has no such address.
      await database.query('update memberships set email = $2 where id = $1', [id, email]);
      const identity = { issuer: ISSUER, subject: newId('usr'), verifiedEmail: email };
      expect(await loginOf(identity)).toBeUndefined();
      await expect(access().linkProvider(by(id), identity)).rejects.toMatchObject(refused);
      const { subject } = await member().then(linked);
      expect(await loginOf({ ...identity, subject })).toMatchObject({ isLinked: true });
    },
  );

  test('is of no one who signs in with an address beyond ASCII', async () => {
    const id = await member();
    const email = `\u212aay@${id.replace('_', '-')}.example`;
    await database.query('update memberships set email = $2 where id = $1', [id, email]);
    expect(await access().findLogin(email)).toBeUndefined();
  });

  test('finds a person by the verified address, and once linked without one [OIDC-3]', async () => {
    const id = await member();
    const identity = await identityOf(id);
    const { verifiedEmail, ...account } = identity;
    expect(await loginOf(account)).toBeUndefined();
    expect(await loginOf(identity)).toEqual({ membershipId: id, isLinked: false });
    for (let repeat = 0; repeat < 2; repeat += 1) await access().linkProvider(by(id), identity);
    expect(await loginOf(account)).toEqual({ membershipId: id, isLinked: true });
    // Neither a new address of the person nor one of the account matters.
    const other = await member();
    await database.query('update memberships set email = $2 where id = $1', [id, `new-${emailOf(id)}`]);
    const withOther = { ...account, verifiedEmail: emailOf(other) };
    expect(await loginOf(withOther)).toEqual({ membershipId: id, isLinked: true });
    await database.query('update memberships set email = $2 where id = $1', [other, verifiedEmail]);
    expect(await loginOf({ ...identity, subject: 'another' })).toMatchObject({ membershipId: other });
    const details = { changed: ['provider'], displayName: 'Dana', issuer: ISSUER };
    const entry = { action: 'owner.updated', by: id, at: null, details };
    expect(await auditedOf(database, id)).toEqual([entry]);
  });

  test('never links a second account of the provider to a person, or an account to two people [OIDC-3]', async () => {
    const id = await member();
    const identity = await linked(id);
    const second = await identityOf(id);
    expect(await loginOf(second)).toBeUndefined();
    await expect(access().linkProvider(by(id), second)).rejects.toMatchObject(refused);
    const other = await member();
    const claimed = { ...identity, verifiedEmail: emailOf(other) };
    await expect(access().linkProvider(by(other), claimed)).rejects.toMatchObject(refused);
    // The operator has another provider now.
    const elsewhere = await identityOf(id, 'https://other.example/');
    expect(await loginOf(elsewhere)).toEqual({ membershipId: id, isLinked: false });
  });

  test('is linked if two of them are at once, and the other is refused [OIDC-3]', async () => {
    const id = await member();
    const identities = [await identityOf(id), await identityOf(id)];
    const link = (identity: Identity) => access().linkProvider(by(id), identity);
    const results = await Promise.allSettled(identities.map(link));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('opens the account of an invited person, and of no one whom only the platform knows or who is inactive [OIDC-3]', async () => {
    const owner = await member();
    const guest = await invited(owner, 'viewer');
    expect(await loginOf(await identityOf(guest))).toEqual({ membershipId: guest, isLinked: false });
    for (const id of [
      await member({ passwordHash: null }),
      await member({ active: false }),
      await member({ role: 'TECHNICIAN' }),
    ]) {
      const identity = await identityOf(id);
      expect(await loginOf(identity)).toBeUndefined();
      await expect(access().linkProvider(by(id), identity)).rejects.toMatchObject(refused);
    }
    const expire = 'update password_links set expires_at = $2 where membership_id = $1';
    await database.query(expire, [guest, TEST_NOW]);
    expect(await loginOf(await identityOf(guest))).toBeUndefined();
  });

  test('of a removed or disabled person opens nothing, also if the platform makes the person active again [OIDC-3]', async () => {
    const owner = await member();
    for (const end of [
      (id: string) => access().removeColleague(by(owner), { params: { id } }),
      (id: string) => operators().updateOwner({ membershipId: id, active: false }),
    ]) {
      const id = await member();
      const identity = await linked(id);
      await end(id);
      await database.query('update memberships set active = true where id = $1', [id]);
      expect(await loginOf({ ...identity, verifiedEmail: emailOf(id) })).toBeUndefined();
    }
  });

  test('moves to the membership of the platform that replaces the person [OIDC-3, PLATFORM-20]', async () => {
    const id = await member();
    const identity = await linked(id);
    const adopted = newId('mem');
    const person = {
      ...{ membershipId: adopted, companyId, displayName: 'Dana', active: true },
      ...({ role: 'OWNER', occurredAt: TEST_NOW } as const),
    };
    const tell = (given: { readonly email: string | null; readonly version: number }) =>
      database.transaction((tx) => recordMembershipChanged(tx, { ...person, ...given }, TEST_NOW));
    await tell({ email: emailOf(id), version: 1 });
    expect(await loginOf(identity)).toEqual({ membershipId: adopted, isLinked: true });
    // A former owner loses it, as the password.
    await tell({ email: null, version: 2 });
    await tell({ email: emailOf(id), version: 3 });
    expect(await loginOf({ ...identity, verifiedEmail: emailOf(id) })).toBeUndefined();
  });
});

describe('a person who signs in at the identity provider only', () => {
  let ownerId: string;
  let id: string;

  beforeEach(async () => {
    ownerId = await member();
    id = await invited(ownerId);
    await linked(id);
  });

  test('is an owner whose sessions last, without a password [OIDC-8]', async () => {
    const person = await access().findPerson(companyId, id);
    expect(person).toMatchObject({ role: 'owner', passwordVersion: 'none' });
    expect(await access().findLogin(await storedEmail(id))).toBeUndefined();
    const methods = await access().findSignInMethods(by(id), { issuer: ISSUER });
    expect(methods).toEqual({ hasPassword: false, linkedAt: TEST_NOW.toISOString() });
    expect((await access().findSignInMethods(by(id), {})).linkedAt).toBeNull();
    const { colleagues } = await access().listColleagues({ companyId });
    const colleague = colleagues.find(({ membershipId }) => membershipId === id);
    expect(colleague).toMatchObject({ hasPassword: false, isLinked: true });
  });

  test('counts as an owner who can sign in, and is not invited again [OIDC-8, ROLE-4]', async () => {
    const person = { displayName: 'Vera', email: await storedEmail(id), role: 'viewer' } as const;
    const again = access().inviteColleague(by(ownerId), { ...person, tokenSha256: token() });
    await expect(again).rejects.toMatchObject({ reason: 'invalid_argument' });
    await access().removeColleague(by(id), { params: { id: ownerId } });
    const last = access().removeColleague(by(id), { params: { id } });
    await expect(last).rejects.toMatchObject({ reason: 'last_owner' });
  });

  test('is unlinked by an operator, which ends the access until the next invitation, and the sessions, also of one with a password [OIDC-8, SESSION-6]', async () => {
    await linked(ownerId);
    const version = async () => (await access().findPerson(companyId, ownerId))?.passwordVersion;
    const before = await version();
    for (const membershipId of [id, ownerId, id, ownerId])
      expect(await operators().unlinkProvider({ membershipId })).toMatchObject({
        membershipId,
        isLinked: false,
      });
    expect(await version()).toBe(`${before}.1`);
    expect(await access().findPerson(companyId, id)).toBeUndefined();
    const entries = await database.query(
      `select details from audit_entries where subject_id = $1 and membership_id is null and display_name = 'operator: olga'`,
      [id],
    );
    expect(entries).toEqual([{ details: { displayName: 'Vera', changed: ['provider'] } }]);
    const unknown = operators().unlinkProvider({ membershipId: newId('mem') });
    await expect(unknown).rejects.toMatchObject({ reason: 'not_found' });
  });
});

describe('a login', () => {
  test('is found ignoring the case, with the password version of the owner, a new one for each password [SESSION-6]', async () => {
    const membershipId = await member({ email: `Dana@${newId('evt')}.Example` });
    const email = (await storedEmail(membershipId)).toUpperCase();
    const identity = { membershipId, companyId, companyClass: 'SALES', displayName: 'Dana', role: 'owner' };
    expect(await access().findLogin(email)).toMatchObject({ ...identity, passwordHash: '$argon2id$hash' });
    const versions = async () => {
      const login = await access().findLogin(email);
      const person = await access().findPerson(companyId, membershipId);
      return [login?.passwordVersion, person?.passwordVersion];
    };
    const [first, ofOwner] = await versions();
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(ofOwner).toBe(first);
    const change = `update memberships set password_hash = '$argon2id$second' where id = $1`;
    await database.query(change, [membershipId]);
    const [second, ofOwnerThen] = await versions();
    expect(second).not.toBe(first);
    expect(ofOwnerThen).toBe(second);
  });

  test('and its person are of no one unknown or inactive, and no technician or company has another person [SESSION-6]', async () => {
    const owner = await member();
    const gone = await member({ active: false });
    const technician = await member({ role: 'TECHNICIAN' });
    for (const id of [gone, newId('mem')]) expect(await access().findLogin(emailOf(id))).toBeUndefined();
    for (const id of [gone, technician, newId('mem')])
      expect(await access().findPerson(companyId, id)).toBeUndefined();
    const other = await insertCompany(database, 'INSTALLER');
    expect(await access().findPerson(other, owner)).toBeUndefined();
    const person = { role: 'owner', email: emailOf(owner) };
    expect(await access().findPerson(companyId, owner)).toMatchObject(person);
  });
});
