import { randomBytes } from 'node:crypto';
import { createClient } from '@connectrpc/connect';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import {
  colleague,
  COLLEAGUE_LIMITS,
  colleagueList,
} from '@partner/proto-contracts/resources/colleague/colleague';
import { readResource } from '@partner/proto-contracts/resource-json';
import { rpcService } from '@partner/kernel/amqp/rpc-service';
import { newId } from '@partner/kernel/ids';
import { silentLogger } from '@partner/kernel/logger';
import { createInMemoryTransport } from '@partner/kernel/testing/in-memory-transport';
import type { Database } from '../database/database.js';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { insertCompany, TEST_NOW } from '../testing/test-jobs.js';
import { TEST_SEALING_KEYS } from '../testing/test-sealing-keys.js';
import { createAccessService } from './access-service.js';

let testDatabase: TestDatabase;
let database: Database;
let companyId: string;
let ownerId: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  ({ database } = testDatabase);
});

afterAll(() => testDatabase.drop());

beforeEach(async () => {
  companyId = await insertCompany(database, 'SALES');
  ownerId = await member('OWNER');
});

function access() {
  const deps = {
    database,
    clock: () => TEST_NOW,
    logger: silentLogger,
    environment: 'sandbox',
    sealingKeys: TEST_SEALING_KEYS,
  } as const;
  return createClient(
    AccessService,
    createInMemoryTransport([rpcService(AccessService, createAccessService(deps))]),
  );
}

async function member(role: string): Promise<string> {
  const id = newId('mem');
  await database.query(
    `insert into memberships (id, company_id, role, display_name, email, password_hash)
     values ($1, $2, $3, 'Dana', $4, '$argon2id$hash')`,
    [id, companyId, role, `${id}@seller.example`],
  );
  return id;
}

const by = (membershipId: string) => ({ companyId, actor: { membershipId, displayName: 'Dana' } });
const token = () => new Uint8Array(randomBytes(32));

async function invite(email: string, role = 'viewer', actorId = ownerId) {
  const tokenSha256 = token();
  const request = { ...by(actorId), displayName: 'Vera', email, role, tokenSha256 };
  return { person: readResource(colleague, await access().addColleague(request)), tokenSha256 };
}

const people = async () =>
  readResource(colleagueList, await access().listColleagues({ companyId })).colleagues;

describe('a person', () => {
  test('is invited with a link of 72 hours, again with another role, and is then a viewer [ROLE-2, ROLE-3, ROLE-6]', async () => {
    const address = `${companyId}@people.example`;
    const first = await invite(address, 'owner');
    const second = await invite(address.toUpperCase());
    expect(second.person).toEqual({ ...first.person, role: 'viewer' });
    await expect(access().getPasswordLink({ tokenSha256: first.tokenSha256 })).rejects.toMatchObject({
      reason: 'not_found',
    });
    const { tokenSha256, person } = second;
    const [link] = await database.query('select expires_at from password_links where membership_id = $1', [
      person.membershipId,
    ]);
    expect(link).toEqual({ expires_at: new Date(TEST_NOW.getTime() + 72 * 3_600_000) });
    const passwordHash = `$argon2id$v=19$m=19456,t=2,p=1$${'a'.repeat(22)}$${'b'.repeat(43)}`;
    await access().usePasswordLink({ tokenSha256, passwordHash });
    const viewer = { isOwner: false, isViewer: true };
    expect(await access().getLogin({ email: address })).toMatchObject({ login: viewer });
    expect(await access().getOwner({ companyId, membershipId: person.membershipId })).toMatchObject(viewer);
    await expect(invite(address)).rejects.toMatchObject({ reason: 'invalid_argument' });
  });

  test('of another company cannot be invited, changed or removed [ROLE-2]', async () => {
    const [theirs, stranger] = [companyId, ownerId];
    companyId = await insertCompany(database, 'SALES');
    ownerId = await member('OWNER');
    await expect(invite(`${stranger}@seller.example`)).rejects.toMatchObject({ reason: 'invalid_argument' });
    const named = { ...by(ownerId), membershipId: stranger };
    for (const changed of [
      access().setColleagueRole({ ...named, role: 'viewer' }),
      access().removeColleague(named),
    ]) {
      await expect(changed).rejects.toMatchObject({ reason: 'not_found' });
    }
    await expect(access().removeColleague({ ...named, companyId: theirs })).rejects.toMatchObject({
      reason: 'permission_denied',
    });
  });

  test('is changed by owners only, with entries in the audit trail [ROLE-2]', async () => {
    const viewer = await member('VIEWER');
    const promoted = { membershipId: viewer, role: 'owner' };
    for (const refused of [
      invite('x@people.example', 'owner', viewer),
      access().setColleagueRole({ ...by(viewer), ...promoted }),
      access().removeColleague({ ...by(viewer), membershipId: ownerId }),
    ]) {
      await expect(refused).rejects.toMatchObject({ reason: 'permission_denied' });
    }
    await access().setColleagueRole({ ...by(ownerId), ...promoted });
    await access().setColleagueRole({ ...by(ownerId), ...promoted });
    await access().removeColleague({ ...by(ownerId), membershipId: viewer });
    const entries = await database.query(
      'select membership_id as by, details from audit_entries where subject_id = $1 order by id',
      [viewer],
    );
    expect(entries).toMatchObject([
      { by: ownerId, details: { changed: ['role'], role: 'owner' } },
      { by: ownerId, details: { changed: ['active'], active: false } },
    ]);
    expect(entries).toHaveLength(2);
    expect((await people()).map(({ membershipId }) => membershipId)).toEqual([ownerId]);
  });

  test('who was removed gets no link for a forgotten password, and can be invited again [ROLE-5]', async () => {
    const viewer = await member('VIEWER');
    const email = `${viewer}@seller.example`;
    await access().removeColleague({ ...by(ownerId), membershipId: viewer });
    // As the platform does.
    await database.query('update memberships set active = true where id = $1', [viewer]);
    expect((await access().requestPasswordLink({ email, tokenSha256: token() })).email).toBeUndefined();
    expect((await invite(email)).person.membershipId).toBe(viewer);
  });
});

test('the last owner with a password stays one, also if two owners demote each other at once [ROLE-4]', async () => {
  await invite(`${companyId}@people.example`, 'owner');
  const demote = (actorId: string, membershipId: string) =>
    access().setColleagueRole({ ...by(actorId), membershipId, role: 'viewer' });
  await expect(demote(ownerId, ownerId)).rejects.toMatchObject({ reason: 'last_owner' });
  const removed = access().removeColleague({ ...by(ownerId), membershipId: ownerId });
  await expect(removed).rejects.toMatchObject({ reason: 'last_owner' });
  const other = await member('OWNER');
  const results = await Promise.allSettled([demote(ownerId, other), demote(other, ownerId)]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect((await people()).filter(({ role, hasPassword }) => role === 'owner' && hasPassword)).toHaveLength(1);
});

test(`a company has at most ${COLLEAGUE_LIMITS.people} people [ROLE-2]`, async () => {
  for (let n = 1; n < COLLEAGUE_LIMITS.people; n += 1) await member('VIEWER');
  await expect(invite(`${companyId}@people.example`)).rejects.toMatchObject({
    reason: 'colleague_limit_reached',
  });
});
