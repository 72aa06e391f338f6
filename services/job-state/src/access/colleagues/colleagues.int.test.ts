import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Role } from '@partner/proto-contracts/api/roles';
import { COLLEAGUE_LIMITS } from '@partner/proto-contracts/resources/colleague/colleague';
import { connectAccess } from '../../testing/access-client.js';
import { auditedOf, emailOf, insertCompany, insertMember, TEST_NOW } from '../../testing/test-jobs.js';
import { database } from '../../testing/file-database.js';

const INVALID = { reason: 'invalid_argument' };
const NOT_FOUND = { reason: 'not_found' };
const DENIED = { reason: 'permission_denied' };

let companyId: string;
let ownerId: string;

beforeEach(async () => {
  companyId = await insertCompany(database, 'SALES');
  ownerId = await member('OWNER');
});

const access = () => connectAccess({ database });

const member = (role: 'OWNER' | 'VIEWER') => insertMember(database, { companyId, role });

const by = (membershipId: string) => ({ companyId, membershipId });
const token = () => randomBytes(32).toString('hex');

async function invite(email: string, role: Role = 'viewer', actorId = ownerId) {
  const tokenSha256 = token();
  const request = { displayName: 'Vera', email, role, tokenSha256 };
  return { person: await access().inviteColleague(by(actorId), request), tokenSha256 };
}

const setRole = (actorId: string, id: string, role: Role) =>
  access().setColleagueRole(by(actorId), { params: { id }, body: { role } });

const remove = (actorId: string, id: string, of = companyId) =>
  access().removeColleague({ ...by(actorId), companyId: of }, { params: { id } });

const colleagues = async () => (await access().listColleagues({ companyId })).colleagues;

describe('a person', () => {
  test('is invited with a link of 72 hours, again with another role, and is then a viewer [ROLE-2, ROLE-3, ROLE-6]', async () => {
    const address = `${companyId}@people.example`;
    const first = await invite(address, 'owner');
    const second = await invite(address.toUpperCase());
    expect(second.person).toEqual({ ...first.person, role: 'viewer' });
    const invitationEndsAt = new Date(TEST_NOW.getTime() + 72 * 3_600_000).toISOString();
    expect((await colleagues()).at(-1)).toMatchObject({ invitedBy: 'Dana', invitationEndsAt });
    const former = access().findPasswordLink({ tokenSha256: first.tokenSha256 });
    await expect(former).rejects.toMatchObject(NOT_FOUND);
    const { tokenSha256, person } = second;
    const links = 'select expires_at from password_links where membership_id = $1';
    const expires_at = new Date(invitationEndsAt);
    expect(await database.query(links, [person.membershipId])).toEqual([{ expires_at }]);
    const passwordHash = `$argon2id$v=19$m=19456,t=2,p=1$${'a'.repeat(22)}$${'b'.repeat(43)}`;
    await access().usePasswordToken({ tokenSha256, passwordHash });
    const viewer = { role: 'viewer' };
    expect(await access().findLogin(address)).toMatchObject(viewer);
    expect(await access().findPerson(companyId, person.membershipId)).toMatchObject(viewer);
    expect((await colleagues()).at(-1)).toMatchObject({ invitedBy: null, invitationEndsAt: null });
    await expect(invite(address)).rejects.toMatchObject(INVALID);
  });

  test('of another company cannot be invited, changed or removed [ROLE-2]', async () => {
    const [theirs, stranger] = [companyId, ownerId];
    companyId = await insertCompany(database, 'SALES');
    ownerId = await member('OWNER');
    await expect(invite(emailOf(stranger))).rejects.toMatchObject(INVALID);
    for (const changed of [setRole(ownerId, stranger, 'viewer'), remove(ownerId, stranger)])
      await expect(changed).rejects.toMatchObject(NOT_FOUND);
    await expect(remove(ownerId, stranger, theirs)).rejects.toMatchObject(DENIED);
  });

  test('is changed by owners only, with entries in the audit trail [ROLE-2]', async () => {
    const viewer = await member('VIEWER');
    for (const refused of [
      invite('x@people.example', 'owner', viewer),
      setRole(viewer, viewer, 'owner'),
      remove(viewer, ownerId),
    ]) {
      await expect(refused).rejects.toMatchObject(DENIED);
    }
    for (let repeat = 0; repeat < 2; repeat += 1) await setRole(ownerId, viewer, 'owner');
    await remove(ownerId, viewer);
    expect(await auditedOf(database, viewer)).toMatchObject([
      { by: ownerId, details: { changed: ['role'], role: 'owner' } },
      { by: ownerId, details: { changed: ['active'], active: false } },
    ]);
    expect((await colleagues()).map(({ membershipId }) => membershipId)).toEqual([ownerId]);
  });

  test('who was removed gets no link for a forgotten password, and can be invited again [ROLE-5]', async () => {
    const viewer = await member('VIEWER');
    const email = emailOf(viewer);
    await remove(ownerId, viewer);
    // As the platform does.
    await database.query('update memberships set active = true where id = $1', [viewer]);
    expect(await access().createPasswordLink({ email, tokenSha256: token() })).toEqual({});
    expect((await invite(email)).person.membershipId).toBe(viewer);
  });
});

test('the last owner with a password stays one, also if two owners demote each other at once [ROLE-4]', async () => {
  await invite(`${companyId}@people.example`, 'owner');
  const demote = (actorId: string, id: string) => setRole(actorId, id, 'viewer');
  await expect(demote(ownerId, ownerId)).rejects.toMatchObject({ reason: 'last_owner' });
  await expect(remove(ownerId, ownerId)).rejects.toMatchObject({ reason: 'last_owner' });
  const other = await member('OWNER');
  const results = await Promise.allSettled([demote(ownerId, other), demote(other, ownerId)]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const owners = (await colleagues()).filter(({ role, hasPassword }) => role === 'owner' && hasPassword);
  expect(owners).toHaveLength(1);
});

test(`a company has at most ${COLLEAGUE_LIMITS.colleagues} people [ROLE-2]`, async () => {
  for (let n = 1; n < COLLEAGUE_LIMITS.colleagues; n += 1) await member('VIEWER');
  const oneMore = invite(`${companyId}@people.example`);
  await expect(oneMore).rejects.toMatchObject({ reason: 'colleague_limit_reached' });
});
