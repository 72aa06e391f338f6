import { beforeAll, describe, expect, test } from '@jest/globals';
import type { QueryResultRow } from 'pg';
import type { PreparedStatement } from '../../database/connection-pool.js';
import { textOf } from '../../testing/statement-text.js';
import type { Queryable } from '../../database/database.js';
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
/** The company of all other deliveries. */
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
  await fixture.database.query(
    `insert into finished_deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test,
       state, attempts, created_at, finished_at)
     select 'dlv_' || lpad(n::text, 26, '0'), case n % $3 when 0 then $1 else 'whk_' || n % 49 end,
       case n % $6 when 0 then $2 else $7 end, 'evt_' || lpad(n::text, 26, '0'),
       'install.status_changed', 'install_job', 'job_' || lpad(n::text, 26, '0'), false,
       case n % $4 when 0 then 'dead_lettered' else 'delivered' end, 1, now(), now()
     from generate_series(0, $5 - 1) as n`,
    [subscriptionId, companyId, OWN, RARE, FINISHED, COMPANY, stranger],
  );
  await fixture.database.query(
    `insert into deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id, state)
     select 'dlv_' || lpad(n::text, 26, '0'), case n % $3 when 0 then $1 else 'whk_' || n % 49 end,
       case n % $7 when 0 then $2 else $8 end, 'evt_' || lpad(n::text, 26, '0'),
       'install.status_changed', 'install_job', 'job_' || lpad(n::text, 26, '0'), case n % $4 when 0 then 'held' else 'pending' end
     from generate_series($5::integer, $6) as n`,
    [subscriptionId, companyId, OWN, RARE, FINISHED, FINISHED + UNFINISHED - 1, COMPANY, stranger],
  );
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

/** A page, with the number of rows that it read. */
async function read(query: Partial<DeliveryQuery>) {
  const plans: unknown[] = [];
  const explaining: Queryable = {
    query: async <Row extends QueryResultRow>(
      statement: string | PreparedStatement,
      values?: readonly unknown[],
    ) => {
      const text = textOf(statement);
      if (text.includes('all_deliveries')) {
        plans.push(...(await fixture.database.query(`explain (analyze, format json) ${text}`, values)));
      }
      return fixture.database.query<Row>(statement, values);
    },
  };
  const page = await listDeliveries(explaining, {
    companyId,
    subscriptionId,
    beforeDeliveryId: undefined,
    limit: 50,
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
    ['of a company', { subscriptionId: undefined }, FINISHED + UNFINISHED - COMPANY],
    [
      'of a company from the middle of the finished ones on',
      { subscriptionId: undefined, beforeDeliveryId: idOf(FINISHED / 2) },
      FINISHED / 2 - COMPANY,
    ],
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
    const page = await read({ status: state });
    expect(page.deliveries).toHaveLength(count);
    expect(page.inVain).toBe(0);
    expect(page.rows).toBeLessThan(500);
  });

  test.each(['the company', 'the subscription'])('of the frequent state of %s has no others', async (of) => {
    const scope = of === 'the company' ? { subscriptionId: undefined } : {};
    const page = await read({ ...scope, status: 'delivered' });
    expect(page.deliveries).toHaveLength(50);
    expect(page.deliveries.every(({ state }) => state === 'delivered')).toBe(true);
  });

  test('of a rare final state of a company does not go through the others', async () => {
    const page = await read({ subscriptionId: undefined, status: 'dead_lettered' });
    expect(page.deliveries).toHaveLength(FINISHED / RARE);
    expect(page.inVain).toBe(0);
    expect(page.rows).toBeLessThan(500);
  });

  const NUMBER = FINISHED / 2;
  const searches = [
    ['the id of the delivery', idOf(NUMBER)],
    ['the id of its attempt', idOf(NUMBER).replace('_0', '_7')],
    ['the id of its event', idOf(NUMBER, 'evt')],
    ['the id of its job', idOf(NUMBER, 'job')],
    ['the work order number of its job', `WO-${NUMBER}`],
  ] as const;
  describe.each(searches)('searched by %s', (_name, search) => {
    test.each(['the company', 'the subscription'])('of %s reads few rows', async (of) => {
      const scope = of === 'the company' ? { subscriptionId: undefined } : {};
      const page = await read({ ...scope, search });
      expect(page.deliveries.map(({ id }) => id)).toEqual([idOf(NUMBER)]);
      expect(page.nextBeforeId).toBeUndefined();
      expect(page.inVain).toBe(0);
      expect(page.rows).toBeLessThan(100);
      expect(page.plan).not.toContain('Seq Scan');
    });

    test('finds nothing of another company', async () => {
      const page = await read({ companyId: stranger, subscriptionId: undefined, search });
      expect(page.deliveries).toEqual([]);
    });
  });
});
