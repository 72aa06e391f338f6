import { beforeAll, describe, expect, test } from '@jest/globals';
import { explaining, rowsIn } from '../../testing/explaining.js';
import type { DeliveryStateName } from '../deliveries/delivery-columns.js';
import { type DeliveryQuery, listDeliveries } from './list-deliveries.js';
import { fixture } from '../../testing/file-webhooks.js';

const FINISHED = 40_000;
const UNFINISHED = 5_000;
/** Every 25th delivery is of the queried company. */
const COMPANY = 25;
/** Every 50th is of its queried subscription; every 20th of these is dead-lettered or held. */
const OWN = 50;
const RARE = 1_000;

let companyId: string;
let subscriptionId: string;
let stranger: string;

const idOf = (number: number, prefix = 'dlv') => `${prefix}_${String(number).padStart(26, '0')}`;

beforeAll(async () => {
  companyId = await fixture.company();
  stranger = await fixture.company();
  subscriptionId = await fixture.subscription({ companyId });
  const quarter = FINISHED / 4;
  for (let part = 0; part < 4; part += 1) {
    await fixture.database.query(
      `create table finished_deliveries_part_${part} partition of finished_deliveries
       for values from ('${idOf(part * quarter)}') to ('${idOf((part + 1) * quarter)}')`,
    );
  }
  const padded = (of: string) => `'${of}' || lpad(n::text, 26, '0')`;
  const columns = {
    ...{ id: padded('dlv_'), event_id: padded('evt_'), resource_id: padded('job_') },
    subscription_id: `case n % ${OWN} when 0 then '${subscriptionId}' else 'whk_' || n % 49 end`,
    company_id: `case n % ${COMPANY} when 0 then '${companyId}' else '${stranger}' end`,
  };
  const state = (rare: string, usual: string) => `case n % ${RARE} when 0 then '${rare}' else '${usual}' end`;
  const finished = { ...columns, state: state('dead_lettered', 'delivered') };
  const of = { companyId, subscriptionId };
  await fixture.insertMany('finished_deliveries', of, [0, FINISHED - 1], finished);
  const unfinished = { ...columns, state: state('held', 'pending') };
  await fixture.insertMany('deliveries', of, [FINISHED, FINISHED + UNFINISHED - 1], unfinished);
  await fixture.database.query(
    `insert into events (id, company_id, name, schema_version, occurred_at, resource_type, resource_id, resource_version, body, sequence)
     select event_id, company_id, event, 1, now(), resource_type, resource_id, 1, '', 0 from all_deliveries`,
  );
  await fixture.database.query(
    `insert into jobs (id, selling_company_id, work_order_no, version, status, customer, scope, created_at, updated_at, last_updated_at)
     select 'job_' || lpad(n::text, 26, '0'), case n % $2 when 0 then $1 else $3 end, 'WO-' || n, 1, 'ASSIGNED', '{}', '{}', now(), now(), now()
     from generate_series(0, $4 - 1) as n`,
    [companyId, COMPANY, stranger, FINISHED],
  );
  await fixture.database.query(
    `insert into delivery_attempts (delivery_id, id, number, started_at, duration_ms, outcome, secret_version)
     select $1, $2, 1, now(), 12, 'delivered', 1`,
    [idOf(FINISHED / 2), idOf(FINISHED / 2).replace('_0', '_7')],
  );
  await fixture.database.query('analyze deliveries, finished_deliveries, delivery_attempts, events, jobs');
});

async function read(query: Partial<DeliveryQuery>) {
  const database = explaining(fixture.database, 'all_deliveries');
  const all = { companyId, subscriptionId, beforeDeliveryId: undefined, limit: 50 };
  const page = await listDeliveries(database, { ...all, ...query });
  const plan = database.plans.join();
  const sum = (rows: readonly number[]) => rows.reduce((total, of) => total + of, 0);
  const inVain = sum(rowsIn(plan, 'Rows Removed by Filter'));
  return { ...page, plan, rows: sum(rowsIn(plan, 'Actual Rows')), inVain };
}

describe('a page of deliveries', () => {
  const ofCompany = { subscriptionId: undefined };
  const half = { beforeDeliveryId: idOf(FINISHED / 2) };
  test.each<[string, Partial<DeliveryQuery>, newest: number]>([
    ['from the newest on', {}, FINISHED + UNFINISHED - OWN],
    ['from the middle of the finished ones on', half, FINISHED / 2 - OWN],
    ['across the bound of a partition', { beforeDeliveryId: idOf(FINISHED / 4 + 100) }, FINISHED / 4 + OWN],
    ['of a company', ofCompany, FINISHED + UNFINISHED - COMPANY],
    [
      'of a company, from the middle of the finished ones on',
      { ...ofCompany, ...half },
      FINISHED / 2 - COMPANY,
    ],
  ])('%s reads few rows beyond those it shows', async (_name, query, newest) => {
    const page = await read(query);
    expect(page.deliveries).toHaveLength(50);
    expect(page.deliveries[0]?.id).toBe(idOf(newest));
    expect(page.inVain).toBe(0);
    // Each row passes a few nodes of the plan.
    expect(page.rows).toBeLessThan(500);
    expect(page.plan).not.toContain('Seq Scan');
  });

  test.each<[DeliveryStateName, number, Partial<DeliveryQuery>]>([
    ['dead_lettered', FINISHED / RARE, {}],
    ['held', UNFINISHED / RARE, {}],
    ['cancelled', 0, {}],
    ['dead_lettered', FINISHED / RARE, ofCompany],
  ])('of the rare state %s does not go through the others', async (status, count, scope) => {
    const page = await read({ ...scope, status });
    expect(page.deliveries).toHaveLength(count);
    expect(page.inVain).toBe(0);
    expect(page.rows).toBeLessThan(500);
  });

  test('of a frequent state has no others', async () => {
    for (const scope of [ofCompany, {}]) {
      const page = await read({ ...scope, status: 'delivered' });
      expect(page.deliveries.map(({ state }) => state)).toEqual(
        Array.from({ length: 50 }, () => 'delivered'),
      );
    }
  });

  const NUMBER = FINISHED / 2;
  test.each([
    ['the id of the delivery', idOf(NUMBER)],
    ['the id of its attempt', idOf(NUMBER).replace('_0', '_7')],
    ['the id of its event', idOf(NUMBER, 'evt')],
    ['the id of its job', idOf(NUMBER, 'job')],
    ['the work order number of its job', `WO-${NUMBER}`],
  ])('searched by %s reads few rows, and finds nothing of another company', async (_name, search) => {
    for (const scope of [ofCompany, {}]) {
      const page = await read({ ...scope, search });
      expect(page.deliveries.map(({ id }) => id)).toEqual([idOf(NUMBER)]);
      expect(page).toMatchObject({ nextBeforeId: undefined, inVain: 0 });
      expect(page.rows).toBeLessThan(100);
      expect(page.plan).not.toContain('Seq Scan');
    }
    const page = await read({ ...ofCompany, companyId: stranger, search });
    expect(page.deliveries).toEqual([]);
  });
});
