import '@partner/kernel/telemetry/start';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { withSpan } from '@partner/kernel/telemetry/tracing';
import { createRecorder } from '@partner/test-kit/recorder';
import { setReleaser } from '../deliveries/releaser.js';
import type { LeasedDelivery } from '../deliveries/leased-delivery.js';
import type { LeaseLimits } from '../deliveries/claim-rule.js';
import { recordEvent } from './record-event.js';
import { fixture } from '../../testing/file-webhooks.js';

function eventOf(companyId: string) {
  const jobId = newId('job');
  const now = new Date('2026-08-26T14:03:00Z');
  return {
    companyId,
    event: 'install.job_unassigned',
    occurredAt: now,
    resource: { type: 'install_job', id: jobId, version: 7 },
    data: { jobId },
    now,
  } as const;
}

async function events(companyId: string) {
  return fixture.database.query<{
    id: string;
    name: string;
    schema_version: number;
    body: Buffer;
    trace_parent: string | null;
    not_queued: Record<string, string> | null;
  }>('select id, name, schema_version, body, trace_parent, not_queued from events where company_id = $1', [
    companyId,
  ]);
}

describe('recordEvent', () => {
  test('records the event even without any subscriber', async () => {
    const companyId = await fixture.company();
    const event = eventOf(companyId);
    const recorded = await fixture.database.transaction((tx) => recordEvent(tx, event));

    expect(recorded.deliveries()).toBe(0);
    const [stored] = await events(companyId);
    expect(stored).toMatchObject({
      id: recorded.eventId,
      name: 'install.job_unassigned',
      schema_version: 1,
      not_queued: null,
    });
    expect(stored?.body.toString()).toBe(
      `{"id":"${recorded.eventId}","event":"install.job_unassigned","apiVersion":"2026-08-26","schemaVersion":1,` +
        `"occurredAt":"2026-08-26T14:03:00.000Z","resource":{"type":"install_job","id":"${event.resource.id}","version":7},` +
        `"data":{"jobId":"${event.resource.id}"}}`,
    );
  });

  test('queues one delivery for each active subscription of the company that names the event or its group [VERSION-4, WEBHOOK-2, WEBHOOK-5]', async () => {
    const companyId = await fixture.company();
    const strangerId = await fixture.company();
    const byName = await fixture.subscription({ companyId, events: ['install.job_unassigned'] });
    const byGroup = await fixture.subscription({
      companyId,
      events: ['install.*', 'install.job_unassigned'],
    });
    const others = await Promise.all([
      fixture.subscription({ companyId, events: ['install.job_assigned'] }),
      fixture.subscription({ companyId, events: ['quote.*'] }),
      fixture.subscription({ companyId, state: 'paused' }),
      fixture.subscription({ companyId, schemaVersion: 2 }),
      fixture.subscription({ companyId: strangerId }),
    ]);

    const recorded = await fixture.database.transaction((tx) => recordEvent(tx, eventOf(companyId)));
    expect(recorded.deliveries()).toBe(2);
    for (const id of [byName, byGroup]) {
      const deliveries = await fixture.deliveriesOf(id);
      expect(deliveries).toHaveLength(1);
      expect(deliveries[0]).toMatchObject({
        event_id: recorded.eventId,
        event: 'install.job_unassigned',
        resource_type: 'install_job',
        state: 'pending',
        attempts: 0,
        lease_id: null,
      });
      expect(deliveries[0]?.wait_ms).toBeLessThanOrEqual(0);
    }
    for (const id of others) expect(await fixture.deliveriesOf(id)).toEqual([]);
  });

  test('queues nothing for a company whose class does not allow the event, whatever its subscriptions [EVENT-5]', async () => {
    const companyId = await fixture.company('SALES');
    const subscriptionId = await fixture.subscription({ companyId, events: ['install.*'] });
    const recorded = await fixture.database.transaction((tx) => recordEvent(tx, eventOf(companyId)));
    expect(recorded.deliveries()).toBe(0);
    const [stored] = await events(companyId);
    expect(stored?.not_queued).toEqual({ [subscriptionId]: 'class' });
  });

  test('records why each other subscription gets no delivery, and nothing for a deleted one [EVENT-6]', async () => {
    const companyId = await fixture.company();
    const make = (options: object) => fixture.subscription({ companyId, ...options });
    const active = await make({});
    const paused = await make({ state: 'paused' });
    const unnamed = await make({ events: ['install.job_assigned'], state: 'paused' });
    const ofOtherSchema = await make({ schemaVersion: 2 });
    const deleted = await make({});
    await fixture.set('subscriptions', deleted, `state = 'paused', paused_at = now(), deleted_at = now()`);
    let statements = 0;
    const recorded = await fixture.database.transaction((tx) =>
      recordEvent(
        {
          ...tx,
          queryLast: (statement, values) => {
            statements += 1;
            return tx.queryLast(statement, values);
          },
        },
        eventOf(companyId),
      ),
    );
    expect(recorded.deliveries()).toBe(1);
    expect(statements).toBe(1);
    expect(await fixture.deliveriesOf(active)).toHaveLength(1);
    expect(await fixture.deliveriesOf(deleted)).toEqual([]);
    const [stored] = await events(companyId);
    expect(stored?.not_queued).toEqual({
      [paused]: 'paused',
      [unnamed]: 'not_subscribed',
      [ofOtherSchema]: 'schema_version',
    });
  });

  test('keeps the trace of the original request', async () => {
    const companyId = await fixture.company();
    const traceId = await withSpan({ name: 'test', kind: 'SERVER' }, async (span) => {
      await fixture.database.transaction((tx) => recordEvent(tx, eventOf(companyId)));
      return span.spanContext().traceId;
    });
    const [stored] = await events(companyId);
    expect(stored?.trace_parent).toContain(traceId);
    expect(traceId).not.toMatch(/^0+$/);
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
      Promise.resolve(Array.from({ length: count }, () => recordEvent(tx, eventOf(companyId)))),
    );

  test('leases a delivery to an endpoint with a free slot, and releases it after the commit', async () => {
    const { companyId, subscriptionId } = await fixture.companyWith(0);
    const { eventId } = await fixture.database.transaction((tx) => recordEvent(tx, eventOf(companyId)));
    const [delivery] = await fixture.deliveriesOf(subscriptionId);
    const [event] = await events(companyId);
    expect(await released.find((each) => each.eventId === eventId)).toMatchObject({
      id: delivery?.id,
      leaseId: delivery?.lease_id,
      leaseExpiresAt: delivery?.next_attempt_at,
      attempt: 1,
      subscriptionId,
      lastAttemptFailed: false,
      url: `https://receiver.test/${subscriptionId}`,
      urlVersion: 1,
      secretVersion: 1,
      sealedSecret: Buffer.from('5ea1ed', 'hex'),
      event: 'install.job_unassigned',
      body: event?.body,
    });
    expect(delivery?.wait_ms).toBeGreaterThan(25_000);
    await fixture.database.query('delete from deliveries');
    const undone = fixture.database.transaction(async (tx) => {
      recordEvent(tx, eventOf(companyId));
      await tx.query('select 1');
      throw new Error('changed my mind');
    });
    await expect(undone).rejects.toThrow();
    expect(released.all().filter((each) => each.subscriptionId === subscriptionId)).toHaveLength(1);
  });

  test('leaves the deliveries of a subscription with a rate to the scheduler [DELIVERY-23]', async () => {
    const companyId = await fixture.company();
    const limited = await fixture.subscription({ companyId });
    const other = await fixture.subscription({ companyId });
    await fixture.set('subscriptions', limited, 'deliveries_per_second = 1000');
    await recordMany(companyId, 1);
    expect([await leasesOf(limited), await leasesOf(other)]).toEqual([0, 1]);
  });

  test('leases for the whole time, however long the transaction has waited before', async () => {
    const companyId = await fixture.company();
    await fixture.subscription({ companyId });
    const { eventId, waitedUntil } = await fixture.database.transaction(async (tx) => {
      for (;;) {
        const [row] = await tx.query<{ waitedUntil: Date; hasWaited: boolean }>(
          `select clock_timestamp() as "waitedUntil", clock_timestamp() > now() + interval '5 ms' as "hasWaited"`,
        );
        if (row?.hasWaited === true) return { ...recordEvent(tx, eventOf(companyId)), ...row };
      }
    });
    const { leasedAt, leaseExpiresAt } = await released.find((each) => each.eventId === eventId);
    expect(leasedAt.getTime()).toBeGreaterThanOrEqual(waitedUntil.getTime());
    expect(leaseExpiresAt.getTime()).toBe(leasedAt.getTime() + 30_000);
  });

  test('leases within the caps of the subscription, of the company and of all, together with earlier leases', async () => {
    const subscribed = async () => {
      const companyId = await fixture.company();
      return { companyId, subscriptionId: await fixture.subscription({ companyId }) };
    };
    const one = await subscribed();
    await recordMany(one.companyId, 2);
    await recordMany(one.companyId, 2);
    expect(await leasesOf(one.subscriptionId)).toBe(3);
    const two = await subscribed();
    const twoToo = await fixture.subscription({ companyId: two.companyId });
    for (let event = 0; event < 3; event += 1) await recordMany(two.companyId, 1);
    expect(await leasesOf(two.subscriptionId)).toBe(2);
    expect(await leasesOf(twoToo)).toBe(2);
    // The rest is for companies with nothing in flight.
    const leases: number[] = [];
    for (let company = 0; company < 4; company += 1) {
      const { companyId, subscriptionId } = await subscribed();
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
  ])('leaves a delivery to the scheduler while %s', async (_, statement) => {
    const { companyId, subscriptionId } = await fixture.companyWith(0);
    await fixture.database.query(statement, [subscriptionId]);
    await recordMany(companyId, 1);
    expect(await leasesOf(subscriptionId)).toBe(0);
  });

  test('leaves deliveries to the scheduler while nothing can be released', async () => {
    limits = undefined;
    const { companyId, subscriptionId } = await fixture.companyWith(0);
    await recordMany(companyId, 1);
    expect(await leasesOf(subscriptionId)).toBe(0);
  });
});
