import { describe, expect, test } from '@jest/globals';
import { implement, type OperationRequest } from '@partner/kernel/amqp/implement';
import { listTechniciansOperation } from '@partner/proto-contracts/resources/technician/operations';
import { techniciansResponse } from '@partner/proto-contracts/resources/technician/technician';
import request from 'supertest';
import { assertError } from '@partner/gateway-kit/testing/http-app-fixture';
import { createTestApp, cursors, keys, technicianCursors } from './testing/create-test-app.js';

const PATH = '/partner/v1/technicians';
const technicians = [
  { membershipId: 'mem_b', displayName: 'Ada Cole', active: true },
  { membershipId: 'mem_a', displayName: 'Zoe Adams', active: true },
  { membershipId: 'mem_c', displayName: 'Abe Able', active: false },
];

/** A company `cmp_1` with technicians; `cmp_2` has none. */
function createFixture() {
  const requests: OperationRequest<unknown, unknown>[] = [];
  const app = createTestApp({
    operations: [
      implement(listTechniciansOperation, async (given) => {
        requests.push(given);
        const { companyId, after, query } = given;
        const all = companyId === 'cmp_1' ? technicians : [];
        const rest = all.slice(all.findIndex(({ membershipId }) => membershipId === after) + 1);
        const page = rest.slice(0, query.limit);
        const next = rest.length > query.limit ? page.at(-1)?.membershipId : undefined;
        return { json: JSON.stringify({ technicians: page }), ...(next !== undefined && { next }) };
      }),
    ],
  });
  const get = (query = '', key = keys.installer) =>
    request(app).get(`${PATH}${query}`).set('x-api-key', key.text);
  return { app, get, requests };
}

describe('GET /partner/v1/technicians', () => {
  test('returns 200 with the technicians of the company, in order and without other fields [TECH-3]', async () => {
    const { get, requests } = createFixture();
    const response = await get();
    expect(response.status).toBe(200);
    expect(response.headers['x-svc-api-version']).toBe('2026-08-26');
    expect(response.body).toEqual({
      apiVersion: '2026-08-26',
      technicians,
      nextCursor: null,
      hasMore: false,
    });
    expect(requests).toMatchObject([{ companyId: 'cmp_1', query: { limit: 2_000 } }]);
    expect(requests[0]?.after).toBeUndefined();
  });

  test('continues each page after the last technician of the page before, and has no cursor on the last page [TECH-3]', async () => {
    const { get, requests } = createFixture();
    const first = techniciansResponse.parse((await get('?limit=2')).body);
    expect(first).toMatchObject({ technicians: technicians.slice(0, 2), hasMore: true });
    const second = techniciansResponse.parse((await get(`?limit=2&cursor=${first.nextCursor}`)).body);
    expect(second).toMatchObject({ technicians: technicians.slice(2), nextCursor: null, hasMore: false });
    expect(requests[1]).toMatchObject({ after: 'mem_a', query: { limit: 2 } });
  });

  test('is 400 cursor_invalid with a cursor of another company, of the feed or an invented one', async () => {
    const { get, requests } = createFixture();
    const wrong = [technicianCursors.encode('cmp_2', 'mem_b'), cursors.encode('cmp_1', '1'), 'x', ''];
    for (const cursor of wrong) {
      assertError(await get(`?cursor=${cursor}`), 400, 'cursor_invalid');
    }
    expect(requests).toEqual([]);
  });
});
