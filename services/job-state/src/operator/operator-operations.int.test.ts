import { hash } from '@node-rs/argon2';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { PASSWORD_HASHING } from '@partner/kernel/security/password-hashing';
import { connectAccess } from '../testing/access-client.js';
import {
  connectAudit,
  connectOperators,
  type PublicAudit,
  type PublicOperators,
} from '../testing/public-clients.js';
import { fixture } from '../testing/file-webhooks.js';

const INVALID = { reason: 'invalid_argument' };
const NOT_FOUND = { reason: 'not_found' };

const IN_FLIGHT = 200;
/** Resulting slots of one subscription. */
const SUBSCRIPTION_CAP = 4;

let operators: PublicOperators;
let audit: PublicAudit;

beforeAll(async () => {
  const { database } = fixture;
  operators = connectOperators({
    database,
    clock: () => new Date(),
    logger: silentLogger,
    environment: 'sandbox',
    inFlight: IN_FLIGHT,
  });
  audit = connectAudit({ database });
});
async function newCompany(companyClass: CompanyClassName = 'INSTALLER', name = 'Peak Installers') {
  const { id } = await operators.createCompany({ name, class: companyClass });
  return id;
}

async function newOwner(companyId: string, passwordHash?: string) {
  const email = `${newId('usr')}@example.com`;
  const owner = await operators.createOwner({
    companyId,
    displayName: 'Ola Owner',
    email,
    ...(passwordHash !== undefined && { passwordHash }),
  });
  return { membershipId: owner.membershipId, email, owner };
}

async function trail(companyId: string) {
  const { entries } = await audit.listAuditEntries({ companyId }, { limit: '100' });
  return entries
    .reverse()
    .map(({ action, subject, actor, details }) => ({ action, subjectId: subject.id, actor, details }));
}

describe('companies', () => {
  test('are created, found, listed oldest first in pages, and searched by name', async () => {
    const first = await newCompany('SALES', 'Zebra Homes');
    const second = await newCompany('INSTALLER', 'zebra Installers');
    const page = await operators.listCompanies({ nameContains: 'ZEBRA', limit: 1 });
    expect(page).toMatchObject({ hasMore: true, companies: [{ id: first, name: 'Zebra Homes' }] });
    const rest = await operators.listCompanies({ nameContains: 'ZEBRA', limit: 1, afterCompanyId: first });
    const counts = { activeKeys: 0, activeWebhooks: 0, accountingCompanyIds: [] };
    expect(rest).toMatchObject({
      hasMore: false,
      companies: [{ id: second, class: 'INSTALLER', deliveryWeight: 1, ...counts }],
    });
    await fixture.subscription({ companyId: second });
    const { companies } = await operators.listCompanies({ companyId: second });
    expect(companies).toMatchObject([{ id: second, activeWebhooks: 1 }]);
  });

  test('can have the id that the platform uses, once', async () => {
    const companyId = newId('cmp');
    const request = { name: 'Given', class: 'SALES' as const, companyId };
    await expect(operators.createCompany(request)).resolves.toMatchObject({ id: companyId });
    await expect(operators.createCompany(request)).rejects.toMatchObject(INVALID);
    await expect(operators.createCompany({ ...request, companyId: 'cmp_x' })).rejects.toMatchObject(INVALID);
  });

  test('change only in the given fields, and a change without effect leaves no entry [CONSOLE-11]', async () => {
    const companyId = await newCompany();
    const books = await newCompany('ACCOUNTING', 'Books');
    const set = { installerRequestsPerMinute: 90, deliveryWeight: 3 };
    const expected = { name: 'Peak Installers', ...set, accountingCompanyIds: [books] };
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const updated = operators.updateCompany({ companyId, ...set, accountingCompanyIds: [books, books] });
      await expect(updated).resolves.toMatchObject(expected);
    }
    const renamed = await operators.updateCompany({ companyId, name: 'Peak' });
    expect(renamed).toMatchObject({ ...expected, name: 'Peak' });
    const none = { installerRequestsPerMinute: 0, accountingCompanyIds: [] };
    const back = await operators.updateCompany({ companyId, ...none });
    expect(back).toMatchObject({ installerRequestsPerMinute: null, accountingCompanyIds: [] });

    const [created, ...entries] = await trail(companyId);
    expect(created?.action).toBe('company.created');
    expect(entries.map(({ action }) => action)).toEqual(entries.map(() => 'company.updated'));
    expect(entries).toHaveLength(3);
    const changed = ['installerRequestsPerMinute', 'deliveryWeight', 'accountingCompanyIds'];
    expect(entries[0]).toMatchObject({
      subjectId: companyId,
      actor: { membershipId: null, displayName: 'operator: olga' },
      details: { changed, deliveryWeight: 3 },
    });
  });

  test('get no journal of a company that is not an accounting company, and unknown ones are not found', async () => {
    const companyId = await newCompany();
    const books = await newCompany('ACCOUNTING');
    const link = (from: string, to: string) =>
      operators.updateCompany({ companyId: from, accountingCompanyIds: [to] });
    await expect(link(companyId, companyId)).rejects.toMatchObject(INVALID);
    await expect(link(books, books)).rejects.toMatchObject(INVALID);
    await expect(link(newId('cmp'), books)).rejects.toMatchObject(NOT_FOUND);
    await expect(operators.updateCompany({ companyId, deliveryWeight: 101 })).rejects.toMatchObject(INVALID);
  });
});

describe('owners', () => {
  test('can sign in with the password that was set, and no longer once they are disabled', async () => {
    const companyId = await newCompany();
    const passwordHash = await hash('correct horse', PASSWORD_HASHING);
    const { membershipId, email, owner } = await newOwner(companyId, passwordHash);
    expect(owner).toMatchObject({ companyId, displayName: 'Ola Owner', active: true, hasPassword: true });
    const login = () => connectAccess(fixture).findLogin(email.toUpperCase());
    await expect(login()).resolves.toMatchObject({ membershipId, role: 'owner', passwordHash });

    const disabled = await operators.updateOwner({ membershipId, active: false });
    expect(disabled).toMatchObject({ active: false, hasPassword: false });
    await expect(login()).resolves.toBeUndefined();
    const another = await hash('battery staple', PASSWORD_HASHING);
    await expect(operators.updateOwner({ membershipId, passwordHash: another })).rejects.toMatchObject({
      reason: 'invalid_argument',
      message: expect.stringContaining('sign-in is disabled'),
    });
    await operators.updateOwner({ membershipId, active: true });
    await expect(login()).resolves.toBeUndefined();
    await operators.updateOwner({ membershipId, active: false });
    await operators.updateOwner({ membershipId, active: true, passwordHash: another });
    await expect(login()).resolves.toMatchObject({ passwordHash: another });

    const entries = await trail(companyId);
    const updated = (details: object) => ({ action: 'owner.updated', details });
    expect(entries.slice(1)).toMatchObject([
      { action: 'owner.created', details: { displayName: 'Ola Owner', role: 'owner' } },
      ...[false, true, false].map((active) => updated({ changed: ['active'], active })),
      updated({ changed: ['password', 'active'] }),
    ]);
    expect(entries[1]?.details).toEqual({ displayName: 'Ola Owner', role: 'owner' });
    expect(JSON.stringify(entries)).not.toContain('argon2');
  });

  test('become viewers, the last one too, and owners again [ROLE-4]', async () => {
    const { membershipId } = await newOwner(await newCompany());
    for (const role of ['viewer', 'owner'] as const)
      expect(await operators.updateOwner({ membershipId, role })).toMatchObject({ role });
  });

  test('can be without a password, and are listed oldest first in pages [LIMIT-7]', async () => {
    const companyId = await newCompany();
    const { membershipId: first } = await newOwner(companyId);
    const { membershipId: second } = await newOwner(companyId);
    const { owners } = await operators.listOwners({ companyId });
    expect(owners).toMatchObject([
      { membershipId: first, hasPassword: false },
      { membershipId: second, hasPassword: false },
    ]);
    const page = await operators.listOwners({ companyId, limit: 1 });
    expect(page).toMatchObject({ owners: [{ membershipId: first }], hasMore: true });
    const rest = await operators.listOwners({ companyId, limit: 1, afterMembershipId: first });
    expect(rest).toMatchObject({ owners: [{ membershipId: second }], hasMore: false });
    await expect(operators.listOwners({ companyId: newId('cmp') })).rejects.toMatchObject(NOT_FOUND);
  });

  test('need a unique address and a valid hash', async () => {
    const companyId = await newCompany();
    const { email, membershipId } = await newOwner(companyId);
    const whole = { companyId, displayName: 'Ola', email: 'ola@example.com' };
    for (const wrong of [
      { ...whole, email: email.toUpperCase() },
      { ...whole, email: 'no-address' },
      { ...whole, displayName: ' ' },
      { ...whole, passwordHash: 'secret' },
      { ...whole, passwordHash: await hash('x', { ...PASSWORD_HASHING, memoryCost: 8_192 }) },
    ]) {
      await expect(operators.createOwner(wrong)).rejects.toMatchObject(INVALID);
    }
    const update = operators.updateOwner({ membershipId, passwordHash: 'secret' });
    await expect(update).rejects.toMatchObject(INVALID);
    const unknown = operators.updateOwner({ membershipId: newId('mem'), active: false });
    await expect(unknown).rejects.toMatchObject(NOT_FOUND);
  });
});

describe('the owner of a resource', () => {
  test('is found by its id, also by that of an attempt', async () => {
    const companyId = await newCompany();
    const subscriptionId = await fixture.subscription({ companyId });
    const eventId = await fixture.event(companyId);
    const { membershipId } = await newOwner(companyId);
    const [delivery] = await fixture.deliveriesOf(subscriptionId);
    invariant(delivery, 'the event has a delivery');
    const attemptId = newId('dlv');
    await fixture.database.query(
      `insert into delivery_attempts (delivery_id, id, number, started_at, duration_ms, outcome, secret_version)
       values ($1, $2, 1, now(), 1, 'rejected', 1)`,
      [delivery.id, attemptId],
    );
    const find = (id: string) => operators.findCompany({ id });
    for (const id of [companyId, subscriptionId, eventId, membershipId])
      expect(await find(id)).toMatchObject({ companyId, companyClass: 'INSTALLER' });
    for (const id of [delivery.id, attemptId])
      expect(await find(id)).toMatchObject({ companyId, deliveryId: delivery.id });
    await fixture.finish('delivered', delivery.id);
    expect(await find(attemptId)).toMatchObject({ deliveryId: delivery.id });
  });

  test.each(['', 'nonsense', newId('job'), newId('dlv'), newId('key'), newId('evt'), newId('rpl')])(
    'is not found for "%s"',
    async (id) => {
      await expect(operators.findCompany({ id })).rejects.toMatchObject({
        reason: 'not_found',
        message: expect.stringContaining(`no such id: "${id}"; an id looks like cmp_…, mem_…, key_…`),
      });
    },
  );

  test('is not found for a whole API key, whose secret is not revealed', async () => {
    const id = newId('key');
    await expect(operators.findCompany({ id: `${id}.secret` })).rejects.toMatchObject({
      reason: 'not_found',
      message: expect.not.stringContaining('secret'),
    });
  });
});

test('the backlog counts due, in-flight, late, waiting and held deliveries', async () => {
  const empty = await operators.getBacklog({});
  const companyId = await newCompany();
  const subscriptionId = await fixture.subscription({ companyId });
  for (let event = 0; event < 5; event += 1) await fixture.event(companyId);
  const ids = (await fixture.deliveriesOf(subscriptionId)).map(({ id }) => id);
  const set = (index: number, change: string) => fixture.set('deliveries', ids[index], change);
  await set(0, `next_attempt_at = now() - interval '90 seconds'`);
  await set(1, `lease_id = 'a', next_attempt_at = now() + interval '20 seconds'`);
  await set(2, `lease_id = 'b', next_attempt_at = now() - interval '1 second'`);
  await set(3, `state = 'retry_scheduled', next_attempt_at = now() + interval '60 seconds'`);
  await set(4, `state = 'held'`);
  await fixture.database.query(
    `insert into outbox (message_id, exchange, type, body, created_at) values ('m', 'e', 't', '', now() - interval '5 seconds')`,
  );
  await fixture.database.query(
    `insert into inbox (message_id, received_at, prerequisite_id, resource_id, resource_version, type, body)
     values ('w', now() - interval '7 seconds', 'cmp_1', 'job_1', 1, 't', '')`,
  );
  await fixture.set('subscriptions', subscriptionId, `health = 'degraded'`);
  const backlog = await operators.getBacklog({});
  expect(backlog).toMatchObject({
    environment: 'sandbox',
    leasedDeliveries: 1,
    expiredLeases: 1,
    waitingRetries: 1,
    heldDeliveries: 1,
    outboxMessages: 1,
    waitingPlatformMessages: 1,
    degradedSubscriptions: 1,
    failingSubscriptions: 0,
    busyDueDeliveries: 0,
    failingDueDeliveries: 0,
  });
  expect(backlog.dueDeliveries - empty.dueDeliveries).toBe(1);
  expect(backlog.oldestDueMs).toBeGreaterThanOrEqual(90_000);
  expect(backlog.oldestOutboxMs).toBeGreaterThanOrEqual(5_000);
  expect(backlog.oldestWaitingMs).toBeGreaterThanOrEqual(7_000);
  expect(empty.oldestOutboxMs).toBeUndefined();
  await set(1, `overdue_since = now() - interval '100 seconds'`);
  expect((await operators.getBacklog({})).oldestDueMs).toBeGreaterThanOrEqual(100_000);
});

test('the backlog counts deliveries to endpoints at capacity and failing ones separately from late ones', async () => {
  const before = await operators.getBacklog({});
  const waitingHours = async (hours: number, underWay: number) => {
    const companyId = await newCompany();
    const subscriptionId = await fixture.subscription({ companyId });
    for (let event = 0; event <= underWay; event += 1) await fixture.event(companyId);
    const [waiting, ...others] = await fixture.deliveriesOf(subscriptionId);
    await fixture.set('deliveries', waiting?.id, `next_attempt_at = now() - interval '${hours} hours'`);
    await fixture.database.query(
      `update deliveries set lease_id = id, next_attempt_at = now() + interval '20 seconds' where id = any($1)`,
      [others.map(({ id }) => id)],
    );
    return subscriptionId;
  };
  await waitingHours(1, SUBSCRIPTION_CAP / 2 - 1);
  await waitingHours(2, SUBSCRIPTION_CAP / 2);
  const failing = await waitingHours(3, 0);
  await fixture.set('subscriptions', failing, 'failures_in_row = 5');
  const backlog = await operators.getBacklog({});
  const hours = (milliseconds = 0) => Math.floor(milliseconds / 3_600_000);
  expect({
    working: hours(backlog.oldestDueMs),
    busy: hours(backlog.oldestBusyDueMs),
    failing: hours(backlog.oldestFailingDueMs),
  }).toEqual({ working: 1, busy: 2, failing: 3 });
  expect(backlog.dueDeliveries - before.dueDeliveries).toBe(3);
  expect(backlog).toMatchObject({ busyDueDeliveries: 1, failingDueDeliveries: 1, failingSubscriptions: 1 });

  await fixture.database.query(
    `update deliveries set overdue_since = now() - interval '4 hours' where subscription_id = $1`,
    [failing],
  );
  const overdue = await operators.getBacklog({});
  expect([hours(overdue.oldestDueMs), hours(overdue.oldestFailingDueMs)]).toEqual([1, 4]);
});
