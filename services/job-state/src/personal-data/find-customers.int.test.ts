import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { client, exported, find, fixture, newCustomer, PLACES } from './testing/personal-data-fixture.js';

describe('a search', () => {
  test('finds a customer by email, phone, address or the id of a record, however they are written [PERSON-2]', async () => {
    const customer = await newCustomer();
    const other = await newCustomer();
    const { leadId, projectId, jobId, appointmentId } = customer;
    const all = { leads: [leadId], projects: [projectId], jobs: [jobId], appointments: [appointmentId] };
    for (const criteria of [
      { email: customer.email.toUpperCase() },
      { phone: customer.phone.replaceAll(/\D/g, '').slice(1) },
      { address: customer.address.toUpperCase().replace('STREET', 'St.') },
      ...[leadId, projectId, jobId].map((id) => ({ id })),
    ]) {
      expect(await find(criteria)).toMatchObject({ records: all });
    }
    const { matches } = await find({ email: customer.email });
    expect(matches.map(({ type, name }) => [type, name]).sort()).toEqual([
      ['job', 'Jordan Ellis'],
      ['lead', `Ada ${customer.word}`],
      ['submission', `A. ${customer.word}`],
    ]);
    expect((await find({ email: customer.email, phone: other.phone })).records.leads).toHaveLength(2);
    expect((await find({ email: `x${customer.email}` })).matches).toEqual([]);
    expect((await find({ email: customer.email, companyId: fixture.installer })).matches).toEqual([]);
  });

  test('finds a customer by phone in any notation, stored before too, and shows whom it has found [PERSON-2]', async () => {
    const customer = await newCustomer();
    const other = await newCustomer();
    const national = customer.phone.replaceAll(/\D/g, '').slice(1);
    const wide = Array.from(national, (digit) => String.fromCodePoint(0xff10 + Number(digit))).join('');
    const { database } = fixture;
    const notations = [`${national} x23`, `${wide} ext. 23`, `001${national}`, `+1\u200b${national};ext=23`];
    for (const stored of notations) {
      await database.query('update leads set phone = $2 where id = $1', [customer.leadId, stored]);
      for (const phone of [national, `+1 ${national}`, `${wide} x23`]) {
        const { records, matches } = await find({ phone });
        expect([stored, phone, records.leads]).toEqual([stored, phone, [customer.leadId]]);
        expect(matches.map((match) => match.phone)).toContain(stored);
      }
      expect((await find({ phone: other.phone })).records.leads).toEqual([other.leadId]);
    }
    const [job] = await database.query<{ customer: { phone: string } }>(
      `update jobs set customer = customer || jsonb_build_object('phone', $2::text) where id = $1 returning customer`,
      [customer.jobId, `${national} #7`],
    );
    expect(job?.customer.phone).toBe(`${national} #7`);
    const { records } = await find({ phone: `${national} x7`, companyId: fixture.seller });
    expect(records.jobs).toEqual([customer.jobId]);
  });

  test('refuses criteria that name no one, and an unknown id [PERSON-2]', async () => {
    const noOne = [{}, { email: 'ada' }, { phone: '12-34' }, { id: 'evt_1' }, { companyId: 'cmp_1' }];
    for (const criteria of noOne) await expect(find(criteria)).rejects.toThrow(/must (be|have)/);
    await expect(find({ id: newId('lead') })).rejects.toThrow('no such record');
    await expect(client.findPeople({ email: 'a@b.example', cursor: '{}' })).rejects.toThrow('unchanged');
  });
});

test('an export has every row about the customer with its personal data, and none about another one [PERSON-3]', async () => {
  const customer = await newCustomer();
  const other = await newCustomer();
  const rows = await exported({ email: customer.email });
  expect([...new Set(rows.map(({ table }) => table))].sort()).toEqual(
    [...new Set([...PLACES.map((place) => place.split('.')[0]), 'finished_deliveries'])].sort(),
  );
  const text = JSON.stringify(rows);
  for (const place of PLACES) {
    const [table, column = ''] = place.split('.');
    const values = rows.filter((each) => each.table === table).map(({ row }) => JSON.stringify(row[column]));
    expect([place, values.join(' ').toLowerCase()]).toEqual([place, expect.stringContaining(customer.word)]);
  }
  expect(text).not.toContain(other.word);
  expect(text).not.toMatch(/body_sha256|wrong_secret/);
});
