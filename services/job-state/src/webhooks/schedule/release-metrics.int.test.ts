import { describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { endExpiredLeases } from './claim-due.js';
import { claimAll } from '../../testing/claim-all.js';
import { createReleaseMetrics } from './release-metrics.js';
import { followIncidents, getServiceStatus } from './service-status.js';
import { LIMITS, fixture, release, setFailing } from '../testing/release-fixture.js';

describe('due deliveries', () => {
  test('count the failing endpoints in a metric', async () => {
    const failing = async () => {
      const registry = new Registry();
      createReleaseMetrics(registry, fixture.database, LIMITS);
      const found = await registry.getSingleMetric('partner_webhook_failing_endpoints')?.get();
      return found?.values[0]?.value ?? Number.NaN;
    };
    const { subscriptionId } = await fixture.companyWith(0);
    const before = await failing();
    await setFailing(subscriptionId);
    expect(await failing()).toBe(before + 1);
  });

  describe('have a metric for the age of the oldest one', () => {
    async function hours(limits: Partial<typeof LIMITS> = {}) {
      const registry = new Registry();
      createReleaseMetrics(registry, fixture.database, { ...LIMITS, ...limits });
      const found = await registry.getSingleMetric('partner_webhook_oldest_due_seconds')?.get();
      const ages: Record<string, number> = {};
      for (const { labels, value } of found?.values ?? [])
        ages[String(labels['endpoint_state'])] = Math.round(value / 3_600);
      return ages;
    }

    const age = (id: string, byHours: number) =>
      fixture.database.query(
        `update deliveries set next_attempt_at = next_attempt_at - make_interval(hours => $2),
           overdue_since = overdue_since - make_interval(hours => $2) where id = $1`,
        [id, byHours],
      );

    test('separately for failing endpoints and all others', async () => {
      expect(await hours()).toEqual({ healthy: 0, busy: 0, failing: 0 });
      const { ids } = await fixture.companyWith(2);
      await age(ids[1], 1);
      const failing = await fixture.companyWith(1);
      await age(failing.deliveryId, 2);
      await setFailing(failing.subscriptionId);
      expect(await hours()).toEqual({ healthy: 1, busy: 0, failing: 2 });
      expect(await release()).toMatchObject({ released: 3 });
      expect(await hours()).toEqual({ healthy: 0, busy: 0, failing: 0 });
    });

    test('separately for an endpoint that uses half of its slots', async () => {
      const { ids } = await fixture.companyWith(4);
      for (const id of ids) await age(id, 1);
      await claimAll(fixture.database, { ...LIMITS, subscriptionCap: 2 });
      expect(await hours({ subscriptionCap: 5 })).toEqual({ healthy: 1, busy: 0, failing: 0 });
      expect(await hours({ subscriptionCap: 4 })).toEqual({ healthy: 0, busy: 1, failing: 0 });
      // If others have no free slot either, the delay is ours.
      expect(await hours({ subscriptionCap: 4, inFlight: 3 })).toMatchObject({ busy: 1 });
      expect(await hours({ subscriptionCap: 4, inFlight: 2 })).toEqual({ healthy: 1, busy: 0, failing: 0 });
    });

    test('including those that are released repeatedly without a result, also while in flight', async () => {
      const { deliveryId } = await fixture.companyWith(1);
      await claimAll(fixture.database, LIMITS);
      expect(await hours({ subscriptionCap: 1 })).toEqual({ healthy: 0, busy: 0, failing: 0 });
      for (const since of [1, 2, 3]) {
        await age(deliveryId, 1);
        expect(await endExpiredLeases(fixture.database)).toBe(1);
        expect(await hours()).toEqual({ healthy: since, busy: 0, failing: 0 });
        expect(await claimAll(fixture.database, LIMITS)).toHaveLength(1);
        expect(await hours({ subscriptionCap: 1 })).toEqual({ healthy: since, busy: 0, failing: 0 });
      }
    });

    test('excluding held ones and those with a later attempt, whatever an older version has left', async () => {
      const { ids } = await fixture.companyWith(2);
      await fixture.setRetrying(ids, 3_600);
      for (const id of ids) await fixture.set('deliveries', id, `overdue_since = now() - interval '1 hour'`);
      await fixture.set('deliveries', ids[0], `state = 'held'`);
      expect(await hours()).toEqual({ healthy: 0, busy: 0, failing: 0 });
    });
  });

  test('are queried for metrics once per interval, however often it is scraped, and unknown values are NaN', async () => {
    const registry = new Registry();
    let asked = 0;
    const away = {
      query: () => {
        asked += 1;
        return Promise.reject(new Error('the database is away'));
      },
    };
    createReleaseMetrics(registry, away, LIMITS);
    const texts = await Promise.all([registry.metrics(), registry.metrics()]);
    await registry.metrics();
    expect(texts[0]).toContain('partner_webhook_oldest_due_seconds{endpoint_state="healthy"} Nan\n');
    expect(texts[1]).toContain('partner_webhook_failing_endpoints Nan\n');
    expect(asked).toBe(2);
  });
});

const deps = () => ({
  ...{ database: fixture.database, capacity: LIMITS },
  clock: () => new Date('2026-09-01T12:00:00Z'),
});
const status = () => getServiceStatus(deps());

/** Lets no subscription of former tests count. */
const pauseAll = () => fixture.database.query(`update subscriptions set state = 'paused', paused_at = now()`);

test('the service is degraded while a working endpoint waits for over a minute [CONSOLE-12]', async () => {
  await pauseAll();
  const { deliveryId, subscriptionId } = await fixture.companyWith(1);
  const later = (seconds: number) =>
    fixture.set('deliveries', deliveryId, `next_attempt_at = now() - interval '${seconds} s'`);
  await later(50);
  expect(await status()).toEqual({
    status: 'operational',
    webhookDelayMs: expect.closeTo(50_000, -4),
    failingWebhooksPercent: null,
    restoredTo: null,
    incidents: [],
    checkedAt: '2026-09-01T12:00:00.000Z',
  });
  await later(70);
  expect(await status()).toMatchObject({ status: 'degraded' });
  const rate = (value: string) =>
    fixture.set('subscriptions', subscriptionId, `deliveries_per_second = ${value}`);
  await rate('1');
  expect(await status()).toMatchObject({ status: 'operational', webhookDelayMs: 0 });
  await rate('null');
  await setFailing(subscriptionId);
  expect(await status()).toMatchObject({ status: 'operational', webhookDelayMs: 0 });
});

test('the service is degraded while most of at least ten endpoints fail [CONSOLE-12]', async () => {
  await pauseAll();
  const ids: string[] = [];
  for (let index = 0; index < 9; index += 1) ids.push((await fixture.companyWith(0)).subscriptionId);
  await setFailing(...ids.slice(0, 5));
  expect(await status()).toMatchObject({ status: 'operational', failingWebhooksPercent: null });
  const tenth = await fixture.companyWith(0);
  expect(await status()).toMatchObject({ status: 'operational', failingWebhooksPercent: 50 });
  await setFailing(tenth.subscriptionId);
  expect(await status()).toMatchObject({ status: 'degraded', failingWebhooksPercent: 60 });
});

test('the status has a restore of the last 30 days [RESTORE-3]', async () => {
  const declare = (days: number) =>
    fixture.database.query(
      'insert into restores (restored_to, declared_at) values ($1, now() - make_interval(days => $2))',
      [new Date(Date.UTC(2026, 7, days)), days],
    );
  await declare(31);
  expect(await status()).toMatchObject({ restoredTo: null });
  await declare(29);
  await declare(28);
  expect(await status()).toMatchObject({ restoredTo: '2026-08-29T00:00:00.000Z' });
});

test('the status has the times in which the service was degraded, with the manifests of each [CONSOLE-15]', async () => {
  await pauseAll();
  const follow = () => Promise.all([followIncidents(deps()), followIncidents(deps())]);
  await follow();
  expect(await status()).toMatchObject({ incidents: [] });
  const { deliveryId } = await fixture.companyWith(1);
  await fixture.set('deliveries', deliveryId, `next_attempt_at = now() - interval '5 minutes'`);
  await follow();
  await follow();
  const during = await status();
  expect(during.incidents).toEqual([
    { from: expect.any(String), until: null, cause: 'late', manifests: expect.any(Array) },
  ]);
  const from = during.incidents?.[0]?.from ?? '';
  expect(Date.now() - Date.parse(from)).toBeGreaterThanOrEqual(299_000);

  await fixture.set('deliveries', deliveryId, 'next_attempt_at = now()');
  await fixture.database.query(`update service_incidents set seen_at = seen_at - interval '4 minutes'`);
  await follow();
  const [over, ...others] = (await status()).incidents ?? [];
  expect(others).toEqual([]);
  const time = (at: string | null = '', ms: number) => new Date(Date.parse(at ?? '') + ms).toISOString();
  const span = `from=${time(from, -300_000)}&to=${time(over?.until, 60_000)}`;
  expect(over?.manifests).toEqual([
    `/inbound/webhooks/{id}/manifest?${span}`,
    `/partner/v1/webhooks/{id}/manifest?${span}`,
  ]);
  await fixture.set('deliveries', deliveryId, `next_attempt_at = now() - interval '1 hour'`);
  await follow();
  await follow();
  const incidents = [{ from: over?.until, until: null }, { until: over?.until }];
  expect(await status()).toMatchObject({ incidents });
});
