import { expect, test } from '@jest/globals';
import { listTechniciansOperation } from '@partner/proto-contracts/resources/technician/operations';
import { techniciansResponse } from '@partner/proto-contracts/resources/technician/technician';
import { assertError } from '@partner/gateway-kit/testing/http-app-fixture';
import { createSurfaceOf, cursors, technicianCursors } from './testing/create-test-app.js';

const technicians = ['mem_b', 'mem_a'].map((id) => ({ membershipId: id, displayName: id, active: true }));

/** A company with technicians, and one more page before the end. */
function createFixture() {
  const surface = createSurfaceOf(listTechniciansOperation, ({ after }) => ({
    json: JSON.stringify({ technicians }),
    ...(after === undefined && { next: 'mem_a' }),
  }));
  return { ...surface, get: (query: string) => surface.send('get', `/technicians${query}`) };
}

test('continues each page after the last technician of the page before, and has no cursor on the last page [TECH-3]', async () => {
  const { get, requests } = createFixture();
  const first = techniciansResponse.parse((await get('')).body);
  expect(first).toMatchObject({ apiVersion: '2026-08-26', technicians, hasMore: true });
  const last = techniciansResponse.parse((await get(`?limit=2&cursor=${first.nextCursor}`)).body);
  expect(last).toMatchObject({ technicians, nextCursor: null, hasMore: false });
  expect(requests).toMatchObject([
    { companyId: 'cmp_1', after: undefined, query: { limit: 2_000 } },
    { companyId: 'cmp_1', after: 'mem_a', query: { limit: 2 } },
  ]);
});

test('is 400 cursor_invalid with a cursor of another company, of the feed or an invented one', async () => {
  const { get, requests } = createFixture();
  const wrong = [technicianCursors.encode('cmp_2', 'mem_b'), cursors.encode('cmp_1', '1'), 'x', ''];
  for (const cursor of wrong) assertError(await get(`?cursor=${cursor}`), 400, 'cursor_invalid');
  expect(requests).toEqual([]);
});
