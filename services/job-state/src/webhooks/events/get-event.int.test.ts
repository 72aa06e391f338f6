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
    const idsOf = ({ events: listed }: { readonly events: readonly { readonly id: string }[] }) =>
      listed.map(({ id }) => id);
    const first = await client.listEvents({ companyId }, { limit: 3 });
    expect(idsOf(first)).toEqual(events.slice(0, 3));
    invariant(first.nextCursor && first.events[0], 'more follow');
    const second = await client.listEvents({ companyId, after: first.nextCursor }, { limit: 3 });
    expect(idsOf(second)).toEqual(events.slice(3));
    expect(second.nextCursor).toBeNull();

    const resourceId = first.events[0].resource.id;
    const workOrder = { resourceId: newId('evt').replace('evt_', 'WO-') };
    await fixture.database.query(
      `insert into jobs (id, selling_company_id, work_order_no, version, status, customer, scope, created_at, updated_at, last_updated_at)
       values ($1, $2, $3, 1, 'ASSIGNED', '{}', '{}', now(), now(), now())`,
      [resourceId, companyId, workOrder.resourceId],
    );
    for (const [query, found] of [
      [{ resourceId }, events.slice(0, 1)],
      [{ resourceId: newId('job') }, []],
      [workOrder, events.slice(0, 1)],
      [{ event: 'install.status_changed' }, events],
      [{ event: 'quote.*' }, []],
    ] as const)
      expect(idsOf(await client.listEvents({ companyId }, query))).toEqual(found);
    expect(idsOf(await client.listEvents({ companyId: await fixture.company() }, workOrder))).toEqual([]);
    const { reason } = await failureOf(client.listEvents({ companyId }, { event: '*' }));
    expect(reason).toBe('invalid_argument');
  });

  test('shows the summary of each event and the state of its newest delivery to each subscription [EVENT-6]', async () => {
    const { companyId, deliveries } = await fixture.companyWithFinished('dead_lettered', 2);
    const [first, second] = deliveries;
    await client.replayDelivery({ companyId, deliveryId: first.id });
    await fixture.subscription({ companyId });
    const toBoth = await fixture.event(companyId);
    const summary = 'ASSIGNED → ACKNOWLEDGED';
    const { events } = await client.listEvents({ companyId });
    expect(events).toMatchObject([
      { id: toBoth, summary, deliveryStates: ['pending'] },
      { id: second.event_id, summary, deliveryStates: ['dead_lettered'] },
      { id: first.event_id, summary, deliveryStates: ['pending'] },
    ]);
  });

  test('explains an empty list of a resource, with the same message whether the resource exists or not [EVENT-6]', async () => {
    const companyId = await fixture.company();
    const [theirs] = (await fixture.companyWith(1)).deliveries;
    const explanations = [];
    for (const resourceId of [theirs.resource_id, newId('job'), 'nothing']) {
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
    await fixture.setDeleted(deletedBefore);
    const eventId = await runWithRequestId('req-1', () => fixture.event(companyId));
    const later = await make({});
    const [delivery] = await fixture.deliveriesOf(active);
    invariant(delivery, 'one delivery');
    await fixture.finish('dead_lettered', delivery.id);
    const attemptId = await attemptOf(delivery.id);
    const replayed = await client.replayDelivery({ companyId, deliveryId: delivery.id });
    await fixture.setDeleted(paused);

    const { event, body, subscriptions } = await client.getEvent({ companyId, eventId });
    expect(event).toMatchObject({
      ...{ id: eventId, event: 'install.status_changed', schemaVersion: 1, requestId: 'req-1' },
      resource: { type: 'install_job', version: 2 },
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
    await fixture.database.query('delete from deliveries where id = $1', [installer.deliveryId]);
    const kept = async () => (await client.getEvent(installer)).subscriptions.map(({ verdict }) => verdict);
    expect(await kept()).toEqual(['no_longer_kept']);
    await fixture.setDeleted(installer.subscriptionId);
    expect(await kept()).toEqual(['no_longer_kept']);
  });

  test('returns the newest deliveries to each subscription, however many deliveries another one has', async () => {
    const { companyId, subscriptionId } = await fixture.companyWith(0);
    const other = await fixture.subscription({ companyId });
    const eventId = await fixture.event(companyId);
    const columns = { id: `'dlv_7' || lpad(n::text, 25, '0')`, event_id: `'${eventId}'` };
    const of = { companyId, subscriptionId: other };
    await fixture.insertMany('finished_deliveries', of, [1, 120], columns);
    const { subscriptions } = await client.getEvent({ companyId, eventId });
    const shown = subscriptions.map((trail) => [trail.subscriptionId, trail.deliveries.length]);
    expect(shown).toEqual([
      [subscriptionId, 1],
      [other, MAX_DELIVERIES_SHOWN],
    ]);
    const [newest] = (await fixture.deliveriesOf(other)).slice(-1);
    expect(subscriptions[1]?.deliveries[0]?.delivery.id).toBe(newest?.id);
  });

  test('finds the deliveries of an event whose id has an earlier clock than its commit', async () => {
    const { companyId, deliveryId, eventId } = await fixture.companyWith(1);
    const later = `created_at = created_at + interval '5 minutes'`;
    await fixture.set('events', eventId, later);
    await fixture.set('deliveries', deliveryId, later);
    const { subscriptions } = await client.getEvent({ companyId, eventId });
    const deliveries = [{ delivery: { id: deliveryId } }];
    expect(subscriptions).toMatchObject([{ verdict: 'queued', deliveries }]);
  });
});
