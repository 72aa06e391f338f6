import { describe, expect, test } from '@jest/globals';
import { listJobFeedOperation } from '@partner/proto-contracts/resources/feed-entry/operations';
import { INSTALLER_OPERATIONS } from '@partner/proto-contracts/surfaces/installer';
import { probeSurface } from '@partner/test-kit/probe-surface';
import { createSurfaceOf, createTestApp, cursors, keys, projectionText } from './testing/create-test-app.js';
import { assertError } from '@partner/gateway-kit/testing/http-app-fixture';

const resourceJson = projectionText({ version: 4, id: 'job_1', status: 'EN_ROUTE' });

const entry = (sequence: number) =>
  `{"sequence":${sequence},"changedAt":"2026-09-01T11:00:0${sequence}.000Z","resource":${resourceJson}}`;

const cursorAfter = (companyId: string, sequence: string) => cursors.encode(companyId, sequence);

/** A company with two feed entries, or without any. */
function createFixture(hasEntries = true) {
  const surface = createSurfaceOf(listJobFeedOperation, ({ after }) => ({
    json: `{"resources":[${hasEntries && after === undefined ? `${entry(6)},${entry(7)}` : ''}]}`,
    ...(hasEntries && after === undefined && { next: '7' }),
    hasMore: false,
  }));
  const get = (path: string, key = keys.installer) => surface.send('get', path).set('x-api-key', key.text);
  return { ...surface, get };
}

describe('GET /partner/v1/jobs', () => {
  test('without a cursor is the newest page, oldest entry first, with each projection passed through as text [FEED-3]', async () => {
    const { get, requests } = createFixture();
    const response = await get('/jobs?limit=2');
    expect(response.status).toBe(200);
    expect(response.headers['x-svc-api-version']).toBe('2026-08-26');
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.text).toBe(
      `{"apiVersion":"2026-08-26","resources":[${entry(6)},${entry(7)}],"nextCursor":"${cursorAfter('cmp_1', '7')}","hasMore":false}`,
    );
    expect(requests).toMatchObject([{ companyId: 'cmp_1', query: { limit: 2 } }]);
    expect(requests[0]?.after).toBeUndefined();
  });

  test('has 50 entries at most by default [FEED-2, LIMIT-5]', async () => {
    const { get, requests } = createFixture();
    await get('/jobs');
    await get('/jobs?limit=100&unknown=1');
    expect(requests.map(({ query }) => query)).toEqual([{ limit: 50 }, { limit: 100 }]);
  });

  test('after the last entry is an empty page with the same cursor; without any entry there is none [FEED-5]', async () => {
    const { get, requests } = createFixture();
    const cursor = cursorAfter('cmp_1', '7');
    const empty = { apiVersion: '2026-08-26', resources: [], hasMore: false };
    expect((await get(`/jobs?cursor=${cursor}`)).body).toEqual({ ...empty, nextCursor: cursor });
    expect(requests).toMatchObject([{ after: '7' }]);
    expect((await createFixture(false).get('/jobs')).body).toEqual({ ...empty, nextCursor: null });
  });

  test.each([
    ['of another company', cursorAfter('cmp_2', '3')],
    ['that was tampered with', cursorAfter('cmp_1', '3').replace(/^./, 'B')],
    ['that is no cursor', '3'],
    ['that is empty', ''],
  ])('refuses a cursor %s with 400 cursor_invalid', async (_what, cursor) => {
    const { get, requests } = createFixture();
    const { error } = assertError(await get(`/jobs?cursor=${cursor}`), 400, 'cursor_invalid');
    expect(error).toMatch(/^cursor: /);
    expect(requests).toHaveLength(0);
  });
});

describe('the installer surface', () => {
  test("limits a company to 60 requests in a minute, or to the company's own limit [LIMIT-1, LIMIT-4]", async () => {
    const { get } = createFixture();
    for (const [key, limit] of [
      [keys.installer, 60],
      [keys.favoured, 100],
    ] as const) {
      for (let sent = 0; sent < limit; sent += 1) {
        const response = await get('/jobs?limit=0', key);
        expect(response.status).toBe(400);
        expect(response.headers['ratelimit']).toBe(`"default";r=${limit - sent - 1};t=60`);
      }
      const refused = await get('/jobs', key);
      assertError(refused, 429, 'rate_limited');
      expect(refused.headers['ratelimit-policy']).toBe(`"default";q=${limit};w=60`);
      expect(refused.headers['retry-after']).toBe('61');
    }
  });
});

describe('the operations of the installer surface', () => {
  test('require a key, and there is no other method or path', async () => {
    await expect(probeSurface(createTestApp(), INSTALLER_OPERATIONS)).resolves.toEqual([]);
  });
});
