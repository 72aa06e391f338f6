import { describe, expect, test } from '@jest/globals';
import { listJobFeedOperation } from '@partner/proto-contracts/resources/feed-entry/operations';
import { getJobOperation } from '@partner/proto-contracts/resources/job/operations';
import { implement, type OperationRequest } from '@partner/kernel/amqp/implement';
import { INSTALLER_OPERATIONS } from '@partner/proto-contracts/surfaces/installer';
import { notFound } from '@partner/kernel/process/service-error';
import { probeSurface } from '@partner/test-kit/probe-surface';
import request from 'supertest';
import { z } from 'zod';
import { createTestApp, cursors, keys, projectionText } from './testing/create-test-app.js';
import { assertError } from '@partner/gateway-kit/testing/http-app-fixture';

const resourceJson = projectionText({ version: 4, id: 'job_1', status: 'EN_ROUTE' });

const entry = (sequence: number) =>
  `{"sequence":${sequence},"changedAt":"2026-09-01T11:00:0${sequence}.000Z","resource":${resourceJson}}`;

const cursorAfter = (companyId: string, sequence: string) => cursors.encode(companyId, sequence);

/** A company `cmp_1` with feed entries 1 to 7 and the job `job_1`; `cmp_2` has nothing. */
function createFixture() {
  const feedRequests: OperationRequest<unknown, unknown>[] = [];
  const jobRequests: OperationRequest<unknown, unknown>[] = [];
  const app = createTestApp({
    operations: [
      implement(listJobFeedOperation, async (feed) => {
        feedRequests.push(feed);
        const { companyId, after: afterSequence, query } = feed;
        const all = companyId === 'cmp_1' ? [1, 2, 3, 4, 5, 6, 7] : [];
        const after = all.filter((sequence) => sequence > Number(afterSequence ?? 0));
        const page = afterSequence === undefined ? after.slice(-query.limit) : after.slice(0, query.limit);
        const last = page.at(-1);
        return {
          json: `{"resources":[${page.map(entry).join(',')}]}`,
          ...(last !== undefined && { next: String(last) }),
          hasMore: afterSequence !== undefined && after.length > query.limit,
        };
      }),
      implement(getJobOperation, async (job) => {
        jobRequests.push(job);
        if (job.companyId !== 'cmp_1' || job.params.id !== 'job_1') throw notFound('job');
        return { json: `{"resource":${resourceJson}}` };
      }),
    ],
  });
  const get = (path: string, key = keys.installer) => request(app).get(path).set('x-api-key', key.text);
  return { feedRequests, jobRequests, get };
}

const page = z.object({
  resources: z.array(z.object({ sequence: z.int() })),
  nextCursor: z.string(),
  hasMore: z.boolean(),
});

describe('GET /partner/v1/jobs', () => {
  test('without a cursor is the newest page, oldest entry first, with each projection passed through as text [FEED-3]', async () => {
    const { get, feedRequests } = createFixture();
    const response = await get('/partner/v1/jobs?limit=2');
    expect(response.status).toBe(200);
    expect(response.headers['x-svc-api-version']).toBe('2026-08-26');
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.text).toBe(
      `{"apiVersion":"2026-08-26","resources":[${entry(6)},${entry(7)}],"nextCursor":"${cursorAfter('cmp_1', '7')}","hasMore":false}`,
    );
    expect(feedRequests).toMatchObject([{ companyId: 'cmp_1', query: { limit: 2 } }]);
    expect(feedRequests[0]?.after).toBeUndefined();
  });

  test('has 50 entries at most by default [FEED-2, LIMIT-5]', async () => {
    const { get, feedRequests } = createFixture();
    await get('/partner/v1/jobs');
    await get('/partner/v1/jobs?limit=100&unknown=1');
    expect(feedRequests.map(({ query }) => query)).toEqual([{ limit: 50 }, { limit: 100 }]);
  });

  test('with a cursor is the entries after it, page by page, and then an empty page with the same cursor [FEED-5]', async () => {
    const { get } = createFixture();
    let cursor = cursorAfter('cmp_1', '2');
    const pages: unknown[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const response = await get(`/partner/v1/jobs?limit=2&cursor=${cursor}`);
      const { resources, nextCursor, hasMore } = page.parse(response.body);
      pages.push([...resources.map(({ sequence }) => sequence), hasMore]);
      if (resources.length === 0) expect(nextCursor).toBe(cursor);
      cursor = nextCursor;
    }
    expect(pages).toEqual([[3, 4, true], [5, 6, true], [7, false], [false]]);
  });

  test('has no cursor only when the company has no entry [FEED-5]', async () => {
    const { get } = createFixture();
    const response = await get('/partner/v1/jobs', keys.favoured);
    expect(response.body).toEqual({
      apiVersion: '2026-08-26',
      resources: [],
      nextCursor: null,
      hasMore: false,
    });
  });

  test.each([
    ['of another company', cursorAfter('cmp_2', '3')],
    ['that was tampered with', cursorAfter('cmp_1', '3').replace(/^./, 'B')],
    ['that is no cursor', '3'],
    ['that is empty', ''],
  ])('refuses a cursor %s with 400 cursor_invalid', async (_what, cursor) => {
    const { get, feedRequests } = createFixture();
    const { error } = assertError(await get(`/partner/v1/jobs?cursor=${cursor}`), 400, 'cursor_invalid');
    expect(error).toMatch(/^cursor: /);
    expect(feedRequests).toHaveLength(0);
  });
});

describe('GET /partner/v1/jobs/{id}', () => {});

describe('the installer surface', () => {
  test("limits a company to 60 requests in a minute, or to the company's own limit [LIMIT-1, LIMIT-4]", async () => {
    const { get } = createFixture();
    for (const [key, limit] of [
      [keys.installer, 60],
      [keys.favoured, 100],
    ] as const) {
      for (let sent = 0; sent < limit; sent += 1) {
        const response = await get('/partner/v1/jobs?limit=0', key);
        expect(response.status).toBe(400);
        expect(response.headers['ratelimit']).toBe(`"default";r=${limit - sent - 1};t=60`);
      }
      const refused = await get('/partner/v1/jobs', key);
      assertError(refused, 429, 'rate_limited');
      expect(refused.headers['ratelimit-policy']).toBe(`"default";q=${limit};w=60`);
      expect(refused.headers['retry-after']).toBe('61');
    }
  });
});

describe('the operations of the installer surface', () => {
  test('require a key, and there is no other method or path', async () => {
    await expect(probeSurface(createTestApp({}), INSTALLER_OPERATIONS)).resolves.toEqual([]);
  });
});
