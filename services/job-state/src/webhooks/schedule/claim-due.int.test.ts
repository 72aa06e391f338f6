import type { QueryResultRow } from 'pg';
import type { Database } from '../../database/database.js';
import { describe, expect, test } from '@jest/globals';
import { invariant } from '@partner/kernel/process/invariant';
import type { LeasedDelivery } from '../deliveries/leased-delivery.js';
import { endExpiredLeases, findWaiting } from './claim-due.js';
import { walkWaiting } from './walk-waiting.js';
import { claimAll } from '../../testing/claim-all.js';
import { LIMITS, fixture, setFailing, finish } from '../testing/release-fixture.js';

const claim = (limits: Partial<Parameters<typeof claimAll>[1]> = {}) =>
  claimAll(fixture.database, { ...LIMITS, ...limits });

const subscriptionsOf = (claimed: readonly LeasedDelivery[]) =>
  claimed.map(({ subscriptionId }) => subscriptionId);

async function companyWithSubscriptions(count: number) {
  const companyId = await fixture.company();
  const ids: string[] = [];
  for (let each = 0; each < count; each += 1) ids.push(await fixture.subscription({ companyId }));
  return { companyId, ids };
}

async function events(companyId: string, count: number) {
  for (let event = 0; event < count; event += 1) await fixture.event(companyId);
}

describe('due deliveries', () => {
  test('are released oldest first, up to the batch size [DELIVERY-17]', async () => {
    const { ids } = await fixture.companyWith(5);
    for (const [index, minutes] of [3, 5, 1, 4, 2].entries())
      await fixture.set('deliveries', ids[index], `next_attempt_at = now() - interval '${minutes} min'`);
    const claimed = await claim({ batchSize: 2 });
    expect(new Set(claimed.map(({ id }) => id))).toEqual(new Set([ids[1], ids[3]]));
    expect(await claim()).toHaveLength(3);
  });

  test('of one subscription stay within its cap, whatever its backlog, and others are released [DELIVERY-15]', async () => {
    const busy = await fixture.companyWith(8);
    const quiet = await fixture.companyWith(1);
    const ofBusy = (claimed: readonly LeasedDelivery[]) =>
      claimed.filter(({ subscriptionId }) => subscriptionId === busy.subscriptionId);

    const first = await claim({ batchSize: 4, subscriptionCap: 3 });
    expect(ofBusy(first)).toHaveLength(3);
    expect(subscriptionsOf(first)).toContain(quiet.subscriptionId);
    expect(await claim({ subscriptionCap: 3 })).toEqual([]);

    const [ended, lost] = ofBusy(first);
    invariant(ended && lost, 'three are in flight');
    await finish(ended.id);
    await fixture.makeDue(lost.id);
    await endExpiredLeases(fixture.database);
    expect(ofBusy(await claim({ subscriptionCap: 3 }))).toHaveLength(2);
  });

  test('in flight stay within the bound across all companies [DELIVERY-15]', async () => {
    const limits = { inFlight: 4 };
    for (let subscription = 0; subscription < 6; subscription += 1) await fixture.companyWith(1);
    const [first] = await claim(limits);
    expect(await fixture.leases()).toBe(4);
    expect(await claim(limits)).toEqual([]);
    await finish(first?.id);
    expect(await claim(limits)).toHaveLength(1);
  });

  test('of a subscription with a rate start in bursts of a quarter of a second, oldest first, and delay no other [DELIVERY-23]', async () => {
    const { ids, ...limited } = await fixture.companyWith(6);
    const nextIn = (interval: string) =>
      fixture.set(
        'subscriptions',
        limited.subscriptionId,
        `next_delivery_at = now() + interval '${interval}'`,
      );
    await fixture.set('subscriptions', limited.subscriptionId, 'deliveries_per_second = 8');
    for (const id of ids.slice(4)) await fixture.setRetrying([id], 0);
    const ofLimited = async () =>
      (await claim())
        .filter(({ subscriptionId }) => subscriptionId === limited.subscriptionId)
        .map(({ id }) => id);
    // Retries alternate with first attempts. At 8 per second, 2 are a quarter of a second's worth, and 1 is due.
    expect(await ofLimited()).toEqual([ids[4], ids[0], ids[5]]);

    await nextIn('1 hour');
    const { subscriptionId: other } = await fixture.companyWith(3);
    expect(subscriptionsOf(await claim())).toEqual([other, other, other]);
    // A long pause makes no larger burst.
    await nextIn('-1 hour');
    expect(await ofLimited()).toEqual(ids.slice(1, 4));
  });

  test('of a subscription with a rate keep it, however many schedulers claim at once [DELIVERY-23]', async () => {
    const { subscriptionId } = await fixture.companyWith(20);
    await fixture.set('subscriptions', subscriptionId, 'deliveries_per_second = 2');
    const now = async () => {
      const [row] = await fixture.database.query<{ now: number; next: number }>(
        `select extract(epoch from clock_timestamp())::float8 as now, extract(epoch from next_delivery_at)::float8 as next
         from subscriptions where id = $1`,
        [subscriptionId],
      );
      invariant(row, 'the subscription exists');
      return row;
    };
    const begin = await now();
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim()));
    const end = await now();
    const started = claims.flat().length;
    expect(started).toBeGreaterThan(0);
    // Of the time that the claims took, however long.
    expect(started).toBeLessThanOrEqual(2 * (end.now - begin.now + 0.25) + 1);
    expect(end.next - begin.now).toBeGreaterThanOrEqual(started / 2);
  });

  test('are never leased by two schedulers', async () => {
    const subscriptions = await Promise.all(Array.from({ length: 6 }, () => fixture.companyWith(10)));
    const claimed: LeasedDelivery[] = [];
    for (let round = 0; round < 10; round += 1) {
      const batches = await Promise.all(Array.from({ length: 6 }, () => claim({ batchSize: 7 })));
      claimed.push(...batches.flat());
    }
    claimed.push(...(await claim()));
    expect(claimed.map(({ id }) => id).sort()).toEqual(subscriptions.flatMap(({ ids }) => ids).sort());
  });

  test('of a failing endpoint keep its cap, so that its attempts keep their schedule', async () => {
    const { subscriptionId } = await fixture.companyWith(30);
    await setFailing(subscriptionId);
    expect(await claim()).toHaveLength(LIMITS.subscriptionCap);
  });

  test('leave half of all slots to healthy endpoints, however many fail [DELIVERY-16]', async () => {
    const limits = { inFlight: 40, subscriptionCap: 4 };
    const failing = await Promise.all(Array.from({ length: 8 }, () => fixture.companyWith(6)));
    await setFailing(...failing.map(({ subscriptionId }) => subscriptionId));
    const hanging = await claim(limits);
    expect(hanging).toHaveLength(20);
    expect(new Set(subscriptionsOf(hanging)).size).toBe(8);
    expect(await claim(limits)).toEqual([]);

    const { subscriptionId: healthy } = await fixture.companyWith(6);
    expect(subscriptionsOf(await claim(limits))).toEqual([healthy, healthy, healthy, healthy]);

    // A slot that a failing endpoint frees goes to failing endpoints again.
    await finish(hanging[0]?.id);
    const after = await claim(limits);
    expect(after).toHaveLength(1);
    expect(failing.map(({ subscriptionId }) => subscriptionId)).toContain(after[0]?.subscriptionId);
  });

  test('of failing endpoints share a free slot by company, the one with the fewest first', async () => {
    const limits = { inFlight: 8, subscriptionCap: 4 };
    const hanging = await fixture.companyWith(6);
    await setFailing(hanging.subscriptionId);
    const [ended] = await claim(limits);
    const recovered = await fixture.companyWith(1);
    await setFailing(recovered.subscriptionId);
    expect(await claim(limits)).toEqual([]);
    await finish(ended?.id);
    expect(subscriptionsOf(await claim(limits))).toEqual([recovered.subscriptionId]);
  });

  test("leave half of a company's slots to its healthy endpoints, however many fail [DELIVERY-16]", async () => {
    const limits = { subscriptionCap: 4, companyCap: 12 };
    const { companyId, ids: hanging } = await companyWithSubscriptions(5);
    await setFailing(...hanging);
    await events(companyId, 5);
    expect(await claim(limits)).toHaveLength(6);
    expect(await claim(limits)).toEqual([]);

    const healthy = await fixture.subscription({ companyId });
    await events(companyId, 5);
    expect(subscriptionsOf(await claim(limits))).toEqual([healthy, healthy, healthy, healthy]);
  });
});

describe('due deliveries of many companies', () => {
  test('keep a company within its cap, however many subscriptions it has [DELIVERY-15]', async () => {
    const { companyId } = await companyWithSubscriptions(4);
    await events(companyId, 3);
    expect(await claim({ companyCap: 5 })).toHaveLength(5);
    expect(await claim({ companyCap: 5 })).toEqual([]);
  });

  test('share the slots between companies by their weights [DELIVERY-15]', async () => {
    const [light, heavy] = [await fixture.companyWith(20), await fixture.companyWith(20)];
    await fixture.set('companies', heavy.companyId, 'delivery_weight = 3');
    const claimed = subscriptionsOf(await claim({ batchSize: 12 }));
    const count = ({ subscriptionId }: typeof light) => claimed.filter((id) => id === subscriptionId).length;
    expect([count(light), count(heavy)]).toEqual([3, 9]);
  });

  test("leave a quarter of a subscription's slots to retries, so that neither kind waits for a backlog of the other [DELIVERY-15]", async () => {
    const { ids } = await fixture.companyWith(20);
    const retries = new Set<string>(ids.slice(0, 10));
    await fixture.setRetrying([...retries], -3_600);
    const limits = { subscriptionCap: 8 };
    const count = (claimed: readonly LeasedDelivery[]) => ({
      retries: claimed.filter(({ id }) => retries.has(id)).length,
      first: claimed.filter(({ id }) => !retries.has(id)).length,
    });
    const all = await claim(limits);
    expect(count(all)).toEqual({ retries: 2, first: 6 });
    // A free slot goes to the kind that has fewer than its reserved slots.
    const retry = all.find(({ id }) => retries.has(id));
    await finish(retry?.id);
    expect(count(await claim(limits))).toEqual({ retries: 1, first: 0 });
    await finish(all.find(({ id }) => !retries.has(id))?.id);
    expect(count(await claim(limits))).toEqual({ retries: 0, first: 1 });
  });

  test('leave every slot to retries if no first attempt needs it', async () => {
    await fixture.companyWith(8);
    await fixture.database.query(`update deliveries set state = 'retry_scheduled', attempts = 1`);
    expect(await claim({ subscriptionCap: 8 })).toHaveLength(8);
  });

  test("of a company's healthy subscriptions come before those of its failing ones", async () => {
    const { companyId, ids: failing } = await companyWithSubscriptions(6);
    await setFailing(...failing);
    await fixture.event(companyId);
    const healthy = [await fixture.subscription({ companyId }), await fixture.subscription({ companyId })];
    await fixture.event(companyId);
    expect(new Set(subscriptionsOf(await claim({ companyCap: 2 })))).toEqual(new Set(healthy));
  });

  test('leave a quarter of the slots to companies with nothing in flight, whatever the weight of the others', async () => {
    const limits = { inFlight: 20, subscriptionCap: 20 };
    const heavy = await fixture.companyWith(30);
    await fixture.set('companies', heavy.companyId, 'delivery_weight = 100');
    expect(await claim(limits)).toHaveLength(15);
    const newcomer = await fixture.companyWith(2);
    expect(subscriptionsOf(await claim(limits))).toEqual([newcomer.subscriptionId]);
  });

  test('whose lease expired are due at once, and after a minute if it expired unseen', async () => {
    const { ids } = await fixture.companyWith(3);
    const [first, second, third] = ids;
    await claim();
    let elapsedMs = 0;
    const walk = walkWaiting({
      ...{ database: fixture.database, elapsedMs: () => elapsedMs, retryPollMs: 1_000 },
      leaseExpiries: { inc: () => undefined },
    });
    const expire = (id: string, secondsAgo: number) =>
      fixture.set('deliveries', id, `next_attempt_at = now() - interval '${secondsAgo} seconds'`);
    const leased = async () => {
      await walk.next();
      const states = await Promise.all(ids.map((id) => fixture.delivery(id)));
      return states.map(({ lease_id }) => lease_id !== null);
    };
    await expire(first, 3_600);
    expect(await leased()).toEqual([false, true, true]);
    await expire(second, 3_600);
    await expire(third, 1);
    elapsedMs = 1_000;
    expect(await leased()).toEqual([false, true, false]);
    while (elapsedMs < 59_000) {
      elapsedMs += 2_000;
      await walk.next();
    }
    expect(await leased()).toEqual([false, true, false]);
    elapsedMs = 61_000;
    expect(await leased()).toEqual([false, false, false]);
    // A pause of the walk.
    await claim();
    await expire(first, 3_600);
    elapsedMs = 62_000;
    expect(await leased()).toEqual([true, true, true]);
    elapsedMs = 73_000;
    expect(await leased()).toEqual([false, true, true]);
  });

  test('whose lease expired while no result could arrive are due only after results could for 15 s', async () => {
    const { deliveryId: id } = await fixture.companyWith(1);
    await claim();
    await fixture.set('deliveries', id, `next_attempt_at = now() - interval '1 hour'`);
    const now = { elapsedMs: 0, canResultsArrive: true, queryMs: 0, isDatabaseAway: false };
    const walk = walkWaiting({
      database: {
        query: <Row extends QueryResultRow>(...args: Parameters<Database['query']>) => {
          now.elapsedMs += now.queryMs;
          return now.isDatabaseAway
            ? Promise.reject(new Error('away'))
            : fixture.database.query<Row>(...args);
        },
      },
      ...{ elapsedMs: () => now.elapsedMs, canResultsArrive: () => now.canResultsArrive, retryPollMs: 1_000 },
      leaseExpiries: { inc: () => undefined },
    });
    const isLeasedAfter = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        now.elapsedMs += 1_000;
        await walk.next().catch(() => undefined);
      }
      return (await fixture.delivery(id)).lease_id !== null;
    };
    expect(await isLeasedAfter(14)).toBe(true);
    now.canResultsArrive = false;
    expect(await isLeasedAfter(1)).toBe(true);
    now.canResultsArrive = true;
    expect(await isLeasedAfter(14)).toBe(true);
    Object.assign(now, { isDatabaseAway: true, queryMs: 12_000 });
    expect(await isLeasedAfter(1)).toBe(true);
    now.isDatabaseAway = false;
    // It stands still, and responds then.
    expect(await isLeasedAfter(1)).toBe(true);
    now.queryMs = 0;
    // The next poll sees that the last statement, too, took its time.
    expect(await isLeasedAfter(15)).toBe(true);
    expect(await isLeasedAfter(1)).toBe(false);
  });

  test('are found by subscription in pages, from a given one on', async () => {
    const made = [await fixture.companyWith(2), await fixture.companyWith(1), await fixture.companyWith(3)];
    const ids = made.map(({ subscriptionId }) => subscriptionId).sort();
    const find = (afterId: string, limit: number) =>
      findWaiting(fixture.database, { state: 'pending', afterId, limit });
    expect(await find('', 2)).toEqual(ids.slice(0, 2));
    expect(await find(ids[1] ?? '', 2)).toEqual(ids.slice(2));
    expect(await find(ids[2] ?? '', 2)).toEqual([]);
    const retries = { state: 'retry_scheduled', afterId: '', limit: 2 } as const;
    expect(await findWaiting(fixture.database, retries)).toEqual([]);
  });
});
