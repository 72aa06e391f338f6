import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { getInstallerManifestOperation } from '@partner/proto-contracts/resources/manifest/operations';
import { installerKey, installerOwner } from '../../testing/callers.js';
import { installerResponse } from '../../testing/parsed-response.js';
import { failureOf } from '../../testing/subscription-fixture.js';
import { replayEvents } from '../replay/replay-events.js';
import { startBackfill } from '../subscriptions/start-backfill.js';
import { HOUR_MS, later, runToEnd } from '../testing/bulk-replay-fixture.js';
import { deleteSubscription } from '../subscriptions/subscription-state.js';
import { client, fixture, logger } from '../testing/delivery-fixture.js';
import { manifestOperations } from './read-manifest.js';

const clock = () => new Date();

const ownerOf = (companyId: string) => {
  return { companyId, actor: installerOwner(companyId), timeoutMs: () => undefined };
};

const hourAround = () => ({
  from: new Date(Date.now() - HOUR_MS).toISOString(),
  to: new Date(Date.now() + HOUR_MS).toISOString(),
});

async function read(companyId: string, id: string, query: object = {}, after?: string) {
  const implementations = manifestOperations({ database: fixture.database, clock });
  const operations = inProcessOperations({ implementations, callers: ['key'] });
  const sent = {
    ...{ caller: installerKey(companyId), params: { id }, query: { ...hourAround(), ...query } },
    ...(after !== undefined && { after }),
  };
  const operation = getInstallerManifestOperation;
  return installerResponse(operation, await operations.call(operation, sent));
}

async function entriesOf(companyId: string, subscriptionId: string) {
  const { entries } = await read(companyId, subscriptionId);
  return entries.map(({ number, eventId, outcome }) => [number, eventId, outcome]);
}

const numbersOf = async (subscriptionId: string) =>
  fixture.database.query<{ id: string; event_id: string; number: string | null }>(
    'select id, event_id, number from all_deliveries where subscription_id = $1 order by id',
    [subscriptionId],
  );

describe('the numbers of the events of a subscription', () => {
  test('count what is queued to it: filters and pauses use none [DELIVERY-24]', async () => {
    const companyId = await fixture.company();
    const all = await fixture.subscription({ companyId });
    const some = await fixture.subscription({ companyId, events: ['install.job_assigned'] });
    const first = await fixture.event(companyId);
    await fixture.set('subscriptions', some, `events = '{install.*}'`);
    await fixture.setState(all, 'paused');
    const second = await fixture.event(companyId);
    await fixture.setState(all, 'active');
    const third = await fixture.event(companyId);
    const numbered = async (id: string) => (await numbersOf(id)).map((row) => [row.event_id, row.number]);
    expect(await numbered(all)).toEqual([
      [first, '1'],
      [third, '2'],
    ]);
    expect(await numbered(some)).toEqual([
      [second, '1'],
      [third, '2'],
    ]);
  });

  test('stay gapless for transactions at once that belong to several companies [DELIVERY-24]', async () => {
    const [one, other] = [await fixture.company(), await fixture.company()];
    const subscriptions = await Promise.all(
      [one, one, other].map((companyId) => fixture.subscription({ companyId })),
    );
    const both = (companies: readonly string[]) =>
      fixture.database.transaction(async (tx) => {
        for (const companyId of companies) fixture.record(tx, companyId);
      });
    await Promise.all(
      Array.from({ length: 20 }, (_, turn) => both(turn % 2 === 0 ? [one, other] : [other, one, one])),
    );
    for (const [place, count] of [30, 30, 20].entries()) {
      const rows = await numbersOf(subscriptions[place] ?? '');
      const numbers = rows.map(({ number }) => Number(number)).sort((a, b) => a - b);
      expect(numbers).toEqual(Array.from({ length: count }, (_, before) => before + 1));
    }
  });

  test('are repeated by replays, and taken by events that a back-fill or a replay queues for the first time [DELIVERY-24]', async () => {
    const { companyId, subscriptionId, deliveryId, eventId } = await fixture.companyWith(1);
    await fixture.setState(subscriptionId, 'paused');
    const pausedAt = clock();
    const missed = [await fixture.event(companyId), await fixture.event(companyId)];
    await fixture.setState(subscriptionId, 'active');
    await fixture.finish('delivered', deliveryId);
    const last = await fixture.event(companyId);
    const { id: backfillId } = await fixture.database.transaction((tx) =>
      startBackfill(tx, { companyId, subscriptionId, from: pausedAt, to: clock(), maxCounted: 10 }),
    );
    await client.replayDelivery({ companyId, deliveryId });
    await runToEnd({ companyId, replayId: backfillId });
    const numbers = async () => {
      const rows = await numbersOf(subscriptionId);
      return [eventId, last, ...missed].map((id) =>
        rows.filter(({ event_id }) => event_id === id).map(({ number }) => number),
      );
    };
    expect(await numbers()).toEqual([['1', '1'], ['2'], ['3'], ['4']]);

    await fixture.setState(subscriptionId, 'paused');
    const never = await fixture.event(companyId);
    await fixture.setState(subscriptionId, 'active');
    await fixture.finish('delivered', ...(await numbersOf(subscriptionId)).map(({ id }) => id));
    const selection = { fromSequence: 1, toSequence: 9 };
    const { result } = await replayEvents(
      { database: fixture.database, clock: later, logger },
      { ...ownerOf(companyId), subscriptionId, selection, perMinute: 60_000 },
      undefined,
    );
    await runToEnd({ companyId, replayId: result.replays[0]?.id ?? '' });
    expect(await numbers()).toEqual([['1', '1', '1'], ...['2', '3', '4'].map((number) => [number, number])]);
    const rows = await numbersOf(subscriptionId);
    expect(rows.filter(({ event_id }) => event_id === never).map(({ number }) => number)).toEqual(['5']);
    expect((await entriesOf(companyId, subscriptionId)).map(([number, id]) => [number, id])).toEqual([
      [1, eventId],
      [2, last],
      [3, missed[0]],
      [4, missed[1]],
      [5, never],
    ]);
  });

  test('are dropped with their subscription, so that the row of a company does not grow', async () => {
    const { companyId, subscriptionId } = await fixture.companyWith(1);
    const deps = { database: fixture.database, logger, clock };
    await deleteSubscription(deps, { ...ownerOf(companyId), subscriptionId });
    const counts = 'select delivery_counts from event_numbers where company_id = $1';
    expect(await fixture.database.query(counts, [companyId])).toEqual([{ delivery_counts: {} }]);
  });
});

describe('a manifest', () => {
  test('has each event of its span once, with the outcome of its newest delivery, and no test [DELIVERY-25]', async () => {
    const { companyId, subscriptionId, deliveries } = await fixture.companyWith(3);
    const [dead, delivered, waiting] = deliveries;
    await fixture.finish('dead_lettered', dead.id);
    await fixture.finish('delivered', delivered.id);
    await fixture.database.query(
      `insert into deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test)
       select $1, subscription_id, company_id, event_id, event, resource_type, resource_id, true from deliveries where id = $2`,
      [newId('dlv'), waiting.id],
    );
    const entries = async () => entriesOf(companyId, subscriptionId);
    expect(await entries()).toEqual([
      [1, dead.event_id, 'dead_lettered'],
      [2, delivered.event_id, 'delivered'],
      [3, waiting.event_id, 'pending'],
    ]);
    const [first, , third] = (await read(companyId, subscriptionId)).entries;
    const { delivery } = await client.getDelivery({ companyId, deliveryId: dead.id });
    const { createdAt: queuedAt, finishedAt } = delivery;
    expect(first).toMatchObject({ queuedAt, finishedAt });
    expect(third).toMatchObject({ queuedAt: expect.any(String), finishedAt: null });
    await client.replayDelivery({ companyId, deliveryId: dead.id });
    expect((await entries())[0]).toEqual([1, dead.event_id, 'pending']);
    const before = { from: hourAround().from, to: new Date(Date.now() - HOUR_MS / 2).toISOString() };
    const empty = { subscriptionId, entries: [], nextCursor: null };
    expect(await read(companyId, subscriptionId, before)).toMatchObject(empty);
  });

  test('comes in pages that follow one another, and has no number for what an older version queued [DELIVERY-25]', async () => {
    const { companyId, subscriptionId, ids } = await fixture.companyWith(3);
    await fixture.set('deliveries', ids[2], 'number = null');
    const first = await read(companyId, subscriptionId, { limit: '2' });
    expect(first.entries.map(({ number }) => number)).toEqual([1, 2]);
    const second = await read(companyId, subscriptionId, { limit: '2' }, first.nextCursor ?? '');
    expect(second).toMatchObject({ entries: [{ number: null }], nextCursor: null });
  });

  test('of a subscription that the company does not have is not found [DELIVERY-25]', async () => {
    const { subscriptionId } = await fixture.companyWith(1);
    for (const id of [subscriptionId, 'whk_1']) {
      const failure = await failureOf(read(await fixture.company(), id));
      expect(failure.reason).toBe('not_found');
    }
  });

  test.each([
    ['from', { from: '2099-01-01T00:00:00Z', to: undefined }],
    ['to', { from: '2026-09-01T11:00:00Z', to: '2026-09-01T10:00:00Z' }],
    ['to', { from: '2026-09-01T11:00:00Z', to: '2026-10-03T11:00:00Z' }],
  ])('of no span or too long a one is refused, and names %s [DELIVERY-25]', async (path, query) => {
    const failure = await failureOf(read(newId('cmp'), newId('whk'), query));
    expect(failure).toMatchObject({ reason: 'invalid_argument', attributes: { details: [{ path }] } });
  });
});
