import { describe, expect, test } from '@jest/globals';
import { createGate } from '../../testing/create-gate.js';
import {
  FAILED,
  fixture,
  handle,
  client,
  companyWith,
  attempted,
  together,
  lastDay,
  plain,
  reasonOf,
} from '../testing/statistics-fixture.js';

describe('the statistics of a company', () => {
  const ofCompany = async (companyId: string) => {
    const { webhooks, buckets, totals } = await client.getCompanyStatistics({ companyId, ...lastDay() });
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
    const other = await companyWith(1);
    await handle(attempted(other.deliveryId));
    await fixture.database.query('update subscriptions set deleted_at = now() where id = $1', [deleted]);

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
      await reasonOf(client.getSubscriptionStatistics({ companyId, subscriptionId: deleted, ...lastDay() })),
    ).toBe('not_found');
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
    const theirs = await companyWith(1);
    await handle(attempted(theirs.deliveryId));
    const companyId = await fixture.company();
    expect(await reasonOf(client.getSubscriptionStatistics({ ...theirs, companyId, ...lastDay() }))).toBe(
      'not_found',
    );
    expect(await ofCompany(companyId)).toEqual({
      webhooks: [],
      inBuckets: 0,
      totals: { delivered: 0, failed: 0, deadLettered: 0 },
    });
  });
});
