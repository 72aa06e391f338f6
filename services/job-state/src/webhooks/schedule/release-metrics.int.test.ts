import { describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { endExpiredLeases } from './claim-due.js';
import { claimAll } from '../../testing/claim-all.js';
import { createReleaseMetrics } from './release-metrics.js';
import { LIMITS, fixture, release, setFailing, metric } from '../testing/release-fixture.js';

describe('due deliveries', () => {
  test('count the failing endpoints in a metric', async () => {
    const failing = async () => {
      const registry = new Registry();
      createReleaseMetrics(registry, fixture.database, LIMITS);
      return (await metric(registry, 'partner_webhook_failing_endpoints')) ?? Number.NaN;
    };
    const { subscriptionId } = await fixture.companyWith(0);
    const before = await failing();
    await setFailing(subscriptionId);
    expect(await failing()).toBe(before + 1);
  });

  describe('have a metric for the age of the oldest one', () => {
    const HOUR = 3_600;

    /** The current values of a scrape, in hours. */
    async function hours(limits: Partial<typeof LIMITS> = {}) {
      const registry = new Registry();
      createReleaseMetrics(registry, fixture.database, { ...LIMITS, ...limits });
      const found = await registry.getSingleMetric('partner_webhook_oldest_due_seconds')?.get();
      const values = new Map<unknown, number>(
        (found?.values ?? []).map(({ labels, value }) => [
          labels['endpoint_state'],
          Math.round(value / HOUR),
        ]),
      );
      return { healthy: values.get('healthy'), busy: values.get('busy'), failing: values.get('failing') };
    }

    /** Moves the times of a delivery this many hours into the past. */
    const age = (id: string | undefined, byHours: number) =>
      fixture.database.query(
        `update deliveries set next_attempt_at = next_attempt_at - make_interval(hours => $2),
           overdue_since = overdue_since - make_interval(hours => $2) where id = $1`,
        [id, byHours],
      );

    test('separately for failing endpoints and all others', async () => {
      expect(await hours()).toEqual({ healthy: 0, busy: 0, failing: 0 });
      const { deliveries } = await fixture.companyWith(2);
      await age(deliveries[1]?.id, 1);
      const failing = await fixture.companyWith(1);
      await age(failing.deliveries[0]?.id, 2);
      await setFailing(failing.subscriptionId);
      expect(await hours()).toEqual({ healthy: 1, busy: 0, failing: 2 });
      expect(await release().done).toMatchObject({ released: 3 });
      expect(await hours()).toEqual({ healthy: 0, busy: 0, failing: 0 });
    });

    test('separately for an endpoint that uses half of its slots', async () => {
      const { deliveries } = await fixture.companyWith(4);
      for (const { id } of deliveries) await age(id, 1);
      await claimAll(fixture.database, { ...LIMITS, subscriptionCap: 2 });
      expect(await hours({ subscriptionCap: 5 })).toEqual({ healthy: 1, busy: 0, failing: 0 });
      expect(await hours({ subscriptionCap: 4 })).toEqual({ healthy: 0, busy: 1, failing: 0 });
      // If others have no free slot either, the delay is ours.
      expect(await hours({ subscriptionCap: 4, inFlight: 3 })).toMatchObject({ busy: 1 });
      expect(await hours({ subscriptionCap: 4, inFlight: 2 })).toEqual({ healthy: 1, busy: 0, failing: 0 });
    });

    test('including those that are released repeatedly without a result, also while in flight', async () => {
      const { deliveries } = await fixture.companyWith(1);
      await claimAll(fixture.database, LIMITS);
      expect(await hours({ subscriptionCap: 1 })).toEqual({ healthy: 0, busy: 0, failing: 0 });
      for (const since of [1, 2, 3]) {
        await age(deliveries[0]?.id, 1);
        expect(await endExpiredLeases(fixture.database)).toBe(1);
        expect(await hours()).toEqual({ healthy: since, busy: 0, failing: 0 });
        expect(await claimAll(fixture.database, LIMITS)).toHaveLength(1);
        expect(await hours({ subscriptionCap: 1 })).toEqual({ healthy: since, busy: 0, failing: 0 });
      }
    });

    test('excluding held ones and those with a later attempt, whatever an older version has left', async () => {
      const [held, retry] = (await fixture.companyWith(2)).deliveries;
      await fixture.database.query(
        `update deliveries set overdue_since = now() - interval '1 hour', next_attempt_at = now() + interval '1 hour',
           state = case id when $1 then 'held' else 'retry_scheduled' end where id in ($1, $2)`,
        [held?.id, retry?.id],
      );
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
