import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { runWithRequestId } from '@partner/kernel/telemetry/request-context';
import { MAX_DELIVERIES_SHOWN } from './get-event.js';
import { attemptOf, client, fixture } from '../testing/delivery-fixture.js';
import { failureOf } from '../../testing/subscription-fixture.js';

describe('listEvents', () => {
  test('lists the events of a company in pages, by event and by resource [EVENT-6]', async () => {
    const companyId = await fixture.company();
    const events: string[] = [];
    for (let made = 0; made < 5; made += 1) events.unshift(await fixture.event(companyId));
    const first = await client.listEvents({ companyId }, { limit: 3 });
    expect(first.events.map(({ id }) => id)).toEqual(events.slice(0, 3));
    invariant(first.nextCursor, 'more follow');
    const second = await client.listEvents({ companyId, after: first.nextCursor }, { limit: 3 });
    expect(second.events.map(({ id }) => id)).toEqual(events.slice(3));
    expect(second.nextCursor).toBeNull();

    const [newest] = first.events;
    invariant(newest, 'there are events');
    const about = await client.listEvents({ companyId }, { resourceId: newest.resource.id });
    expect(about.events).toEqual([newest]);
    expect((await client.listEvents({ companyId }, { resourceId: newId('job') })).events).toEqual([]);
    const workOrder = { resourceId: newId('evt').replace('evt_', 'WO-') };
    await fixture.database.query(
      `insert into jobs (id, selling_company_id, work_order_no, version, status, customer, scope, created_at, updated_at, last_updated_at)
       values ($1, $2, $3, 1, 'ASSIGNED', '{}', '{}', now(), now(), now())`,
      [newest.resource.id, companyId, workOrder.resourceId],
    );
    expect((await client.listEvents({ companyId }, workOrder)).events).toEqual([newest]);
    expect((await client.listEvents({ companyId: await fixture.company() }, workOrder)).events).toEqual([]);
    expect((await client.listEvents({ companyId }, { event: 'install.status_changed' })).events).toHaveLength(
      5,
    );
    expect((await client.listEvents({ companyId }, { event: 'quote.*' })).events).toEqual([]);
    expect((await failureOf(client.listEvents({ companyId }, { event: '*' }))).reason).toBe(
      'invalid_argument',
    );
  });

  test('shows the summary of each event and the state of its newest delivery to each subscription [EVENT-6]', async () => {
    const { companyId, deliveries } = await fixture.companyWith(2);
    const [first, second] = deliveries;
    invariant(first, 'two deliveries');
    invariant(second, 'two deliveries');
    await fixture.finish('dead_lettered', first.id);
    await fixture.finish('dead_lettered', second.id);
    await client.replayDelivery({ companyId, deliveryId: first.id });
    await fixture.subscription({ companyId });
    const toBoth = await fixture.event(companyId);
    const statesOf = async () =>
      (await client.listEvents({ companyId })).events.map(({ id, summary, deliveryStates }) => [
        id,
        summary,
        deliveryStates,
      ]);
    const summary = 'ASSIGNED → ACKNOWLEDGED';
    expect(await statesOf()).toEqual(
      [
        [toBoth, summary, ['pending']],
        [first.event_id, summary, ['pending']],
        [second.event_id, summary, ['dead_lettered']],
      ].sort(([one = ''], [other = '']) => (one > other ? -1 : 1)),
    );
  });

  test('explains an empty list of a resource, with the same message whether the resource exists or not [EVENT-6]', async () => {
    const companyId = await fixture.company();
    const theirs = await fixture.companyWith(1);
    const explanations = [];
    for (const resourceId of [theirs.deliveries[0]?.resource_id ?? '', newId('job'), 'nothing']) {
      const { events, nextCursor, explanation } = await client.listEvents({ companyId }, { resourceId });
      expect({ events, nextCursor }).toEqual({ events: [], nextCursor: null });
      explanations.push(explanation);
    }
    expect(explanations[0]).toContain('not assigned to your company');
    expect(new Set(explanations).size).toBe(1);
    expect((await client.listEvents({ companyId })).explanation).toBeNull();
    const secondPage = { companyId, after: newId('evt') };
    expect((await client.listEvents(secondPage, { resourceId: 'nothing' })).explanation).toBeNull();
  });
});

describe('getEvent', () => {
  test('returns for each subscription the outcome of the event, or why it was not queued [EVENT-6]', async () => {
    const companyId = await fixture.company();
    const make = (options: object) => fixture.subscription({ companyId, ...options });
    const active = await make({});
    const paused = await make({ state: 'paused' });
    const others = await make({ events: ['install.job_assigned'] });
    const newer = await make({ schemaVersion: 2 });
    const deletedBefore = await make({});
    const remove = (id: string) =>
      fixture.set('subscriptions', id, `state = 'paused', paused_at = now(), deleted_at = now()`);
    await remove(deletedBefore);
    const eventId = await runWithRequestId('req-1', () => fixture.event(companyId));
    const later = await make({});
    const [delivery] = await fixture.deliveriesOf(active);
    invariant(delivery, 'one delivery');
    await fixture.finish('dead_lettered', delivery.id);
    const attemptId = await attemptOf(delivery.id);
    const replayed = await client.replayDelivery({ companyId, deliveryId: delivery.id });
    await remove(paused);

    const { event, body, subscriptions } = await client.getEvent({ companyId, eventId });
    expect(event).toMatchObject({
      id: eventId,
      event: 'install.status_changed',
      resource: { type: 'install_job', version: 2 },
      schemaVersion: 1,
      requestId: 'req-1',
    });
    expect(body).toContain(eventId);
    for (const { explanation } of subscriptions) expect(explanation).toMatch(/^[A-Z].*\.$/);
    expect(subscriptions.map(({ subscriptionId, verdict }) => [subscriptionId, verdict])).toEqual([
      [active, 'queued'],
      [paused, 'paused'],
      [others, 'not_subscribed'],
      [newer, 'schema_version'],
      [deletedBefore, 'deleted'],
      [later, 'created_later'],
    ]);
    expect(subscriptions[0]?.deliveries).toMatchObject([
      { delivery: { id: replayed.id, state: 'pending' }, attempts: [] },
      {
        delivery: { id: delivery.id, state: 'dead_lettered' },
        attempts: [{ deliveryId: attemptId, outcome: 'rejected', responseStatus: 500 }],
      },
    ]);
    expect(subscriptions[0]?.deliveries[0]?.delivery.nextAttemptAt).not.toBeNull();
  });

  test('reports a class that does not allow the event, and data past its retention [EVENT-6]', async () => {
    const companyId = await fixture.company('SALES');
    await fixture.subscription({ companyId, events: ['install.*'] });
    const eventId = await fixture.event(companyId);
    const verdicts = async () =>
      (await client.getEvent({ companyId, eventId })).subscriptions.map(({ verdict }) => verdict);
    expect(await verdicts()).toEqual(['class']);

    const installer = await fixture.companyWith(1);
    const [delivery] = installer.deliveries;
    await fixture.database.query('delete from deliveries where id = $1', [delivery?.id]);
    const deleted = `state = 'paused', paused_at = now(), deleted_at = now()`;
    for (const later of [`state = 'active'`, deleted]) {
      await fixture.set('subscriptions', installer.subscriptionId, later);
      const { subscriptions } = await client.getEvent({ ...installer, eventId: delivery?.event_id ?? '' });
      expect(subscriptions).toMatchObject([{ verdict: 'no_longer_kept' }]);
    }
  });

  test('returns the newest deliveries to each subscription, however many deliveries another one has', async () => {
    const { companyId, subscriptionId, deliveries } = await fixture.companyWith(0);
    expect(deliveries).toEqual([]);
    const other = await fixture.subscription({ companyId });
    const eventId = await fixture.event(companyId);
    await fixture.database.query(
      `insert into finished_deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test,
         state, attempts, created_at, finished_at)
       select id, $2, $3, $4, 'install.status_changed', 'install_job', 'job', false, 'delivered', 1, now(), now()
       from unnest($1::text[]) as id`,
      [Array.from({ length: 120 }, () => newId('dlv')), other, companyId, eventId],
    );
    const { subscriptions } = await client.getEvent({ companyId, eventId });
    expect(
      subscriptions.map((trail) => [trail.subscriptionId, trail.verdict, trail.deliveries.length]),
    ).toEqual([
      [subscriptionId, 'queued', 1],
      [other, 'queued', MAX_DELIVERIES_SHOWN],
    ]);
    const [newest] = (await fixture.deliveriesOf(other)).slice(-1);
    expect(subscriptions[1]?.deliveries[0]?.delivery.id).toBe(newest?.id);
  });

  test('finds the deliveries of an event whose id has an earlier clock than its commit', async () => {
    const { companyId, deliveries } = await fixture.companyWith(1);
    const [delivery] = deliveries;
    invariant(delivery, 'one delivery');
    for (const [table, id] of [
      ['events', delivery.event_id],
      ['deliveries', delivery.id],
    ]) {
      await fixture.database.query(
        `update ${table} set created_at = created_at + interval '5 minutes' where id = $1`,
        [id],
      );
    }
    const { subscriptions } = await client.getEvent({ companyId, eventId: delivery.event_id });
    expect(subscriptions).toMatchObject([
      { verdict: 'queued', deliveries: [{ delivery: { id: delivery.id } }] },
    ]);
  });
});
