import { describe, expect, test } from '@jest/globals';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { explaining, rowsIn } from '../../testing/explaining.js';
import { getEvent } from '../events/get-event.js';
import { client, fixture } from '../../testing/file-subscriptions.js';
import { failureOf } from '../../testing/subscription-fixture.js';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import { HEADERS_VERSION, openSecret } from '@partner/kernel/security/secret-sealing';
import { listSubscriptions, type SubscriptionOfCompany } from './get-subscription.js';

const companyClass = 'INSTALLER';
const LATER = new Date('2026-08-27T09:00:00Z');

/** The subscription as responses to changes have it. */
const read = async (of: SubscriptionOfCompany) => {
  const { condition: _now, ...subscription } = await client.getSubscription(of);
  return subscription;
};

const pausedAt = async ({ subscriptionId }: SubscriptionOfCompany) =>
  (await fixture.row('subscriptions', subscriptionId))['paused_at'];

describe('UpdateSubscription', () => {
  test('changes the given fields, keeps the rest, logs the changed fields, and does nothing for the same URL in another spelling', async () => {
    const of = await fixture.newlyActivated();
    const before = await read(of);
    fixture.now = LATER;
    const description = 'the new board';
    const events = ['install.test', 'install.status_changed', 'install.test'];
    const subscription = await client.updateSubscription({ ...of, companyClass, events, description });
    const { updatedAt } = subscription;
    expect(subscription).toEqual({ ...before, events: events.slice(0, 2), description, updatedAt });
    expect(updatedAt).not.toEqual(before.updatedAt);
    expect(await read(of)).toEqual(subscription);
    expect(fixture.logLines.at(-1)).toEqual([
      expect.objectContaining({ ...of, changed: ['events', 'description'] }),
      'subscription.updated',
    ]);

    await client.updateSubscription({ ...of, companyClass, description: '' });
    const empty = await read(of);
    expect(empty).toMatchObject({ description: '', url: before.url });

    const lines = fixture.logLines.length;
    const sameUrl = { url: 'https://RECEIVER.example/hooks' };
    expect(await client.updateSubscription({ ...of, companyClass, ...sameUrl })).toEqual(empty);
    expect(fixture.logLines).toHaveLength(lines);
  });

  test('with another URL makes the subscription unverified and paused until a test arrives there, and keeps the time of an earlier pause [WEBHOOK-6]', async () => {
    const of = await fixture.newlyActivated();
    fixture.now = LATER;
    const url = 'https://Receiver.example/v2';
    const subscription = await client.updateSubscription({ ...of, companyClass, url });
    const changed = { url: 'https://receiver.example/v2', state: 'paused', verified: false };
    expect(subscription).toMatchObject(changed);
    fixture.now = new Date(LATER.getTime() + 1);
    await client.updateSubscription({ ...of, companyClass, url: 'https://receiver.example/v3' });
    expect(await pausedAt(of)).toEqual(LATER);
    await fixture.tested(of, AttemptOutcome.DELIVERED, 2);
    expect((await failureOf(client.activateSubscription(of))).reason).toBe('test_delivery_required');
    await fixture.tested(of, AttemptOutcome.DELIVERED, 3);
    const active = await client.activateSubscription(of);
    expect(active).toMatchObject({ state: 'active', verified: true });
    expect(await pausedAt(of)).toBeNull();
  });

  test('refuses any wrong field, and changes nothing', async () => {
    const of = await fixture.newlyActivated();
    const before = await read(of);
    const description = 'changed';
    const wrong: readonly [Partial<Parameters<typeof client.updateSubscription>[0]>, string][] = [
      [{}, 'body'],
      [{ description, events: [] }, 'events'],
      [{ description, events: ['install.*', 'quote.sent'] }, 'events.1'],
      [{ description, url: 'http://receiver.example/' }, 'url'],
      [{ description, url: 'https://10.0.0.1/' }, 'url'],
      [{ description, schemaVersion: 2 }, 'schemaVersion'],
      [{ description: 'x'.repeat(201) }, 'description'],
    ];
    for (const [change, path] of wrong) {
      const failure = await failureOf(client.updateSubscription({ ...change, ...of, companyClass }));
      expect(failure).toMatchObject({ reason: 'invalid_argument', attributes: { details: [{ path }] } });
      expect(await read(of)).toEqual(before);
    }
  });

  test('by a configuration is refused with stale_version if it was changed since it was read, like a deletion [CONFIG-4]', async () => {
    const of = await fixture.newlyCreated();
    const { id, updatedAt } = await read(of);
    fixture.now = LATER;
    const change = (description: string) =>
      client.configure(of, { kind: 'change', id, updatedAt, change: { description } });
    expect(await change('first')).toEqual({ id });
    const message = `expected the subscription as of ${updatedAt}, but it was changed at ${LATER.toISOString()}; read it again`;
    expect(await failureOf(change('second'))).toMatchObject({ reason: 'stale_version', message });
    const deletion = client.configure(of, { kind: 'delete', id, updatedAt });
    expect(await failureOf(deletion)).toMatchObject({ reason: 'stale_version' });
    const changed = await read(of);
    expect(changed.description).toBe('first');
    expect((await client.listWhole(of)).subscriptions).toEqual([changed]);
    await client.configure(of, { kind: 'delete', id, updatedAt: changed.updatedAt });
    expect((await client.listWhole(of)).subscriptions).toEqual([]);
  });
});

describe('PauseSubscription', () => {
  test('pauses the subscription, and a repeat is harmless [WEBHOOK-5]', async () => {
    const companyId = await fixture.company();
    const of = await fixture.activated(companyId);
    fixture.now = LATER;
    const subscription = await client.pauseSubscription(of);
    expect(subscription).toMatchObject({ state: 'paused', verified: true });
    fixture.now = new Date(LATER.getTime() + 60_000);
    expect(await client.pauseSubscription(of)).toEqual(subscription);
    expect(await pausedAt(of)).toEqual(LATER);

    await fixture.event(companyId);
    const queued = async () => (await fixture.deliveriesOf(of.subscriptionId)).filter((row) => !row.is_test);
    expect(await queued()).toEqual([]);
    expect(await client.activateSubscription(of)).toMatchObject({ state: 'active' });
    await fixture.event(companyId);
    expect(await queued()).toHaveLength(1);
  });
});

describe('an activation with a back-fill', () => {
  const backfills = ({ subscriptionId }: SubscriptionOfCompany) =>
    fixture.database.query<{ id: string; from_time: Date; to_time: Date }>(
      `select id, from_time, to_time from bulk_replays where subscription_id = $1 and kind = 'backfill'`,
      [subscriptionId],
    );

  test('starts it from the pause to the activation, and a repeat starts no other [WEBHOOK-5, WEBHOOK-7]', async () => {
    fixture.now = new Date('2026-08-28T09:00:00Z');
    const of = await fixture.newlyActivated();
    fixture.now = new Date('2026-08-28T10:00:00Z');
    await client.pauseSubscription(of);
    fixture.now = new Date('2026-08-28T12:00:00Z');
    const { state, backfillId } = await client.activateSubscription({ ...of, backfill: true });
    expect(state).toBe('active');
    const [from_time, to_time] = [new Date('2026-08-28T10:00:00Z'), new Date('2026-08-28T12:00:00Z')];
    expect(await backfills(of)).toEqual([{ id: backfillId, from_time, to_time }]);
    expect((await client.activateSubscription({ ...of, backfill: true })).backfillId).toBe(backfillId);
    expect((await client.activateSubscription(of)).backfillId).toBeNull();
    await fixture.set('bulk_replays', backfillId, `state = 'done'`);
    expect((await client.activateSubscription({ ...of, backfill: true })).backfillId).toBeNull();
    expect(await backfills(of)).toHaveLength(1);
  });

  test('starts it from the creation of a subscription that was never active [WEBHOOK-7]', async () => {
    fixture.now = new Date('2026-08-28T09:00:00Z');
    const of = await fixture.newlyCreated();
    fixture.now = new Date('2026-08-28T09:30:00Z');
    await fixture.tested(of);
    await client.activateSubscription({ ...of, backfill: true });
    expect(await backfills(of)).toMatchObject([{ from_time: new Date('2026-08-28T09:00:00Z') }]);
  });
});

describe('DeleteSubscription', () => {
  test('costs no more, however many subscriptions a company has deleted', async () => {
    const companyId = await fixture.company();
    await fixture.subscription({ companyId });
    await fixture.database.query(
      `insert into subscriptions (id, company_id, url, events, schema_version, paused_at, deleted_at)
       select 'whk_old' || n, $1, 'https://receiver.test/', '{install.*}', 1, now(), now() from generate_series(1, 5000) n`,
      [companyId],
    );
    await fixture.database.query('analyze subscriptions');
    const eventId = await fixture.event(companyId);
    const database = explaining(fixture.database);
    await listSubscriptions(database, companyId);
    await getEvent(database, { companyId, eventId });
    const { createSubscription } = fixture.clientWith({ database: { ...fixture.database, ...database } });
    await createSubscription({ companyId, url: 'https://receiver.example/', events: ['install.*'] });
    expect(database.plans.length).toBeGreaterThan(3);
    for (const plan of database.plans) {
      const rows = [...rowsIn(plan, 'Actual Rows'), ...rowsIn(plan, 'Rows Removed by Filter')];
      expect(Math.max(...rows)).toBeLessThan(500);
    }
  });
});

async function storedHeaders(of: SubscriptionOfCompany) {
  const owner = { ownerId: of.subscriptionId, version: HEADERS_VERSION };
  const found = (await fixture.secretsOf(of)).find(({ version }) => version === HEADERS_VERSION);
  return found && openSecret(fixture.deps.sealingKeys, owner, found.sealed);
}

test('seals custom headers, shows and records their names only, and keeps those that it does not name [WEBHOOK-13]', async () => {
  const of = await fixture.newlyActivated();
  const change = (headers: { name: string; value: string | null }[]) =>
    client.updateSubscription({ ...of, companyClass, headers });
  fixture.logLines.length = 0;
  await change([{ name: 'X-Tenant', value: 'west' }]);
  const changed = await change([{ name: 'Authorization', value: 'Bearer hidden' }]);
  const both = ['authorization', 'x-tenant'];
  expect(changed).toMatchObject({ headerNames: both, state: 'active', verified: true });
  expect(await change([{ name: 'authorization', value: 'Bearer hidden' }])).toEqual(changed);
  expect(await storedHeaders(of)).toBe('{"authorization":"Bearer hidden","x-tenant":"west"}');
  const entries = await fixture.database.query(
    `select details from audit_entries where subject_id = $1 and action = 'webhook.updated' order by id`,
    [of.subscriptionId],
  );
  expect(entries).toMatchObject([
    { details: { changed: ['headers'], headerNames: ['x-tenant'] } },
    { details: { changed: ['headers'], headerNames: both } },
  ]);
  expect(JSON.stringify([entries, fixture.logLines])).not.toContain('hidden');

  const many = Array.from({ length: 9 }, (_, at) => `x-${at}`);
  // A name is checked before it is put in lower case.
  for (const [names, path] of [
    [many, 'headers'],
    [['Host'], 'headers.0.name'],
    [['\u212aost'], 'headers.0.name'],
  ] as const) {
    const refusal = { reason: 'invalid_argument', attributes: { details: [{ path }] } };
    expect(await failureOf(change(names.map((name) => ({ name, value: 'x' }))))).toMatchObject(refusal);
  }
  const none = ['x-tenant', 'Authorization'].map((name) => ({ name, value: null }));
  expect(await change(none)).toMatchObject({ headerNames: [] });
  expect(await storedHeaders(of)).toBeUndefined();
});

test('keeps stored values from another host: each must be in the request, or the change is refused [WEBHOOK-14]', async () => {
  const of = await fixture.newlyActivated();
  const change = (fields: { url?: string; headers?: { name: string; value: string | null }[] }) =>
    client.updateSubscription({ ...of, companyClass, ...fields });
  await change({
    headers: [
      { name: 'authorization', value: 'Bearer a' },
      { name: 'x-tenant', value: 'west' },
    ],
  });
  const before = await client.getSubscription(of);
  const other = 'https://other.receiver.example/hooks';
  for (const [headers, named] of [
    [undefined, 'authorization, x-tenant'],
    [[{ name: 'X-Tenant', value: 'east' }], 'authorization'],
    [[{ name: 'x-new', value: '1' }], 'authorization, x-tenant'],
  ] as const) {
    const refused = await failureOf(change({ url: other, ...(headers && { headers: [...headers] }) }));
    const details = [{ path: 'headers', message: expect.stringContaining(named) }];
    expect(refused).toMatchObject({ reason: 'invalid_argument', attributes: { details } });
  }
  expect(await client.getSubscription(of)).toEqual(before);

  const sameHost = new URL('/elsewhere', before.url).href;
  expect(await change({ url: sameHost })).toMatchObject({ headerNames: ['authorization', 'x-tenant'] });
  const moved = await change({
    url: other,
    headers: [
      { name: 'authorization', value: 'Bearer b' },
      { name: 'x-tenant', value: null },
    ],
  });
  expect(moved).toMatchObject({ url: other, headerNames: ['authorization'] });
  expect(await storedHeaders(of)).toBe('{"authorization":"Bearer b"}');
});

test('sets a rate and removes it [DELIVERY-23]', async () => {
  const of = await fixture.newlyActivated();
  const change = (deliveriesPerSecond: number | null) =>
    client.updateSubscription({ ...of, companyClass, deliveriesPerSecond });
  expect(await change(20)).toMatchObject({ deliveriesPerSecond: 20, state: 'active' });
  for (const perSecond of [0, WEBHOOK_LIMITS.deliveriesPerSecond + 1]) {
    const { attributes } = await failureOf(change(perSecond));
    expect(attributes).toMatchObject({ details: [{ path: 'deliveriesPerSecond' }] });
  }
  expect(await change(null)).toMatchObject({ deliveriesPerSecond: null });
});

test('keeps the fields and the order that a creation or a change names, each field once, until a change names others [DELIVERY-29, WEBHOOK-17]', async () => {
  const companyId = await fixture.company();
  const named = { 'install.*': ['status', 'schedule.endsAt', 'status'] };
  const kept = { 'install.*': ['schedule.endsAt', 'status'] };
  const { subscription } = await client.createSubscription({
    ...{ companyId, companyClass, url: 'https://receiver.example/hooks', events: ['install.*'] },
    ...{ fields: named, ordered: true },
  });
  expect(subscription).toMatchObject({ fields: kept, ordered: true });
  const of = { companyId, subscriptionId: subscription.id };
  const change = (fields: object) => client.updateSubscription({ ...of, companyClass, ...fields });
  expect(await change({ description: 'Board' })).toMatchObject({ fields: kept });
  expect(await change({ fields: named })).toMatchObject({ fields: kept, ordered: true });
  expect(await change({ ordered: false })).toMatchObject({ fields: kept, ordered: false });
  const other = { 'install.status_changed': ['status'] };
  expect(await change({ fields: other })).toHaveProperty('fields', other);
  const { attributes } = await failureOf(change({ fields: { 'install.*': ['stage'] } }));
  expect(attributes).toMatchObject({ details: [{ path: 'fields.install.*.0' }] });
  expect(await client.getSubscription(of)).toHaveProperty('fields', other);
  for (const none of [null, {}]) {
    await change({ fields: other });
    expect(await change({ fields: none })).toHaveProperty('fields', null);
  }
});
