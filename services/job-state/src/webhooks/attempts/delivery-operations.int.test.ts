import { describe, expect, test } from '@jest/globals';
import type { DeliveryPage } from '@partner/proto-contracts/resources/delivery/delivery';
import { ServiceError } from '@partner/kernel/process/service-error';
import { idFloor, newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { MAX_DELIVERIES_SCANNED } from './list-deliveries.js';
import { deadLetters } from '../testing/bulk-replay-fixture.js';
import { attemptOf, client, fixture, seen } from '../testing/delivery-fixture.js';
import { failureOf } from '../../testing/subscription-fixture.js';

const idsOf = (page: { readonly deliveries: readonly { readonly id: string }[] }) =>
  page.deliveries.map(({ id }) => id);

describe('listDeliveries', () => {
  test('lists pages from newest to oldest, each delivery once, finished or not', async () => {
    const { companyId, subscriptionId, ids } = await fixture.companyWith(7);
    await fixture.finish('delivered', ids[2], ids[5]);
    const seen: string[] = [];
    let next: string | null = null;
    do {
      const of = { companyId, subscriptionId, ...(next !== null && { after: next }) };
      const page: DeliveryPage = await client.listDeliveries(of, { limit: 3 });
      seen.push(...idsOf(page));
      next = page.nextCursor;
      if (seen.length === 3) await fixture.event(companyId);
    } while (next !== null);
    expect(seen).toEqual([...ids].reverse());
  });

  test('lists by state', async () => {
    const { companyId, subscriptionId, ids } = await fixture.companyWith(6);
    const [pending, retry_scheduled, held, delivered, dead_lettered, cancelled] = ids;
    await fixture.set('deliveries', retry_scheduled, `state = 'retry_scheduled'`);
    await fixture.set('deliveries', held, `state = 'held'`);
    await fixture.finish('delivered', delivered);
    await fixture.finish('dead_lettered', dead_lettered);
    await fixture.finish('cancelled', cancelled);
    const states = { pending, retry_scheduled, held, delivered, dead_lettered, cancelled };
    for (const [status, id] of Object.entries(states)) {
      for (const of of [{ companyId, subscriptionId }, { companyId }]) {
        const page = await client.listDeliveries(of, { status });
        expect(page).toMatchObject({ deliveries: [{ id, state: status }], nextCursor: null });
      }
    }
  });

  test('lists by event, by group, by resource, by number and by creation time [DELIVERY-27]', async () => {
    const { companyId, subscriptionId, deliveries } = await fixture.companyWith(3);
    const [first, second, third] = deliveries;
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
      await fixture.set('deliveries', id, `id = '${moved}', created_at = '${created}'`);
    }
    const [one, two, three] = (await fixture.deliveriesOf(subscriptionId)).map(({ id }) => id);
    expect(await list({ from: '2026-09-01T10:00:01Z' })).toEqual([three, two]);
    expect(await list({ to: '2026-09-01T10:00:01Z' })).toEqual([one]);
    expect(await list({ from: '2026-09-01T10:00:01Z', to: '2026-09-01T10:00:02Z' })).toEqual([two]);
  });

  test('lists the deliveries to all subscriptions of a company, deleted ones included, each with its last attempt [DELIVERY-21]', async () => {
    const { companyId, subscriptionId, deliveryId } = await fixture.companyWith(1);
    const second = await fixture.subscription({ companyId });
    await fixture.event(companyId);
    await fixture.event(companyId);
    const last = await attemptOf(deliveryId, null, new Date('2026-08-26T14:00:02Z'));
    await attemptOf(deliveryId, null, new Date('2026-08-26T14:00:01Z'));
    const all = [subscriptionId, second].map((id) => fixture.deliveriesOf(id));
    const expected = (await Promise.all(all)).flat().map(({ id }) => id);

    const pages = [await client.listDeliveries({ companyId }, { limit: 3 })];
    const cursor = pages[0]?.nextCursor;
    invariant(cursor, 'two older ones');
    await fixture.set('subscriptions', second, 'deleted_at = now()');
    pages.push(await client.listDeliveries({ companyId, after: cursor }, { limit: 3 }));
    expect(pages.flatMap(idsOf)).toEqual(expected.sort().reverse());
    expect(pages[1]?.nextCursor).toBeNull();
    const lastAttempt = { deliveryId: last, durationMs: 12, responseStatus: 500 };
    expect(pages[1]?.deliveries.at(-1)).toMatchObject({ id: deliveryId, subscriptionId, lastAttempt });
    expect(pages[0]?.deliveries[0]?.lastAttempt).toBeNull();
  });

  test('scans a bounded number of deliveries for a filter with few matches, and continues from there', async () => {
    const { companyId, subscriptionId, deliveryId: oldest } = await fixture.companyWith(1);
    await fixture.set('deliveries', oldest, `event = 'install.job_assigned'`);
    const newer = { id: `'dlv_7' || lpad(n::text, 25, '0')` };
    const list = { companyId, subscriptionId };
    await fixture.insertMany('finished_deliveries', list, [1, MAX_DELIVERIES_SCANNED], newer);
    for (const filter of [{ event: 'install.job_assigned' }, { fromNumber: '1' }, { toNumber: '1' }]) {
      const first = await client.listDeliveries(list, filter);
      expect(idsOf(first)).toEqual([]);
      invariant(first.nextCursor, 'there may be more');
      const second = await client.listDeliveries({ ...list, after: first.nextCursor }, filter);
      expect(idsOf(second)).toEqual([oldest]);
      expect(second.nextCursor).toBeNull();
    }
  });
});

describe('getDelivery', () => {
  test('finds a delivery by its own id and by the id of any attempt, with the attempts in order', async () => {
    const { companyId, deliveryId, eventId } = await fixture.companyWithFinished('dead_lettered', 1);
    const later = await attemptOf(deliveryId, null, new Date('2026-08-26T14:00:02Z'));
    const stored = { dnsMs: 2, addresses: ['203.0.113.7'], reusedConnection: false, ofALaterVersion: true };
    const validTo = '2027-01-01T00:00:00.000Z';
    const certificate = { certificateSubject: 'receiver.example', certificateValidTo: validTo };
    const earlier = await attemptOf(
      deliveryId,
      { ...stored, ...certificate },
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
          certificate: { subject: 'receiver.example', issuer: null, validTo },
          reusedConnection: false,
        },
      },
      { deliveryId: later },
    ]);
    const bare = { exchange: null, responseHeaders: null, responseBody: 'kept\ufffd', error: null };
    expect(byId.attempts[1]).toMatchObject(bare);
    expect(byId.body).toContain(eventId);
    expect(await client.getDelivery({ companyId, deliveryId: earlier })).toEqual(byId);
    expect(await client.getDelivery({ companyId, deliveryId: later })).toEqual(byId);
  });

  test('returns a delivery whose event has passed its retention without a body', async () => {
    const { companyId, deliveryId, eventId } = await fixture.companyWithFinished('delivered', 1);
    await fixture.database.query('delete from events where id = $1', [eventId]);
    const found = await client.getDelivery({ companyId, deliveryId });
    expect(found.delivery).toMatchObject({ eventId, event: 'install.status_changed' });
    expect(found.body).toBeNull();
  });
});

test('a list takes as many statements for many rows as for one', async () => {
  const { companyId, subscriptionId, deliveryId } = await fixture.companyWith(10);
  await fixture.subscription({ companyId });
  const eventId = await fixture.event(companyId);
  for (const [statements, list] of [
    // One statement, so that the state and the attempts agree.
    [1, () => client.getDelivery({ companyId, deliveryId })],
    [2, () => client.listDeliveries({ companyId, subscriptionId })],
    [2, () => client.listDeliveries({ companyId, subscriptionId }, { event: 'install.*' })],
    [1, () => client.listDeliveries({ companyId }, { search: 'WO-1' })],
    [4, () => client.getEvent({ companyId, eventId })],
    [2, () => client.listEvents({ companyId })],
    [2, () => client.listEvents({ companyId }, { event: 'install.*' })],
    [2, () => client.listBulkReplays({ companyId, subscriptionId })],
  ] as const) {
    seen.statements = [];
    await list();
    expect(seen.statements).toHaveLength(statements);
  }
});

const selection = () => ({ ...deadLetters(), perMinute: 60 });

type Ids = Readonly<Record<'companyId' | 'subscriptionId' | 'deliveryId' | 'eventId' | 'replayId', string>>;
type Run = (ids: Ids, options?: { readonly timeoutMs: number }) => Promise<unknown>;

/** Each operation that names something of a company. */
const OPERATIONS: readonly (readonly [string, Run])[] = [
  ['listDeliveries', (ids, options) => client.listDeliveries(ids, {}, options)],
  ['getDelivery', (ids, options) => client.getDelivery(ids, {}, options)],
  ['replayDelivery', (ids, options) => client.replayDelivery(ids, {}, options)],
  ['retryDelivery', (ids, options) => client.retryDelivery(ids, {}, options)],
  ['previewBulkReplay', (ids, options) => client.previewBulkReplay(ids, selection(), options)],
  ['createBulkReplay', (ids, options) => client.createBulkReplay(ids, selection(), options)],
  ['listBulkReplays', (ids, options) => client.listBulkReplays(ids, {}, options)],
  ['getBulkReplay', (ids, options) => client.getBulkReplay(ids, {}, options)],
  ['cancelBulkReplay', (ids, options) => client.cancelBulkReplay(ids, {}, options)],
  ['getEvent', (ids, options) => client.getEvent(ids, {}, options)],
  ['getSubscriptionStatistics', (ids, options) => client.getSubscriptionStatistics(ids, {}, options)],
];

test('another company finds nothing of a company by any id, and changes nothing', async () => {
  const side = await fixture.companyWithFinished('dead_lettered', 1);
  const { companyId, subscriptionId, deliveryId, eventId } = side;
  const attemptId = await attemptOf(deliveryId);
  const replay = await client.createBulkReplay(side, selection());
  const stranger = await fixture.company();
  const ids = { subscriptionId, deliveryId, eventId, replayId: replay.id, companyId: stranger };
  for (const [name, run] of OPERATIONS)
    expect([name, await failureOf(run(ids))]).toMatchObject([name, { reason: 'not_found' }]);
  const byAttempt = { companyId: stranger, deliveryId: attemptId };
  for (const call of [client.getDelivery(byAttempt), client.replayDelivery(byAttempt)])
    expect((await failureOf(call)).reason).toBe('not_found');
  expect((await client.listEvents({ companyId: stranger })).events).toEqual([]);
  const { resource } = (await client.getDelivery({ companyId, deliveryId })).delivery;
  for (const search of [undefined, deliveryId, attemptId, eventId, resource.id]) {
    expect(idsOf(await client.listDeliveries({ companyId }, { search }))).toEqual([deliveryId]);
    expect(idsOf(await client.listDeliveries({ companyId: stranger }, { search }))).toEqual([]);
  }
  expect(await client.getBulkReplay({ companyId, replayId: replay.id })).toEqual(replay);
  expect(await fixture.deliveriesOf(subscriptionId)).toHaveLength(1);
});

test.each<readonly [string, Run]>([
  ...OPERATIONS,
  ['listEvents', (ids, options) => client.listEvents(ids, {}, options)],
  ['getCompanyStatistics', (ids, options) => client.getCompanyStatistics(ids, {}, options)],
])(
  "%s limits the database to its caller's deadline, and to the share of the company [LIMIT-8]",
  async (_name, run) => {
    seen.limits = [];
    const companyId = newId('cmp');
    const [subscriptionId, deliveryId] = [newId('whk'), newId('dlv')];
    const nothing = { companyId, subscriptionId, deliveryId, eventId: newId('evt'), replayId: newId('rpl') };
    await run(nothing, { timeoutMs: 60_000 }).catch((error: unknown) => {
      expect(ServiceError.from(error).reason).toBe('not_found');
    });
    expect(seen.limits.length).toBeGreaterThan(0);
    for (const limits of seen.limits) expect(limits.timeoutMs).toBeLessThanOrEqual(60_000);
    expect(seen.limits.map((limits) => limits.companyId)).toEqual(seen.limits.map(() => companyId));
  },
);
