import type { QueryResultRow } from 'pg';
import type { Database } from '../../database/database.js';
import { describe, expect, test } from '@jest/globals';
import { invariant } from '@partner/kernel/process/invariant';
import type { LeasedDelivery } from '../deliveries/leased-delivery.js';
import { endExpiredLeases, findWaiting } from './claim-due.js';
import { walkWaiting } from './walk-waiting.js';
import { claimAll } from '../../testing/claim-all.js';
import { LIMITS, fixture, setFailing, finish } from '../testing/release-fixture.js';

describe('due deliveries', () => {
  test('are released oldest first, up to the batch size [DELIVERY-17]', async () => {
    const { deliveries } = await fixture.companyWith(5);
    for (const [index, { id }] of deliveries.entries()) {
      await fixture.database.query(
        `update deliveries set next_attempt_at = now() - make_interval(mins => $2) where id = $1`,
        [id, [3, 5, 1, 4, 2][index]],
      );
    }
    const claimed = await claimAll(fixture.database, { ...LIMITS, batchSize: 2 });
    expect(new Set(claimed.map(({ id }) => id))).toEqual(new Set([deliveries[1]?.id, deliveries[3]?.id]));
    const rest = await claimAll(fixture.database, LIMITS);
    expect(rest).toHaveLength(3);
  });

  test('of one subscription stay within its cap, whatever its backlog, and others are released [DELIVERY-15]', async () => {
    const busy = await fixture.companyWith(8);
    const quiet = await fixture.companyWith(1);
    const ofBusy = (claimed: readonly LeasedDelivery[]) =>
      claimed.filter(({ subscriptionId }) => subscriptionId === busy.subscriptionId);

    const first = await claimAll(fixture.database, { ...LIMITS, batchSize: 4, subscriptionCap: 3 });
    expect(ofBusy(first)).toHaveLength(3);
    expect(first.map(({ subscriptionId }) => subscriptionId)).toContain(quiet.subscriptionId);
    expect(await claimAll(fixture.database, { ...LIMITS, subscriptionCap: 3 })).toEqual([]);

    const [ended, lost] = ofBusy(first);
    invariant(ended && lost, 'three are in flight');
    await finish(ended.id);
    await fixture.makeDue(lost.id);
    await endExpiredLeases(fixture.database);
    expect(ofBusy(await claimAll(fixture.database, { ...LIMITS, subscriptionCap: 3 }))).toHaveLength(2);
  });

  test('of a healthy subscription are released at once, however many others hang with a backlog [DELIVERY-15]', async () => {
    const limits = { ...LIMITS, batchSize: 200, inFlight: 40, subscriptionCap: 2 };
    for (let hanging = 0; hanging < 25; hanging += 1) await fixture.companyWith(4);
    const inFlight: LeasedDelivery[] = [];
    for (let batch = 0; batch < 3; batch += 1) inFlight.push(...(await claimAll(fixture.database, limits)));
    // Three quarters of the slots; the rest is for companies with nothing in flight.
    expect(inFlight).toHaveLength(30);
    expect(new Set(inFlight.map(({ subscriptionId }) => subscriptionId)).size).toBe(25);

    const healthy = await fixture.companyWith(3);
    const next = await claimAll(fixture.database, limits);
    expect(next.map(({ subscriptionId }) => subscriptionId)).toEqual([healthy.subscriptionId]);
  });

  test('in flight stay within the bound across all companies [DELIVERY-15]', async () => {
    const limits = { ...LIMITS, inFlight: 4 };
    for (let subscription = 0; subscription < 6; subscription += 1) await fixture.companyWith(1);
    const [first] = await claimAll(fixture.database, limits);
    expect(await fixture.leases()).toBe(4);
    expect(await claimAll(fixture.database, limits)).toEqual([]);
    await finish(first?.id);
    expect(await claimAll(fixture.database, limits)).toHaveLength(1);
  });

  test('of a subscription with a rate start in bursts of a quarter of a second, oldest first, and delay no other [DELIVERY-23]', async () => {
    const limited = await fixture.companyWith(6);
    const ids = limited.deliveries.map(({ id }) => id);
    await fixture.set('subscriptions', limited.subscriptionId, 'deliveries_per_second = 8');
    await fixture.database.query(
      `update deliveries set state = 'retry_scheduled', attempts = 1 where id = any($1::text[])`,
      [ids.slice(4)],
    );
    const ofLimited = async () =>
      (await claimAll(fixture.database, LIMITS))
        .filter(({ subscriptionId }) => subscriptionId === limited.subscriptionId)
        .map(({ id }) => id);
    // Retries alternate with first attempts. At 8 per second, 2 are a quarter of a second's worth, and 1 is due.
    expect(await ofLimited()).toEqual([ids[4], ids[0], ids[5]]);

    await fixture.set(
      'subscriptions',
      limited.subscriptionId,
      `next_delivery_at = now() + interval '1 hour'`,
    );
    const other = await fixture.companyWith(3);
    const started = await claimAll(fixture.database, LIMITS);
    expect(started.map(({ subscriptionId }) => subscriptionId)).toEqual(
      Array.from({ length: 3 }, () => other.subscriptionId),
    );
    // A long pause makes no larger burst.
    await fixture.set(
      'subscriptions',
      limited.subscriptionId,
      `next_delivery_at = now() + interval '-1 hour'`,
    );
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
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimAll(fixture.database, LIMITS)));
    const end = await now();
    const started = claims.flat().length;
    expect(started).toBeGreaterThan(0);
    // Of the time that the claims took, however long.
    expect(started).toBeLessThanOrEqual(2 * (end.now - begin.now + 0.25) + 1);
    expect(end.next - begin.now).toBeGreaterThanOrEqual(started / 2);
  });

  test('are never leased by two schedulers', async () => {
    const subscriptions = await Promise.all(Array.from({ length: 6 }, () => fixture.companyWith(10)));
    const all = subscriptions.flatMap(({ deliveries }) => deliveries.map(({ id }) => id));
    const claimed: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      const batches = await Promise.all(
        Array.from({ length: 6 }, () => claimAll(fixture.database, { ...LIMITS, batchSize: 7 })),
      );
      claimed.push(...batches.flatMap((batch) => batch.map(({ id }) => id)));
    }
    const rest = await claimAll(fixture.database, LIMITS);
    claimed.push(...rest.map(({ id }) => id));
    expect(claimed).toHaveLength(new Set(claimed).size);
    expect(new Set(claimed)).toEqual(new Set(all));
  });

  test('of a failing endpoint keep its cap, so that its attempts keep their schedule', async () => {
    const { subscriptionId } = await fixture.companyWith(30);
    await setFailing(subscriptionId);
    expect(await claimAll(fixture.database, LIMITS)).toHaveLength(LIMITS.subscriptionCap);
  });

  test('leave half of all slots to healthy endpoints, however many fail [DELIVERY-16]', async () => {
    const limits = { ...LIMITS, inFlight: 40, subscriptionCap: 4 };
    const failing = await Promise.all(Array.from({ length: 8 }, () => fixture.companyWith(6)));
    await setFailing(...failing.map(({ subscriptionId }) => subscriptionId));
    const hanging = await claimAll(fixture.database, limits);
    expect(hanging).toHaveLength(20);
    expect(new Set(hanging.map(({ subscriptionId }) => subscriptionId)).size).toBe(8);
    expect(await claimAll(fixture.database, limits)).toEqual([]);

    const healthy = await fixture.companyWith(6);
    const next = await claimAll(fixture.database, limits);
    expect(next.map(({ subscriptionId }) => subscriptionId)).toEqual(
      Array.from({ length: 4 }, () => healthy.subscriptionId),
    );

    // A slot that a failing endpoint frees goes to failing endpoints again.
    await finish(hanging[0]?.id);
    const after = await claimAll(fixture.database, limits);
    expect(failing.map(({ subscriptionId }) => subscriptionId)).toContain(after[0]?.subscriptionId);
    expect(after).toHaveLength(1);
  });

  test('of failing endpoints share a free slot by company, the one with the fewest first', async () => {
    const limits = { ...LIMITS, inFlight: 8, subscriptionCap: 4 };
    const hanging = await fixture.companyWith(6);
    await setFailing(hanging.subscriptionId);
    const [ended] = await claimAll(fixture.database, limits);
    const recovered = await fixture.companyWith(1);
    await setFailing(recovered.subscriptionId);
    expect(await claimAll(fixture.database, limits)).toEqual([]);
    await finish(ended?.id);
    const next = await claimAll(fixture.database, limits);
    expect(next.map(({ subscriptionId }) => subscriptionId)).toEqual([recovered.subscriptionId]);
  });

  test("leave half of a company's slots to its healthy endpoints, however many fail [DELIVERY-16]", async () => {
    const limits = { ...LIMITS, subscriptionCap: 4, companyCap: 12 };
    const companyId = await fixture.company();
    const hanging: string[] = [];
    for (let each = 0; each < 5; each += 1) hanging.push(await fixture.subscription({ companyId }));
    await setFailing(...hanging);
    for (let event = 0; event < 5; event += 1) await fixture.event(companyId);
    expect(await claimAll(fixture.database, limits)).toHaveLength(6);
    expect(await claimAll(fixture.database, limits)).toEqual([]);

    const healthy = await fixture.subscription({ companyId });
    for (let event = 0; event < 5; event += 1) await fixture.event(companyId);
    const next = await claimAll(fixture.database, limits);
    expect(next.map(({ subscriptionId }) => subscriptionId)).toEqual(
      Array.from({ length: 4 }, () => healthy),
    );
  });
});

describe('due deliveries of many companies', () => {
  test('keep a company within its cap, however many subscriptions it has [DELIVERY-15]', async () => {
    const companyId = await fixture.company();
    for (let subscription = 0; subscription < 4; subscription += 1) await fixture.subscription({ companyId });
    for (let event = 0; event < 3; event += 1) await fixture.event(companyId);
    const limits = { ...LIMITS, companyCap: 5 };
    expect(await claimAll(fixture.database, limits)).toHaveLength(5);
    expect(await claimAll(fixture.database, limits)).toEqual([]);
  });

  test('share the slots between companies by their weights [DELIVERY-15]', async () => {
    const [light, heavy] = [await fixture.companyWith(20), await fixture.companyWith(20)];
    await fixture.set('companies', heavy.companyId, 'delivery_weight = 3');
    const claimed = await claimAll(fixture.database, { ...LIMITS, batchSize: 12 });
    const of = (subscriptionId: string) =>
      claimed.filter((delivery) => delivery.subscriptionId === subscriptionId).length;
    expect({ light: of(light.subscriptionId), heavy: of(heavy.subscriptionId) }).toEqual({
      light: 3,
      heavy: 9,
    });
  });

  test("leave a quarter of a subscription's slots to retries, so that neither kind waits for a backlog of the other [DELIVERY-15]", async () => {
    const { deliveries } = await fixture.companyWith(40);
    const retries = new Set(deliveries.slice(0, 20).map(({ id }) => id));
    await fixture.database.query(
      `update deliveries set state = 'retry_scheduled', attempts = 1, next_attempt_at = now() - interval '1 hour'
       where id = any($1::text[])`,
      [[...retries]],
    );
    const limits = { ...LIMITS, subscriptionCap: 8 };
    const count = (claimed: readonly LeasedDelivery[]) => ({
      retries: claimed.filter(({ id }) => retries.has(id)).length,
      first: claimed.filter(({ id }) => !retries.has(id)).length,
    });
    const all = await claimAll(fixture.database, limits);
    expect(count(all)).toEqual({ retries: 2, first: 6 });
    // A free slot goes to the kind that has fewer than its reserved slots.
    const retry = all.find(({ id }) => retries.has(id));
    await finish(retry?.id);
    expect(count(await claimAll(fixture.database, limits))).toEqual({ retries: 1, first: 0 });
    await finish(all.find(({ id }) => !retries.has(id))?.id);
    expect(count(await claimAll(fixture.database, limits))).toEqual({ retries: 0, first: 1 });
  });

  test('leave every slot to retries if no first attempt needs it', async () => {
    await fixture.companyWith(8);
    await fixture.database.query(`update deliveries set state = 'retry_scheduled', attempts = 1`);
    expect(await claimAll(fixture.database, { ...LIMITS, subscriptionCap: 8 })).toHaveLength(8);
  });

  test("of a company's healthy subscriptions come before those of its failing ones", async () => {
    const companyId = await fixture.company();
    const failing: string[] = [];
    for (let each = 0; each < 6; each += 1) failing.push(await fixture.subscription({ companyId }));
    await setFailing(...failing);
    await fixture.event(companyId);
    const healthy = [await fixture.subscription({ companyId }), await fixture.subscription({ companyId })];
    await fixture.event(companyId);
    const claimed = await claimAll(fixture.database, { ...LIMITS, companyCap: 2 });
    expect(new Set(claimed.map(({ subscriptionId }) => subscriptionId))).toEqual(new Set(healthy));
  });

  test('leave a quarter of the slots to companies with nothing in flight, whatever the weight of the others', async () => {
    const limits = { ...LIMITS, inFlight: 20, subscriptionCap: 20 };
    const heavy = await fixture.companyWith(30);
    await fixture.set('companies', heavy.companyId, 'delivery_weight = 100');
    expect(await claimAll(fixture.database, limits)).toHaveLength(15);
    const newcomer = await fixture.companyWith(2);
    const next = await claimAll(fixture.database, limits);
    expect(next.map(({ subscriptionId }) => subscriptionId)).toEqual([newcomer.subscriptionId]);
  });

  test('whose lease expired are due at once, and after a minute if it expired unseen', async () => {
    const { deliveries } = await fixture.companyWith(3);
    const [first = '', second = '', third = ''] = deliveries.map(({ id }) => id);
    await claimAll(fixture.database, LIMITS);
    let elapsedMs = 0;
    const walk = walkWaiting({
      ...{ database: fixture.database, elapsedMs: () => elapsedMs, retryPollMs: 1_000 },
      leaseExpiries: { inc: () => undefined },
    });
    const expire = (id: string, secondsAgo: number) =>
      fixture.set('deliveries', id, `next_attempt_at = now() - interval '${secondsAgo} seconds'`);
    const leased = async () => {
      await walk.next();
      const states = await Promise.all([first, second, third].map((id) => fixture.delivery(id)));
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
    await claimAll(fixture.database, LIMITS);
    await expire(first, 3_600);
    elapsedMs = 62_000;
    expect(await leased()).toEqual([true, true, true]);
    elapsedMs = 73_000;
    expect(await leased()).toEqual([false, true, true]);
  });

  test('whose lease expired while no result could arrive are due only after results could for 15 s', async () => {
    const { deliveries } = await fixture.companyWith(1);
    const [{ id } = { id: '' }] = deliveries;
    await claimAll(fixture.database, LIMITS);
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
    expect(await findWaiting(fixture.database, { state: 'retry_scheduled', afterId: '', limit: 2 })).toEqual(
      [],
    );
  });
});
