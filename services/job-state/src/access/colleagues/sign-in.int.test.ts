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
  await access().inviteColleague(by(ownerId), { ...person, tokenSha256: token() });
  const found = await database.query<{ id: string }>('select id from memberships where email = $1', [
    person.email,
  ]);
  return found[0]?.id ?? '';
}

const storedEmail = async (membershipId: string) => {
  const [found] = await database.query<{ email: string }>('select email from memberships where id = $1', [
    membershipId,
  ]);
  return found?.email ?? '';
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
    expect(await loginOf({ ...account, verifiedEmail: emailOf(other) })).toEqual({
      membershipId: id,
      isLinked: true,
    });
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
    const results = await Promise.allSettled(
      identities.map((identity) => access().linkProvider(by(id), identity)),
    );
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
    await database.query('update password_links set expires_at = $2 where membership_id = $1', [
      guest,
      TEST_NOW,
    ]);
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
      membershipId: adopted,
      companyId,
      role: 'OWNER',
      displayName: 'Dana',
      active: true,
      occurredAt: TEST_NOW,
    } as const;
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

test('a person whom an operator unlinks loses the sessions, also with a password [OIDC-8, SESSION-6]', async () => {
  const id = await member();
  await linked(id);
  const version = async () => (await access().findPerson(companyId, id))?.passwordVersion;
  const before = await version();
  for (let repeat = 0; repeat < 2; repeat += 1) {
    await operators().unlinkProvider({ membershipId: id });
  }
  expect(await version()).toBe(`${before}.1`);
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
    expect(await access().findPerson(companyId, id)).toMatchObject({
      role: 'owner',
      passwordVersion: 'none',
    });
    expect(await access().findLogin(await storedEmail(id))).toBeUndefined();
    expect(await access().findSignInMethods(by(id), { issuer: ISSUER })).toEqual({
      hasPassword: false,
      linkedAt: TEST_NOW.toISOString(),
    });
    expect((await access().findSignInMethods(by(id), {})).linkedAt).toBeNull();
    const { colleagues } = await access().listColleagues({ companyId });
    expect(colleagues.find(({ membershipId }) => membershipId === id)).toMatchObject({
      hasPassword: false,
      isLinked: true,
    });
  });

  test('counts as an owner who can sign in, and is not invited again [OIDC-8, ROLE-4]', async () => {
    const again = { displayName: 'Vera', email: await storedEmail(id), role: 'viewer' } as const;
    await expect(
      access().inviteColleague(by(ownerId), { ...again, tokenSha256: token() }),
    ).rejects.toMatchObject({ reason: 'invalid_argument' });
    await access().removeColleague(by(id), { params: { id: ownerId } });
    const last = access().removeColleague(by(id), { params: { id } });
    await expect(last).rejects.toMatchObject({ reason: 'last_owner' });
  });

  test('is unlinked by an operator, which ends the access until the next invitation [OIDC-8]', async () => {
    const unlink = () => operators().unlinkProvider({ membershipId: id });
    expect(await unlink()).toMatchObject({ membershipId: id, isLinked: false });
    await unlink();
    expect(await access().findPerson(companyId, id)).toBeUndefined();
    const entries = await database.query(
      `select details from audit_entries where subject_id = $1 and membership_id is null and display_name = 'operator: olga'`,
      [id],
    );
    expect(entries).toEqual([{ details: { displayName: 'Vera', changed: ['provider'] } }]);
    await expect(operators().unlinkProvider({ membershipId: newId('mem') })).rejects.toMatchObject({
      reason: 'not_found',
    });
  });
});

describe('a login', () => {
  test('is found ignoring the case of the address, and identifies the person', async () => {
    const dana = { displayName: 'Dana Whitfield', email: 'Dana@Seller.Example' };
    const id = await member(dana);
    expect(await access().findLogin('dana@SELLER.example')).toMatchObject({
      membershipId: id,
      companyId,
      companyClass: 'SALES',
      displayName: 'Dana Whitfield',
      role: 'owner',
      passwordHash: '$argon2id$hash',
    });
  });

  test('has one password version for the login and the owner, and a new one after each setting of the password [SESSION-6]', async () => {
    const membershipId = await member();
    const email = emailOf(membershipId);
    const versions = async () => {
      const login = await access().findLogin(email);
      const person = await access().findPerson(companyId, membershipId);
      return [login?.passwordVersion, person?.passwordVersion];
    };
    const [first, ofOwner] = await versions();
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(ofOwner).toBe(first);
    await database.query(`update memberships set password_hash = '$argon2id$second' where id = $1`, [
      membershipId,
    ]);
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
    expect(await access().findPerson(companyId, owner)).toMatchObject({
      role: 'owner',
      email: emailOf(owner),
    });
  });
});
