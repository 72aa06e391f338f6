import { describe, expect, test } from '@jest/globals';
import type { DeliveryPage } from '@partner/proto-contracts/resources/delivery/delivery';
import { ServiceError } from '@partner/kernel/process/service-error';
import { idFloor, newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { MAX_DELIVERIES_SCANNED } from './list-deliveries.js';
import { attemptOf, client, companyWithFinished, fixture, seen } from '../testing/delivery-fixture.js';
import { failureOf } from '../../testing/subscription-fixture.js';

const idsOf = (page: { readonly deliveries: readonly { readonly id: string }[] }) =>
  page.deliveries.map(({ id }) => id);

describe('listDeliveries', () => {
  test('lists pages from newest to oldest, each delivery once, finished or not', async () => {
    const { companyId, subscriptionId, deliveries } = await fixture.companyWith(7);
    const all = deliveries.map(({ id }) => id).reverse();
    await fixture.finish('delivered', all[1] ?? '', all[4] ?? '');

    const seen: string[] = [];
    let next: string | null = null;
    do {
      const after = next === null ? {} : { after: next };
      const page: DeliveryPage = await client.listDeliveries(
        { companyId, subscriptionId, ...after },
        { limit: 3 },
      );
      seen.push(...idsOf(page));
      next = page.nextCursor;
      if (seen.length === 3) await fixture.event(companyId);
    } while (next !== null);
    expect(seen).toEqual(all);
  });

  test.each(['pending', 'retry_scheduled', 'held', 'delivered', 'dead_lettered', 'cancelled'] as const)(
    'lists by state: %s',
    async (state) => {
      const { companyId, subscriptionId, deliveries } = await fixture.companyWith(6);
      const [pending, scheduled, held, delivered, dead, cancelled] = deliveries.map(({ id }) => id);
      await fixture.set('deliveries', scheduled, `state = 'retry_scheduled'`);
      await fixture.set('deliveries', held, `state = 'held'`);
      await fixture.finish('delivered', delivered ?? '');
      await fixture.finish('dead_lettered', dead ?? '');
      await fixture.finish('cancelled', cancelled ?? '');

      const expected = {
        pending,
        retry_scheduled: scheduled,
        held,
        delivered,
        dead_lettered: dead,
        cancelled,
      };
      for (const of of [{ companyId, subscriptionId }, { companyId }]) {
        const page = await client.listDeliveries(of, { status: state });
        expect(page.deliveries).toMatchObject([{ id: expected[state], state }]);
        expect(page.nextCursor).toBeNull();
      }
    },
  );

  test('lists by event, by group, by resource, by number and by creation time [DELIVERY-27]', async () => {
    const { companyId, subscriptionId, deliveries } = await fixture.companyWith(3);
    const [first, second, third] = deliveries;
    invariant(first && second && third, 'three deliveries');
    await fixture.set('deliveries', second.id, `event = 'install.job_assigned'`);
    const list = async (filter: Parameters<typeof client.listDeliveries>[1]) =>
      idsOf(await client.listDeliveries({ companyId, subscriptionId }, filter));

    expect(await list({ event: 'install.job_assigned' })).toEqual([second.id]);
    expect(await list({ event: 'install.*' })).toEqual([third.id, second.id, first.id]);
    expect(await list({ event: 'quote.*' })).toEqual([]);
    expect(await list({ resourceId: first.resource_id })).toEqual([first.id]);
    expect(await list({ fromNumber: '2', toNumber: '2' })).toEqual([second.id]);
    expect(await list({ fromNumber: '2' })).toEqual([third.id, second.id]);
    expect(await list({ toNumber: '2' })).toEqual([second.id, first.id]);

    // The shown times are whole milliseconds: a delivery shown as created at an instant is found from that instant on.
    for (const [id, created] of [
      [first.id, '2026-09-01T10:00:00Z'],
      [second.id, '2026-09-01T10:00:01Z'],
      [third.id, '2026-09-01T10:00:02Z'],
    ] as const) {
      const moved = idFloor('dlv', new Date(created)).slice(0, 20) + id.slice(20);
      await fixture.database.query('update deliveries set id = $2, created_at = $3 where id = $1', [
        id,
        moved,
        new Date(created),
      ]);
    }
    const [one, two, three] = (await fixture.deliveriesOf(subscriptionId)).map(({ id }) => id);
    expect(await list({ from: '2026-09-01T10:00:01Z' })).toEqual([three, two]);
    expect(await list({ to: '2026-09-01T10:00:01Z' })).toEqual([one]);
    expect(await list({ from: '2026-09-01T10:00:01Z', to: '2026-09-01T10:00:02Z' })).toEqual([two]);
  });

  test('lists the deliveries to all subscriptions of a company, deleted ones included, each with its last attempt [DELIVERY-21]', async () => {
    const { companyId, subscriptionId, deliveries } = await fixture.companyWith(1);
    const second = await fixture.subscription({ companyId });
    await fixture.event(companyId);
    await fixture.event(companyId);
    const [attempted] = deliveries;
    invariant(attempted, 'one delivery');
    const last = await attemptOf(attempted.id, null, new Date('2026-08-26T14:00:02Z'));
    await attemptOf(attempted.id, null, new Date('2026-08-26T14:00:01Z'));
    const all = [subscriptionId, second].map((id) => fixture.deliveriesOf(id));
    const expected = (await Promise.all(all)).flat().map(({ id }) => id);

    const pages = [await client.listDeliveries({ companyId }, { limit: 3 })];
    const cursor = pages[0]?.nextCursor;
    invariant(cursor, 'two older ones');
    await fixture.set('subscriptions', second, 'deleted_at = now()');
    pages.push(await client.listDeliveries({ companyId, after: cursor }, { limit: 3 }));
    expect(pages.flatMap(idsOf)).toEqual(expected.sort().reverse());
    expect(pages[1]?.nextCursor).toBeNull();
    expect(pages[1]?.deliveries.at(-1)).toMatchObject({
      id: attempted.id,
      subscriptionId,
      lastAttempt: { deliveryId: last, durationMs: 12, responseStatus: 500 },
    });
    expect(pages[0]?.deliveries[0]?.lastAttempt).toBeNull();
  });

  test('scans a bounded number of deliveries for a filter with few matches, and continues from there', async () => {
    const { companyId, subscriptionId, deliveries } = await fixture.companyWith(1);
    const [oldest] = deliveries;
    invariant(oldest, 'one delivery');
    await fixture.set('deliveries', oldest.id, `event = 'install.job_assigned'`);
    await fixture.database.query(
      `insert into finished_deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test,
         state, attempts, created_at, finished_at)
       select 'dlv_7' || lpad(n::text, 25, '0'), $1, $2, 'evt_' || n, 'install.status_changed', 'install_job', 'job', false,
         'delivered', 1, now(), now()
       from generate_series(1, $3) as n`,
      [subscriptionId, companyId, MAX_DELIVERIES_SCANNED],
    );
    for (const filter of [{ event: 'install.job_assigned' }, { fromNumber: '1' }, { toNumber: '1' }]) {
      const list = { companyId, subscriptionId };
      const first = await client.listDeliveries(list, filter);
      expect(idsOf(first)).toEqual([]);
      invariant(first.nextCursor, 'there may be more');
      const second = await client.listDeliveries({ ...list, after: first.nextCursor }, filter);
      expect(idsOf(second)).toEqual([oldest.id]);
      expect(second.nextCursor).toBeNull();
    }
  });
});

describe('getDelivery', () => {
  test('finds a delivery by its own id and by the id of any attempt, with the attempts in order', async () => {
    const { companyId, deliveryId, eventId } = await companyWithFinished('dead_lettered');
    const later = await attemptOf(deliveryId, null, new Date('2026-08-26T14:00:02Z'));
    const earlier = await attemptOf(
      deliveryId,
      {
        dnsMs: 2,
        addresses: ['203.0.113.7'],
        certificateSubject: 'receiver.example',
        certificateValidTo: '2027-01-01T00:00:00.000Z',
        reusedConnection: false,
        ofALaterVersion: true,
      },
      new Date('2026-08-26T14:00:01Z'),
    );

    const byId = await client.getDelivery({ companyId, deliveryId });
    expect(byId.delivery).toMatchObject({ id: deliveryId, eventId, state: 'dead_lettered' });
    expect(byId.delivery.finishedAt).not.toBeNull();
    expect(byId.attempts).toMatchObject([
      {
        deliveryId: earlier,
        outcome: 'rejected',
        responseStatus: 500,
        exchange: {
          dnsMs: 2,
          addresses: ['203.0.113.7'],
          connectMs: null,
          certificate: { subject: 'receiver.example', issuer: null, validTo: '2027-01-01T00:00:00.000Z' },
          reusedConnection: false,
        },
      },
      { deliveryId: later },
    ]);
    expect(byId.attempts[1]).toMatchObject({
      exchange: null,
      responseHeaders: null,
      responseBody: 'kept\ufffd',
      error: null,
    });
    expect(byId.body).toContain(eventId);
    expect(await client.getDelivery({ companyId, deliveryId: earlier })).toEqual(byId);
    expect(await client.getDelivery({ companyId, deliveryId: later })).toEqual(byId);
  });

  test('returns a delivery whose event has passed its retention without a body', async () => {
    const { companyId, deliveryId, eventId } = await companyWithFinished('delivered');
    await fixture.database.query('delete from events where id = $1', [eventId]);
    const found = await client.getDelivery({ companyId, deliveryId });
    expect(found.delivery).toMatchObject({ eventId, event: 'install.status_changed' });
    expect(found.body).toBeNull();
  });
});

describe('the lists', () => {
  test('take as many statements for many rows as for one', async () => {
    const { companyId, subscriptionId, deliveryId } = await fixture.companyWith(10);
    const counted = async (work: () => Promise<unknown>) => {
      seen.statements = [];
      await work();
      return seen.statements.length;
    };
    // One statement, so that the state and the attempts agree.
    expect(await counted(() => client.getDelivery({ companyId, deliveryId }))).toBe(1);
    expect(await counted(() => client.listDeliveries({ companyId, subscriptionId }))).toBe(2);
    expect(
      await counted(() => client.listDeliveries({ companyId, subscriptionId }, { event: 'install.*' })),
    ).toBe(2);
    expect(await counted(() => client.listDeliveries({ companyId }, { search: 'WO-1' }))).toBe(1);
    await fixture.subscription({ companyId });
    const eventId = await fixture.event(companyId);
    expect(await counted(() => client.getEvent({ companyId, eventId }))).toBe(4);
    expect(await counted(() => client.listEvents({ companyId }))).toBe(2);
    expect(await counted(() => client.listEvents({ companyId }, { event: 'install.*' }))).toBe(2);
    expect(await counted(() => client.listBulkReplays({ companyId, subscriptionId }))).toBe(2);
  });
});

const SELECTION = {
  states: ['dead_lettered' as const],
  from: new Date(Date.now() - 3_600_000).toISOString(),
  to: new Date(Date.now() + 3_600_000).toISOString(),
  perMinute: 60,
};

describe('another company', () => {
  test('finds nothing of a company by any id, and changes nothing', async () => {
    const { companyId, subscriptionId, deliveryId, eventId } = await companyWithFinished('dead_lettered');
    const attemptId = await attemptOf(deliveryId);
    const replay = await client.createBulkReplay({ companyId, subscriptionId }, SELECTION);
    const replayId = replay.id;
    const stranger = await fixture.company();
    const calls = [
      client.listDeliveries({ companyId: stranger, subscriptionId }),
      client.getDelivery({ companyId: stranger, deliveryId }),
      client.getDelivery({ companyId: stranger, deliveryId: attemptId }),
      client.replayDelivery({ companyId: stranger, deliveryId }),
      client.replayDelivery({ companyId: stranger, deliveryId: attemptId }),
      client.retryDelivery({ companyId: stranger, deliveryId }),
      client.previewBulkReplay({ companyId: stranger, subscriptionId }, SELECTION),
      client.createBulkReplay({ companyId: stranger, subscriptionId }, SELECTION),
      client.listBulkReplays({ companyId: stranger, subscriptionId }),
      client.getBulkReplay({ companyId: stranger, replayId }),
      client.cancelBulkReplay({ companyId: stranger, replayId }),
      client.getEvent({ companyId: stranger, eventId }),
      client.getSubscriptionStatistics({ companyId: stranger, subscriptionId }),
    ];
    for (const call of calls) expect((await failureOf(call)).reason).toBe('not_found');
    expect((await client.listEvents({ companyId: stranger })).events).toEqual([]);
    const { resource } = (await client.getDelivery({ companyId, deliveryId })).delivery;
    for (const search of [undefined, deliveryId, attemptId, eventId, resource.id]) {
      const scope = search === undefined ? {} : { search };
      expect(idsOf(await client.listDeliveries({ companyId }, scope))).toEqual([deliveryId]);
      expect(idsOf(await client.listDeliveries({ companyId: stranger }, scope))).toEqual([]);
    }
    expect(await client.getBulkReplay({ companyId, replayId })).toEqual(replay);
    expect(await fixture.deliveriesOf(subscriptionId)).toHaveLength(1);
  });
});

describe('an operation', () => {
  type Ids = Readonly<Record<'companyId' | 'subscriptionId' | 'deliveryId' | 'eventId' | 'replayId', string>>;
  type Run = (ids: Ids, options: { readonly timeoutMs: number }) => Promise<unknown>;
  test.each<[string, Run]>([
    ['listDeliveries', (ids, options) => client.listDeliveries(ids, {}, options)],
    ['getDelivery', (ids, options) => client.getDelivery(ids, options)],
    ['replayDelivery', (ids, options) => client.replayDelivery(ids, options)],
    ['retryDelivery', (ids, options) => client.retryDelivery(ids, options)],
    ['previewBulkReplay', (ids, options) => client.previewBulkReplay(ids, SELECTION, options)],
    ['createBulkReplay', (ids, options) => client.createBulkReplay(ids, SELECTION, options)],
    ['listBulkReplays', (ids, options) => client.listBulkReplays(ids, {}, options)],
    ['getBulkReplay', (ids, options) => client.getBulkReplay(ids, options)],
    ['cancelBulkReplay', (ids, options) => client.cancelBulkReplay(ids, options)],
    ['listEvents', (ids, options) => client.listEvents(ids, {}, options)],
    ['getEvent', (ids, options) => client.getEvent(ids, options)],
    ['getSubscriptionStatistics', (ids, options) => client.getSubscriptionStatistics(ids, {}, options)],
    ['getCompanyStatistics', (ids, options) => client.getCompanyStatistics(ids, {}, options)],
  ])(
    "%s limits the database to its caller's deadline, and to the share of the company [LIMIT-8]",
    async (_name, run) => {
      seen.limits = [];
      const companyId = newId('cmp');
      const nothing = {
        companyId,
        subscriptionId: newId('whk'),
        deliveryId: newId('dlv'),
        eventId: newId('evt'),
        replayId: newId('rpl'),
      };
      await run(nothing, { timeoutMs: 60_000 }).catch((error: unknown) => {
        expect(ServiceError.from(error).reason).toBe('not_found');
      });
      expect(seen.limits.length).toBeGreaterThan(0);
      for (const limits of seen.limits) expect(limits.timeoutMs).toBeLessThanOrEqual(60_000);
      expect(seen.limits.map((limits) => limits.companyId)).toEqual(seen.limits.map(() => companyId));
    },
  );
});
