import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { QueryResultRow } from 'pg';
import type { Queryable } from '../../database/database.js';
import { openWebhookFixture, type WebhookFixture } from '../../testing/webhook-fixture.js';
import type { DeliveryStateName } from '../schedule/delivery-resource.js';
import { type DeliveryQuery, listDeliveries } from './list-deliveries.js';

const FINISHED = 40_000;
const UNFINISHED = 5_000;
/** Every 50th delivery is of the queried subscription; every 20th of these is dead-lettered or held. */
const OWN = 50;
const RARE = 1_000;

let fixture: WebhookFixture;
let of: { readonly companyId: string; readonly subscriptionId: string };

const idOf = (number: number) => `dlv_${String(number).padStart(26, '0')}`;

beforeAll(async () => {
  fixture = await openWebhookFixture();
  const companyId = await fixture.company();
  of = { companyId, subscriptionId: await fixture.subscription({ companyId }) };
  const quarter = FINISHED / 4;
  for (let part = 0; part < 4; part += 1) {
    await fixture.database.query(
      `create table finished_deliveries_part_${part} partition of finished_deliveries
       for values from ('${idOf(part * quarter)}') to ('${idOf((part + 1) * quarter)}')`,
    );
  }
  await fixture.database.query(
    `insert into finished_deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test,
       state, attempts, created_at, finished_at)
     select 'dlv_' || lpad(n::text, 26, '0'), case n % $3 when 0 then $1 else 'whk_' || n % 49 end, $2, 'evt_' || n,
       'install.status_changed', 'install_job', 'job_' || n, false,
       case n % $4 when 0 then 'dead_lettered' else 'delivered' end, 1, now(), now()
     from generate_series(0, $5 - 1) as n`,
    [of.subscriptionId, companyId, OWN, RARE, FINISHED],
  );
  await fixture.database.query(
    `insert into deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id, state)
     select 'dlv_' || lpad(n::text, 26, '0'), case n % $3 when 0 then $1 else 'whk_' || n % 49 end, $2, 'evt_' || n,
       'install.status_changed', 'install_job', 'job_' || n, case n % $4 when 0 then 'held' else 'pending' end
     from generate_series($5::integer, $6) as n`,
    [of.subscriptionId, companyId, OWN, RARE, FINISHED, FINISHED + UNFINISHED - 1],
  );
  await fixture.database.query('analyze deliveries, finished_deliveries');
});

afterAll(async () => {
  await fixture.close();
});

/** A page, with the number of rows that it read. */
async function read(query: Partial<DeliveryQuery>) {
  const plans: unknown[] = [];
  const explaining: Queryable = {
    query: async <Row extends QueryResultRow>(text: string, values?: readonly unknown[]) => {
      if (text.includes('all_deliveries')) {
        plans.push(...(await fixture.database.query(`explain (analyze, format json) ${text}`, values)));
      }
      return fixture.database.query<Row>(text, values);
    },
  };
  const page = await listDeliveries(explaining, {
    ...of,
    beforeDeliveryId: undefined,
    limit: 50,
    state: undefined,
    events: undefined,
    created: { from: undefined, to: undefined },
    resourceId: undefined,
    ...query,
  });
  const plan = JSON.stringify(plans);
  const sum = (name: string) =>
    [...plan.matchAll(new RegExp(`"${name}":(\\d+)`, 'g'))].reduce(
      (total, [, rows]) => total + Number(rows),
      0,
    );
  return { ...page, plan, rows: sum('Actual Rows'), inVain: sum('Rows Removed by Filter') };
}

describe('a page of deliveries', () => {
  const cases: readonly (readonly [string, Partial<DeliveryQuery>, number])[] = [
    ['from the newest on', {}, FINISHED + UNFINISHED - OWN],
    ['from the middle of the finished ones on', { beforeDeliveryId: idOf(FINISHED / 2) }, FINISHED / 2 - OWN],
    ['across the bound of a partition', { beforeDeliveryId: idOf(FINISHED / 4 + 100) }, FINISHED / 4 + OWN],
    ['of a frequent final state', { state: 'delivered' }, FINISHED - OWN],
  ];
  test.each(cases)('%s reads few rows beyond those it shows', async (_name, query, newest) => {
    const page = await read(query);
    expect(page.deliveries).toHaveLength(50);
    expect(page.deliveries[0]?.id).toBe(idOf(newest));
    expect(page.inVain).toBe(0);
    // Each row passes a few nodes of the plan.
    expect(page.rows).toBeLessThan(500);
    expect(page.plan).not.toContain('Seq Scan');
  });

  const rareStates: readonly (readonly [DeliveryStateName, number])[] = [
    ['dead_lettered', FINISHED / RARE],
    ['held', UNFINISHED / RARE],
    ['cancelled', 0],
  ];
  test.each(rareStates)('of the rare state %s does not go through the others', async (state, count) => {
    const page = await read({ state });
    expect(page.deliveries).toHaveLength(count);
    expect(page.inVain).toBe(0);
    expect(page.rows).toBeLessThan(500);
  });
});
