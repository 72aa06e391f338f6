import { describe, expect, test } from '@jest/globals';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import type { QueryResultRow } from 'pg';
import type { PreparedStatement } from '../../database/connection-pool.js';
import { textOf } from '../../testing/statement-text.js';
import type { Queryable } from '../../database/database.js';
import { getEvent } from '../events/get-event.js';
import { client, fixture } from '../../testing/file-subscriptions.js';
import { failureOf } from '../../testing/subscription-fixture.js';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import type { SubscriptionOfCompany } from './get-subscription.js';
import { listSubscriptions } from './get-subscription.js';

const companyClass = 'INSTALLER';
const LATER = new Date('2026-08-27T09:00:00Z');

/** The subscription as responses to changes have it. */
const read = async (of: SubscriptionOfCompany) => {
  const { condition: _now, ...subscription } = await client.getSubscription(of);
  return subscription;
};

async function pausedAt({ subscriptionId }: SubscriptionOfCompany): Promise<Date | null> {
  const [row] = await fixture.database.query<{ at: Date | null }>(
    'select paused_at as at from subscriptions where id = $1',
    [subscriptionId],
  );
  return row?.at ?? null;
}

describe('UpdateSubscription', () => {
  test('changes the given fields, keeps the rest, and logs the changed fields', async () => {
    const of = await fixture.activated(await fixture.company());
    const before = await read(of);
    fixture.now = LATER;
    const subscription = await client.updateSubscription({
      ...of,
      companyClass,
      events: ['install.test', 'install.status_changed', 'install.test'],
      description: 'the new board',
    });
    expect(subscription).toEqual({
      ...before,
      events: ['install.test', 'install.status_changed'],
      description: 'the new board',
      updatedAt: subscription.updatedAt,
    });
    expect(subscription.updatedAt).not.toEqual(before.updatedAt);
    expect(await read(of)).toEqual(subscription);
    expect(fixture.logLines.at(-1)).toEqual([
      expect.objectContaining({ ...of, changed: ['events', 'description'] }),
      'subscription.updated',
    ]);

    await client.updateSubscription({ ...of, companyClass, description: '' });
    expect(await read(of)).toMatchObject({ description: '', url: before.url });
  });

  test('with another URL makes the subscription unverified and paused until a test arrives there [WEBHOOK-6]', async () => {
    const of = await fixture.activated(await fixture.company());
    fixture.now = LATER;
    const url = 'https://Receiver.example/v2';
    const subscription = await client.updateSubscription({ ...of, companyClass, url });
    expect(subscription).toMatchObject({
      url: 'https://receiver.example/v2',
      state: 'paused',
      verified: false,
    });
    expect(await pausedAt(of)).toEqual(LATER);
    expect((await failureOf(client.activateSubscription(of))).reason).toBe('test_delivery_required');

    await fixture.tested(of, AttemptOutcome.DELIVERED, 1);
    expect((await failureOf(client.activateSubscription(of))).reason).toBe('test_delivery_required');
    await fixture.tested(of, AttemptOutcome.DELIVERED, 2);
    const active = await client.activateSubscription(of);
    expect(active).toMatchObject({ state: 'active', verified: true });
    expect(await pausedAt(of)).toBeNull();
  });

  test('with the same URL in another spelling changes nothing', async () => {
    const of = await fixture.activated(await fixture.company());
    const before = await read(of);
    const lines = fixture.logLines.length;
    const url = 'https://RECEIVER.example/hooks';
    const subscription = await client.updateSubscription({ ...of, companyClass, url });
    expect(subscription).toEqual(before);
    expect(fixture.logLines).toHaveLength(lines);
  });

  test('of a paused subscription keeps the time of the pause', async () => {
    const of = await fixture.created(await fixture.company());
    const since = await pausedAt(of);
    fixture.now = new Date(LATER.getTime() + 1);
    await client.updateSubscription({ ...of, companyClass, url: 'https://receiver.example/v2' });
    expect(await pausedAt(of)).toEqual(since);
  });

  test.each([
    ['nothing', {}, 'body'],
    ['no event', { events: [] }, 'events'],
    ['an event that the class may not have', { events: ['install.*', 'quote.sent'] }, 'events.1'],
    ['plain HTTP', { url: 'http://receiver.example/' }, 'url'],
    ['a URL that the dispatcher refuses', { url: 'https://10.0.0.1/' }, 'url'],
    ['a schema version that does not exist', { schemaVersion: 2 }, 'schemaVersion'],
    ['a description that is too long', { description: 'x'.repeat(201) }, 'description'],
  ])('refuses %s and changes nothing', async (_what, change, path) => {
    const of = await fixture.activated(await fixture.company());
    const before = await read(of);
    const failure = await failureOf(
      client.updateSubscription({
        ...of,
        companyClass,
        description: 'changed',
        ...change,
        ...(path === 'body' && { description: undefined }),
      }),
    );
    expect(failure).toMatchObject({ reason: 'invalid_argument', attributes: { details: [{ path }] } });
    expect(await read(of)).toEqual(before);
  });

  test('by a configuration is refused with stale_version if it was changed since it was read, like a deletion [CONFIG-4]', async () => {
    const of = await fixture.created(await fixture.company());
    const { id, updatedAt } = await read(of);
    fixture.now = LATER;
    const change = (description: string) =>
      client.configure(of, { kind: 'change', id, updatedAt, change: { description } });
    expect(await change('first')).toEqual({ id });
    expect(await failureOf(change('second'))).toMatchObject({
      reason: 'stale_version',
      message: `expected the subscription as of ${updatedAt}, but it was changed at 2026-08-27T09:00:00.000Z; read it again`,
    });
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
    expect((await fixture.deliveriesOf(of.subscriptionId)).filter((row) => !row.is_test)).toEqual([]);
    expect(await client.activateSubscription(of)).toMatchObject({
      state: 'active',
    });
    await fixture.event(companyId);
    expect((await fixture.deliveriesOf(of.subscriptionId)).filter((row) => !row.is_test)).toHaveLength(1);
  });
});

describe('an activation with a back-fill', () => {
  const backfills = ({ subscriptionId }: SubscriptionOfCompany) =>
    fixture.database.query<{ id: string; from_time: Date; to_time: Date }>(
      `select id, from_time, to_time from bulk_replays where subscription_id = $1 and kind = 'backfill'`,
      [subscriptionId],
    );

  test('starts it from the pause to the activation [WEBHOOK-5, WEBHOOK-7]', async () => {
    fixture.now = new Date('2026-08-28T09:00:00Z');
    const of = await fixture.activated(await fixture.company());
    fixture.now = new Date('2026-08-28T10:00:00Z');
    await client.pauseSubscription(of);
    fixture.now = new Date('2026-08-28T12:00:00Z');
    const { state, backfillId } = await client.activateSubscription({ ...of, backfill: true });
    expect(state).toBe('active');
    expect(await backfills(of)).toEqual([
      {
        id: backfillId,
        from_time: new Date('2026-08-28T10:00:00Z'),
        to_time: new Date('2026-08-28T12:00:00Z'),
      },
    ]);
    expect(await backfills(of)).toHaveLength(1);
  });

  test('repeated returns the one that still runs, and starts no other [WEBHOOK-7]', async () => {
    const of = await fixture.activated(await fixture.company());
    await client.pauseSubscription(of);
    const { backfillId } = await client.activateSubscription({ ...of, backfill: true });
    expect((await client.activateSubscription({ ...of, backfill: true })).backfillId).toBe(backfillId);
    expect((await client.activateSubscription(of)).backfillId).toBeNull();
    await fixture.set('bulk_replays', backfillId, `state = 'done'`);
    expect((await client.activateSubscription({ ...of, backfill: true })).backfillId).toBeNull();
    expect(await backfills(of)).toHaveLength(1);
  });

  test('starts it from the creation of a subscription that was never active [WEBHOOK-7]', async () => {
    fixture.now = new Date('2026-08-28T09:00:00Z');
    const of = await fixture.created(await fixture.company());
    fixture.now = new Date('2026-08-28T09:30:00Z');
    await fixture.tested(of);
    await client.activateSubscription({ ...of, backfill: true });
    expect(await backfills(of)).toMatchObject([{ from_time: new Date('2026-08-28T09:00:00Z') }]);
  });
});

describe('DeleteSubscription', () => {
  test('leaves nothing to its owner but a free slot for another one [WEBHOOK-8]', async () => {
    const companyId = await fixture.company();
    const of = await fixture.activated(companyId);
    for (let made = 1; made < WEBHOOK_LIMITS.subscriptionsPerCompany; made += 1)
      await fixture.subscription({ companyId });
    expect((await failureOf(fixture.created(companyId))).reason).toBe('subscription_limit_reached');
    await client.rotateSecret(of);
    await client.deleteSubscription(of);

    const calls = [
      () => client.getSubscription(of),
      () => client.updateSubscription({ ...of, companyClass, description: 'x' }),
      () => client.deleteSubscription(of),
      () => client.sendTestDelivery(of),
      () => client.activateSubscription(of),
      () => client.pauseSubscription(of),
      () => client.rotateSecret(of),
      () => client.activateSecret({ ...of, pendingSecretVersion: 2 }),
    ];
    for (const call of calls) expect((await failureOf(call())).reason).toBe('not_found');
    const { subscriptions } = await client.listSubscriptions({ companyId });
    expect(subscriptions).toHaveLength(WEBHOOK_LIMITS.subscriptionsPerCompany - 1);
    expect(subscriptions.map(({ id }) => id)).not.toContain(of.subscriptionId);
    await fixture.created(companyId);

    const secrets = await fixture.database.query(
      'select 1 from subscription_secrets where subscription_id = $1',
      [of.subscriptionId],
    );
    expect(secrets).toEqual([]);
  });

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
    const plans: unknown[] = [];
    const explain = (text: string, values?: readonly unknown[]) =>
      fixture.database.query(`explain (analyze, format json) ${text}`, values);
    const explaining: Queryable = {
      query: async <Row extends QueryResultRow>(
        statement: string | PreparedStatement,
        values?: readonly unknown[],
      ) => {
        plans.push(await explain(textOf(statement), values));
        return fixture.database.query<Row>(statement, values);
      },
    };
    await listSubscriptions(explaining, companyId);
    await getEvent(explaining, { companyId, eventId });
    const database = { ...fixture.database, query: explaining.query };
    const url = 'https://receiver.example/';
    const toCreate = { companyId, url, events: ['install.*'] };
    await fixture.clientWith({ database }).createSubscription(toCreate);
    expect(plans.length).toBeGreaterThan(3);
    for (const plan of plans) {
      const rows = [...JSON.stringify(plan).matchAll(/"(?:Actual Rows|Rows Removed by Filter)":(\d+)/g)];
      for (const [, read] of rows) expect(Number(read)).toBeLessThan(500);
    }
  });
});
