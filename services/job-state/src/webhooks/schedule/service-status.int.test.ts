import { expect, test } from '@jest/globals';
import { fixture, LIMITS, setFailing } from '../testing/release-fixture.js';
import { followIncidents, getServiceStatus } from './service-status.js';

const deps = () => ({
  ...{ database: fixture.database, capacity: LIMITS },
  clock: () => new Date('2026-09-01T12:00:00Z'),
});
const status = () => getServiceStatus(deps());

/** Lets no subscription of former tests count. */
const pauseAll = () =>
  fixture.database.query(
    `update subscriptions set state = 'paused', paused_at = now() where state = 'active'`,
  );

test('the service is degraded while a working endpoint waits for over a minute [CONSOLE-12]', async () => {
  await pauseAll();
  const waiting = await fixture.companyWith(1);
  const later = (seconds: number) =>
    fixture.database.query(
      'update deliveries set next_attempt_at = now() - make_interval(secs => $2) where id = $1',
      [waiting.deliveries[0]?.id, seconds],
    );
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
    fixture.set('subscriptions', waiting.subscriptionId, `deliveries_per_second = ${value}`);
  await rate('1');
  expect(await status()).toMatchObject({ status: 'operational', webhookDelayMs: 0 });
  await rate('null');
  await setFailing(waiting.subscriptionId);
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
  expect((await status()).incidents).toMatchObject([
    { from: over?.until, until: null },
    { until: over?.until },
  ]);
});
