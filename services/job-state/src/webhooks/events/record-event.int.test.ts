import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createRecorder } from '@partner/test-kit/recorder';
import { setReleaser } from '../deliveries/releaser.js';
import type { LeasedDelivery } from '../deliveries/leased-delivery.js';
import type { LeaseLimits } from '../deliveries/claim-rule.js';
import { crashingBeforeCommit } from '../../testing/hold-transaction.js';
import { fixture } from '../../testing/file-webhooks.js';

describe('recordEvent', () => {
  test('queues one delivery for each active subscription of the company that names the event or its group [VERSION-4, WEBHOOK-2, WEBHOOK-5]', async () => {
    const companyId = await fixture.company();
    const strangerId = await fixture.company();
    const byName = await fixture.subscription({ companyId, events: ['install.status_changed'] });
    const both = ['install.*', 'install.status_changed'];
    const byGroup = await fixture.subscription({ companyId, events: both });
    const others = await Promise.all([
      fixture.subscription({ companyId, events: ['install.job_assigned'] }),
      fixture.subscription({ companyId, events: ['quote.*'] }),
      fixture.subscription({ companyId, state: 'paused' }),
      fixture.subscription({ companyId, schemaVersion: 2 }),
      fixture.subscription({ companyId: strangerId }),
    ]);

    const recorded = await fixture.database.transaction((tx) => fixture.record(tx, companyId));
    expect(recorded.deliveries()).toBe(2);
    for (const id of [byName, byGroup]) {
      const about = { event: 'install.status_changed', resource_type: 'install_job' };
      const due = { state: 'pending', attempts: 0, lease_id: null };
      const deliveries = await fixture.deliveriesOf(id);
      expect(deliveries).toMatchObject([{ event_id: recorded.eventId, ...about, ...due }]);
      expect(deliveries[0]?.wait_ms).toBeLessThanOrEqual(0);
    }
    for (const id of others) expect(await fixture.deliveriesOf(id)).toEqual([]);
  });
});

describe('recordEvent while a releaser runs', () => {
  const released = createRecorder<LeasedDelivery>();
  let limits: LeaseLimits | undefined;

  beforeAll(() => {
    setReleaser(fixture.database, {
      leaseLimits: () => limits,
      release: (deliveries) => deliveries.forEach(released.record),
    });
  });
  beforeEach(async () => {
    await fixture.database.query('delete from deliveries');
    limits = { leaseSeconds: 30, inFlight: 10, sharedSlots: 8, subscriptionCap: 3, companyCap: 4 };
  });
  afterAll(() => {
    limits = undefined;
  });

  const leasesOf = async (subscriptionId: string) =>
    (await fixture.deliveriesOf(subscriptionId)).filter((delivery) => delivery.lease_id !== null).length;
  const recordMany = (companyId: string, count: number) =>
    fixture.database.transaction((tx) =>
      Promise.resolve(Array.from({ length: count }, () => fixture.record(tx, companyId))),
    );

  test('leases a delivery to an endpoint with a free slot, and releases it after the commit', async () => {
    const { companyId, subscriptionId } = await fixture.companyWith(0);
    const { eventId } = await fixture.database.transaction((tx) => fixture.record(tx, companyId));
    const [delivery] = await fixture.deliveriesOf(subscriptionId);
    expect(await released.find((each) => each.eventId === eventId)).toMatchObject({
      ...{ id: delivery?.id, leaseId: delivery?.lease_id, leaseExpiresAt: delivery?.next_attempt_at },
      ...{ attempt: 1, lastAttemptFailed: false, subscriptionId, urlVersion: 1, secretVersion: 1 },
      ...{ url: `https://receiver.test/${subscriptionId}`, sealedSecret: Buffer.from('5ea1ed', 'hex') },
      ...{ event: 'install.status_changed', body: (await fixture.row('events', eventId))['body'] },
    });
    expect(delivery?.wait_ms).toBeGreaterThan(25_000);
    await fixture.database.query('delete from deliveries');
    const { transaction } = crashingBeforeCommit(fixture.database);
    await expect(transaction((tx) => Promise.resolve(fixture.record(tx, companyId)))).rejects.toThrow();
    expect(released.all().filter((each) => each.subscriptionId === subscriptionId)).toHaveLength(1);
  });

  test('leaves the deliveries of a subscription with a rate to the scheduler [DELIVERY-23]', async () => {
    const { companyId, subscriptionId: limited } = await fixture.companyWith(0);
    const other = await fixture.subscription({ companyId });
    await fixture.set('subscriptions', limited, 'deliveries_per_second = 1000');
    await recordMany(companyId, 1);
    expect([await leasesOf(limited), await leasesOf(other)]).toEqual([0, 1]);
  });

  test('leases for the whole time, however long the transaction has waited before', async () => {
    const { companyId } = await fixture.companyWith(0);
    const { eventId, waitedUntil } = await fixture.database.transaction(async (tx) => {
      for (;;) {
        const [row] = await tx.query<{ waitedUntil: Date; hasWaited: boolean }>(
          `select clock_timestamp() as "waitedUntil", clock_timestamp() > now() + interval '5 ms' as "hasWaited"`,
        );
        if (row?.hasWaited === true) return { ...fixture.record(tx, companyId), ...row };
      }
    });
    const { leasedAt, leaseExpiresAt } = await released.find((each) => each.eventId === eventId);
    expect(leasedAt.getTime()).toBeGreaterThanOrEqual(waitedUntil.getTime());
    expect(leaseExpiresAt.getTime()).toBe(leasedAt.getTime() + 30_000);
  });

  test('leases within the caps of the subscription, of the company and of all, together with earlier leases', async () => {
    const one = await fixture.companyWith(0);
    await recordMany(one.companyId, 2);
    await recordMany(one.companyId, 2);
    expect(await leasesOf(one.subscriptionId)).toBe(3);
    const two = await fixture.companyWith(0);
    const twoToo = await fixture.subscription({ companyId: two.companyId });
    for (let event = 0; event < 3; event += 1) await recordMany(two.companyId, 1);
    expect(await leasesOf(two.subscriptionId)).toBe(2);
    expect(await leasesOf(twoToo)).toBe(2);
    // The rest is for companies with nothing in flight.
    const leases: number[] = [];
    for (let company = 0; company < 4; company += 1) {
      const { companyId, subscriptionId } = await fixture.companyWith(0);
      await recordMany(companyId, 2);
      leases.push(await leasesOf(subscriptionId));
    }
    expect(leases).toEqual([1, 1, 1, 0]);
  });

  test.each([
    ['its endpoint is failing', `update subscriptions set failures_in_row = 5 where id = $1`],
    [
      'an earlier one waits',
      `insert into deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id)
       select 'dlv_' || id, id, company_id, 'evt', 'e', 't', 'r' from subscriptions where id = $1`,
    ],
    [
      'a retry is due',
      `insert into deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id, state, attempts)
       select 'dlv_' || id, id, company_id, 'evt', 'e', 't', 'r', 'retry_scheduled', 1 from subscriptions where id = $1`,
    ],
    ['nothing can be released', undefined],
  ])('leaves a delivery to the scheduler while %s', async (_, statement) => {
    const { companyId, subscriptionId } = await fixture.companyWith(0);
    if (statement === undefined) limits = undefined;
    else await fixture.database.query(statement, [subscriptionId]);
    await recordMany(companyId, 1);
    expect(await leasesOf(subscriptionId)).toBe(0);
  });
});
