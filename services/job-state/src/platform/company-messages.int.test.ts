import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  CompanyClass,
  MembershipRole,
} from '@partner/proto-contracts/gen/partner/platform/v1/company_messages_pb';
import { newId } from '@partner/kernel/process/ids';
import { recordAudit } from '../audit/record-audit.js';
import { linkedNow } from '../journal/accounting-links.js';
import { connectAccess } from '../testing/access-client.js';
import { untilLockWaits } from '../testing/lock-waits.js';
import { connectAudit, connectOperators } from '../testing/public-clients.js';
import { insertCompany, insertMember } from '../testing/test-jobs.js';
import { sent } from './testing/messages.js';
import { database, handle, DONE, waitsFor } from './testing/platform-fixture.js';

let companyId: string;
let email: string;

beforeEach(async () => {
  companyId = await insertCompany(database, 'INSTALLER');
  email = `${newId('usr')}@owners.example`;
});

const membershipChanged = (membershipId: string, given: Parameters<typeof sent.membershipChanged>[0] = {}) =>
  sent.membershipChanged({ membershipId, companyId, email, ...given });

const access = () => connectAccess({ database });

const membershipOf = async (membershipId: string) => {
  const columns = 'role, display_name, email, password_hash, active, version';
  return (await database.query(`select ${columns} from memberships where id = $1`, [membershipId]))[0];
};

const giveWord = (membershipId: string) =>
  database.query('update memberships set password_hash = $2 where id = $1', [membershipId, '$argon2id$x']);

describe('a membership of the platform', () => {
  test('of an owner is created without a password: the owner cannot sign in until one is set [PLATFORM-19]', async () => {
    const membershipId = newId('mem');
    await handle(membershipChanged(membershipId));
    expect(await membershipOf(membershipId)).toMatchObject({ role: 'OWNER', email, password_hash: null });
    expect(await access().findLogin(email)).toBeUndefined();
    expect(await access().findPerson(companyId, membershipId)).toBeUndefined();
    await giveWord(membershipId);
    expect(await access().findLogin(email)).toMatchObject({ membershipId, companyId, role: 'owner' });
    expect(await access().findPerson(companyId, membershipId)).toBeDefined();
  });

  test('has the state of its newest version, and keeps the password [PLATFORM-2]', async () => {
    const membershipId = newId('mem');
    await handle(membershipChanged(membershipId));
    await giveWord(membershipId);
    const other = `${newId('usr')}@owners.example`;
    const newest = { version: 3, displayName: 'Ada Reyes', email: other };
    for (const given of [newest, { version: 2, active: false }, newest])
      expect(await handle(membershipChanged(membershipId, given))).toEqual(DONE);
    expect(await membershipOf(membershipId)).toEqual({
      ...{ role: 'OWNER', display_name: 'Ada Reyes', email: other, password_hash: '$argon2id$x' },
      ...{ active: true, version: 3 },
    });
  });

  test('that is inactive, or no longer an owner, cannot sign in', async () => {
    const [inactive, technician] = [newId('mem'), newId('mem')];
    const second = `${newId('usr')}@owners.example`;
    await handle(membershipChanged(inactive));
    await handle(membershipChanged(technician, { email: second }));
    for (const membershipId of [inactive, technician]) await giveWord(membershipId);
    await handle(membershipChanged(inactive, { version: 2, active: false }));
    const demoted = { version: 2, role: MembershipRole.TECHNICIAN, email: second };
    await handle(membershipChanged(technician, demoted));
    for (const membershipId of [inactive, technician]) {
      expect(await access().findPerson(companyId, membershipId)).toBeUndefined();
    }
    for (const address of [email, second]) expect(await access().findLogin(address)).toBeUndefined();
    expect(await membershipOf(technician)).toMatchObject({ email: null, password_hash: null });
  });

  test('never re-enables the sign-in of an owner whom an operator disabled [PLATFORM-19]', async () => {
    const membershipId = newId('mem');
    await handle(membershipChanged(membershipId));
    await giveWord(membershipId);
    await connectOperators({ database }).updateOwner({ membershipId, active: false });
    await handle(membershipChanged(membershipId, { version: 2, displayName: 'Ada Reyes' }));
    expect(await membershipOf(membershipId)).toMatchObject({ active: true, password_hash: null });
    expect(await access().findLogin(email)).toBeUndefined();
  });

  test('of an erased company is ignored, and operators cannot restore its people [PERSON-9]', async () => {
    const [known, another] = [newId('mem'), newId('mem')];
    await handle(membershipChanged(known));
    await database.query(
      `insert into erasures (id, subject, operator, requested_at) values ($1, jsonb_build_object('companyId', $2::text), 'olga', now())`,
      [newId('ers'), companyId],
    );
    const before = await membershipOf(known);
    await handle(membershipChanged(known, { version: 2, displayName: 'Ada Reyes' }));
    await handle(membershipChanged(another, { email: `${another}@owners.example` }));
    expect(await membershipOf(known)).toEqual(before);
    expect(await membershipOf(another)).toBeUndefined();
    const restoring = connectOperators({ database }).updateOwner({ membershipId: known, active: true });
    await expect(restoring).rejects.toThrow('no such owner');
  });

  test('cannot move to another company', async () => {
    const membershipId = newId('mem');
    await handle(membershipChanged(membershipId));
    const moved = { version: 2, companyId: await insertCompany(database, 'INSTALLER') };
    const reason = `membership ${membershipId} belongs to another company`;
    expect(await handle(membershipChanged(membershipId, moved))).toEqual({ kind: 'dead', reason });
  });

  test('waits for an address that another one has, until that one gives it up [PLATFORM-20]', async () => {
    const [first, second] = [newId('mem'), newId('mem')];
    await handle(membershipChanged(first));
    const waiting = membershipChanged(second, { email: email.toUpperCase() });
    expect(await handle(waiting)).toEqual(DONE);
    expect(await waitsFor(waiting.messageId)).toBe(first);
    expect(await membershipOf(second)).toBeUndefined();
    await handle(membershipChanged(first, { version: 2, role: MembershipRole.TECHNICIAN }));
    expect(await waitsFor(waiting.messageId)).toBeNull();
    expect(await membershipOf(second)).toMatchObject({ email: email.toUpperCase() });
  });

  test('gets an address that many request concurrently once; the others wait [PLATFORM-20]', async () => {
    const ids = Array.from({ length: 6 }, () => newId('mem'));
    const outcomes = await Promise.all(ids.map((id) => handle(membershipChanged(id))));
    expect(outcomes).toEqual(ids.map(() => DONE));
    const holders = await database.query<{ id: string }>('select id from memberships where email = $1', [
      email,
    ]);
    expect(holders).toHaveLength(1);
    const waiting = 'select from inbox where prerequisite_id = $1';
    expect(await database.query(waiting, [holders[0]?.id])).toHaveLength(5);
  });
});

test('a viewer stays one, whatever the platform says of an owner [ROLE-5]', async () => {
  const membershipId = newId('mem');
  await handle(membershipChanged(membershipId));
  await database.query(`update memberships set role = 'VIEWER' where id = $1`, [membershipId]);
  await handle(membershipChanged(membershipId, { version: 2 }));
  expect(await membershipOf(membershipId)).toMatchObject({ role: 'VIEWER', version: 2 });

  const address = `${newId('usr')}@owners.example`;
  await insertMember(database, { companyId, role: 'VIEWER', email: address, passwordHash: null });
  const adopted = newId('mem');
  await handle(membershipChanged(adopted, { email: address }));
  expect(await membershipOf(adopted)).toMatchObject({ role: 'VIEWER', email: address });
});

describe('a membership with the address of an owner whom an operator created', () => {
  const made = (given: { readonly companyId: string; readonly active?: boolean }) =>
    insertMember(database, { ...given, displayName: 'Ada', email, passwordHash: '$argon2id$made' });

  test('of the same company becomes that owner, with the password, the second factor and in the audit trail [PLATFORM-20]', async () => {
    const former = await made({ companyId });
    await database.query(
      `insert into second_factors (id, membership_id, sealed, sealing_key_id, enabled_at)
       values ($1, $2, 'sealed', 'k1', now())`,
      [newId('mfa'), former],
    );
    await recordAudit(database, {
      companyId,
      actor: { membershipId: former },
      action: 'webhook.created',
      subject: { type: 'webhook', id: newId('whk') },
    });
    const membershipId = newId('mem');
    const message = membershipChanged(membershipId, { email: email.toUpperCase() });
    expect(await handle(message)).toEqual(DONE);
    expect(await handle({ ...message, messageId: newId('evt') })).toEqual(DONE);
    expect(await access().findLogin(email)).toMatchObject({
      ...{ membershipId, companyId, displayName: 'Ada Cole' },
      ...{ passwordHash: '$argon2id$made', hasSecondFactor: true },
    });
    expect(await membershipOf(former)).toBeUndefined();
    expect(await access().findPerson(companyId, former)).toBeUndefined();
    const { entries } = await connectAudit({ database }).listAuditEntries({ companyId });
    expect(entries).toMatchObject([{ actor: { membershipId, displayName: 'Ada Cole' } }]);
  });

  test('who was inactive no longer has a password [PLATFORM-20]', async () => {
    await made({ companyId, active: false });
    const membershipId = newId('mem');
    await handle(membershipChanged(membershipId));
    expect(await membershipOf(membershipId)).toMatchObject({ email, password_hash: null, active: true });
  });

  test('of another company is refused, and the reason has neither address nor owner [PLATFORM-20]', async () => {
    const other = await insertCompany(database, 'INSTALLER');
    const holder = await made({ companyId: other });
    const membershipId = newId('mem');
    const reason = `the email address of membership ${membershipId} is that of an owner of another company`;
    expect(await handle(membershipChanged(membershipId))).toEqual({ kind: 'dead', reason });
    expect(await membershipOf(holder)).toMatchObject({ email, password_hash: '$argon2id$made' });
    expect(await membershipOf(membershipId)).toBeUndefined();
  });
});

describe('a company of the platform', () => {
  test('never changes its class, even if another source creates it concurrently', async () => {
    const id = newId('cmp');
    const handling = await database.transaction(async (tx) => {
      await tx.query(`insert into companies (id, name, class) values ($1, 'Made', 'SALES')`, [id]);
      const outcome = handle(sent.companyChanged({ companyId: id, class: CompanyClass.INSTALLER }));
      await untilLockWaits(database);
      return { outcome };
    });
    const reason = `company ${id} is not of class INSTALLER, and a class never changes`;
    expect(await handling.outcome).toEqual({ kind: 'dead', reason });
    const columns = `name, class, version, ${linkedNow('id')} as links`;
    const company = await database.query(`select ${columns} from companies where id = $1`, [id]);
    expect(company).toEqual([{ name: 'Made', class: 'SALES', version: 0, links: [] }]);
  });

  test('can only be linked to accounting companies', async () => {
    const seller = await insertCompany(database, 'SALES');
    const reason = `company ${seller} is not an accounting company`;
    const linked = sent.companyChanged({ accountingCompanyIds: [seller] });
    expect(await handle(linked)).toEqual({ kind: 'dead', reason });
  });
});
