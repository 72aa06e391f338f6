import { describe, expect, test } from '@jest/globals';
import { createGate } from '../../testing/create-gate.js';
import { failureOf } from '../../testing/subscription-fixture.js';
import {
  FAILED,
  fixture,
  handle,
  client,
  attempted,
  together,
  lastDay,
  span,
  plain,
} from '../testing/statistics-fixture.js';

describe('the statistics of a company', () => {
  const ofCompany = async (companyId: string) => {
    const { webhooks, buckets, totals } = await client.getCompanyStatistics({ companyId }, lastDay());
    return {
      webhooks: webhooks.map(({ webhookId, totals: own }) => [webhookId, plain(own)]),
      inBuckets: buckets.reduce((sum, { attempts }) => sum + attempts, 0),
      totals: plain(totals),
    };
  };

  test('cover each subscription and all together, but no other company and no deleted subscription [CONSOLE-7]', async () => {
    const companyId = await fixture.company();
    const subscriptions = [1, 2, 3, 4].map(() => fixture.subscription({ companyId }));
    const ids = (await Promise.all(subscriptions)).sort();
    for (let event = 0; event < 2; event += 1) await fixture.event(companyId);
    const [first = '', second = '', deleted = '', silent = ''] = ids;
    const deliveriesOf = async (id: string) => (await fixture.deliveriesOf(id)).map((each) => each.id);
    const [of1, of2, of3] = [
      await deliveriesOf(first),
      await deliveriesOf(second),
      await deliveriesOf(deleted),
    ];
    await together(
      ...of1.map((id) => attempted(id)),
      ...of2.slice(1).map((id) => attempted(id, { outcome: FAILED })),
      ...of3.map((id) => attempted(id)),
    );
    const other = await fixture.companyWith(1);
    await handle(attempted(other.deliveryId));
    await fixture.set('subscriptions', deleted, 'deleted_at = now()');

    expect(await ofCompany(companyId)).toEqual({
      webhooks: [
        [first, { delivered: 2, failed: 0, deadLettered: 0 }],
        [second, { delivered: 0, failed: 1, deadLettered: 0 }],
        [silent, { delivered: 0, failed: 0, deadLettered: 0 }],
      ],
      inBuckets: 3,
      totals: { delivered: 2, failed: 1, deadLettered: 0 },
    });
    expect(
      await failureOf(client.getSubscriptionStatistics({ companyId, subscriptionId: deleted }, lastDay())),
    ).toMatchObject({ reason: 'not_found' });
  });

  test('have the trend and the waiting deliveries of each subscription [CONSOLE-13]', async () => {
    const { companyId, subscriptionId, ids } = await fixture.companyWith(5);
    const silent = await fixture.subscription({ companyId });
    const [first = '', second = '', third = '', ...held] = ids;
    const at = (minutes: number) => new Date(Date.UTC(2026, 2, 1, 0, minutes));
    await together(
      attempted(first, { startedAt: at(61) }),
      attempted(second, { startedAt: at(89), outcome: FAILED }),
      attempted(third, { startedAt: at(90), outcome: FAILED }),
    );
    await fixture.database.query(`update deliveries set state = 'held' where id = any($1::text[])`, [held]);
    const read = async () => {
      const { webhooks, trendMinutes } = await client.getCompanyStatistics(
        { companyId },
        span(at(0), at(24 * 60)),
      );
      expect(trendMinutes).toBe(30);
      return webhooks.map(({ totals: _, ...webhook }) => webhook);
    };
    const trend = [
      { startsAt: at(60).toISOString(), delivered: 1, failed: 1 },
      { startsAt: at(90).toISOString(), delivered: 0, failed: 1 },
    ];
    expect(await read()).toEqual([
      { webhookId: subscriptionId, trend, retrying: 2, held: 2 },
      { webhookId: silent, trend: [], retrying: 0, held: 0 },
    ]);
    await fixture.database.query(
      `insert into deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id, state)
       select d.id || n, subscription_id, company_id, event_id, event, resource_type, resource_id, state
       from deliveries d, generate_series(1, 500) n where subscription_id = $1`,
      [subscriptionId],
    );
    expect(await read()).toMatchObject([
      { retrying: 1_000, held: 1_000 },
      { retrying: 0, held: 0 },
    ]);
  });

  test("use a slot of their company's transactions, and block no other company", async () => {
    const [companyId, otherId] = [await fixture.company(), await fixture.company()];
    const gate = createGate();
    const holding = [1, 2, 3, 4, 5].map(() => fixture.database.transaction(() => gate.opened, { companyId }));
    const settled: string[] = [];
    const read = async (id: string) => {
      await ofCompany(id);
      settled.push(id);
    };
    const mine = read(companyId);
    for (let n = 0; n < 3; n += 1) await read(otherId);
    const settledMeanwhile = [...settled];
    gate.open();
    await Promise.all([...holding, mine]);
    expect(settledMeanwhile).toEqual([otherId, otherId, otherId]);
  });

  test('are not visible to another company, and are empty without subscriptions', async () => {
    const theirs = await fixture.companyWith(1);
    await handle(attempted(theirs.deliveryId));
    const companyId = await fixture.company();
    expect(
      await failureOf(client.getSubscriptionStatistics({ ...theirs, companyId }, lastDay())),
    ).toMatchObject({ reason: 'not_found' });
    expect(await ofCompany(companyId)).toEqual({
      webhooks: [],
      inBuckets: 0,
      totals: { delivered: 0, failed: 0, deadLettered: 0 },
    });
  });
});
