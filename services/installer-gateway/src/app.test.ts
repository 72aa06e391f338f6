import { describe, expect, test } from '@jest/globals';
import { listJobFeedOperation } from '@partner/proto-contracts/resources/feed-entry/operations';
import {
  getJobOperation,
  recordStatusEventOperation,
} from '@partner/proto-contracts/resources/job/operations';
import { implement, type OperationRequest } from '@partner/kernel/amqp/implement';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { INSTALLER_OPERATIONS } from '@partner/proto-contracts/surfaces/installer';
import { createApiKey } from '@partner/kernel/api-key';
import { notFound, ServiceError } from '@partner/kernel/service-error';
import { probeSurface } from '@partner/test-kit/probe-surface';
import { createHash } from 'node:crypto';
import request from 'supertest';
import { z } from 'zod';
import { installerEndpoints } from './app.js';
import {
  createTestApp,
  cursors,
  cursorSigner,
  keys,
  projectionText,
  technicianCursors,
} from './testing/create-test-app.js';
import { assertError } from './testing/assert-error.js';

const EXPIRES = new Date('2026-10-16T12:00:00Z');
const resourceJson = projectionText({ version: 4, id: 'job_1', status: 'EN_ROUTE' });

const entry = (sequence: number) =>
  `{"sequence":${sequence},"changedAt":"2026-09-01T11:00:0${sequence}.000Z","resource":${resourceJson}}`;

const cursorAfter = (companyId: string, sequence: string) => cursors.encode(companyId, sequence);

/** A company `cmp_1` with feed entries 1 to 7 and the job `job_1`; `cmp_2` has nothing. */
function createFixture(failure?: ServiceError) {
  const feedRequests: OperationRequest<unknown, unknown>[] = [];
  const jobRequests: OperationRequest<unknown, unknown>[] = [];
  const events: OperationRequest<unknown, unknown>[] = [];
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
      implement(recordStatusEventOperation, async (event) => {
        events.push(event);
        if (failure !== undefined) throw failure;
        const idempotency = { replayed: false, expiresAt: EXPIRES };
        return { json: `{"resource":${resourceJson}}`, idempotency };
      }),
    ],
  });
  const get = (path: string, key = keys.installer) => request(app).get(path).set('x-api-key', key.text);
  const postEvent = (key = keys.installer) =>
    request(app)
      .post('/partner/v1/jobs/job_1/status-events')
      .set('x-api-key', key.text)
      .set('idempotency-key', 'event:1');
  return { app, feedRequests, jobRequests, events, get, postEvent };
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

  test.each([
    ...['0', '101', '-1', '2.5', 'x', '', '1&limit=2', '0x5', '1e1', '5.0', '%205%20', '+5', '٥', 'Infinity'],
    '9'.repeat(400),
  ])('refuses limit=%s with a 400', async (limit) => {
    const { get } = createFixture();
    const { error } = assertError(await get(`/partner/v1/jobs?limit=${limit}`), 400, 'invalid_argument');
    expect(error).toBe('limit: must be an integer from 1 to 100');
  });
});

test.each([
  ['from=start&view=snapshot', 'from: must not be given together with view'],
  ['from=end', 'from: must be start'],
  ['view=all', 'view: must be snapshot'],
  ['view=snapshot&view=snapshot', 'view: must be snapshot'],
  ['include=deleted', 'include: must be unassigned'],
])('the query %s of the feed is a 400', async (query, message) => {
  const { get, feedRequests } = createFixture();
  expect(assertError(await get(`/partner/v1/jobs?${query}`), 400, 'invalid_argument').error).toBe(message);
  expect(feedRequests).toHaveLength(0);
});

describe('GET /partner/v1/jobs/{id}', () => {
  test('is the job with the API version, its projection passed through as text', async () => {
    const { get, jobRequests } = createFixture();
    const response = await get('/partner/v1/jobs/job_1');
    expect(response.status).toBe(200);
    expect(response.text).toBe(`{"apiVersion":"2026-08-26","resource":${resourceJson}}`);
    expect(jobRequests).toMatchObject([{ companyId: 'cmp_1', params: { id: 'job_1' } }]);
  });

  test('is 404 for a job of another company, with the same text as for a missing one', async () => {
    const { get } = createFixture();
    const foreign = assertError(await get('/partner/v1/jobs/job_1', keys.favoured), 404, 'not_found');
    const unknown = assertError(await get('/partner/v1/jobs/nothing'), 404, 'not_found');
    expect(foreign.error).toBe(unknown.error);
  });
});

describe('POST /partner/v1/jobs/{id}/status-events', () => {
  const event = { status: 'EN_ROUTE', occurredAt: '2026-09-01T11:59:00Z', expectedVersion: 3 };

  test('returns 201 with the job at its new version, and until when the key can be replayed', async () => {
    const { postEvent, events } = createFixture();
    const response = await postEvent().send({ ...event, note: 'on our way' });
    expect(response.status).toBe(201);
    expect(response.text).toBe(`{"apiVersion":"2026-08-26","resource":${resourceJson}}`);
    expect(response.headers['idempotency-expires']).toBe('2026-10-16T12:00:00.000Z');
    expect(response.headers).not.toHaveProperty('idempotency-replayed');
    const canonical =
      '{"expectedVersion":3,"note":"on our way","occurredAt":"2026-09-01T11:59:00Z","status":"EN_ROUTE"}';
    expect(events).toMatchObject([
      {
        companyId: 'cmp_1',
        params: { id: 'job_1' },
        body: { ...event, note: 'on our way' },
        idempotencyKey: {
          key: 'event:1',
          operation: 'POST /partner/v1/jobs/job_1/status-events',
          bodySha256: createHash('sha256').update(canonical).digest(),
        },
      },
    ]);
  });

  test('carries the blocker code of a blocked job', async () => {
    const { postEvent, events } = createFixture();
    await postEvent().send({ ...event, status: 'BLOCKED', blockerCode: 'PERMIT' });
    expect(events).toMatchObject([{ body: { status: 'BLOCKED', blockerCode: 'PERMIT' } }]);
  });

  test('passes on a stale version and a refused transition with the current version or the allowed statuses', async () => {
    const idempotency = { replayed: true, expiresAt: EXPIRES };
    const stale = await createFixture(
      new ServiceError('stale_version', 'expectedVersion: is stale', { currentVersion: 4, idempotency }),
    )
      .postEvent()
      .send(event);
    expect(assertError(stale, 409, 'stale_version').currentVersion).toBe(4);
    expect(stale.headers).toMatchObject({
      'idempotency-replayed': 'true',
      'idempotency-expires': '2026-10-16T12:00:00.000Z',
    });
    const refused = await createFixture(
      new ServiceError('transition_not_allowed', 'no', {
        currentStatus: 'ASSIGNED',
        allowed: ['ACKNOWLEDGED', 'BLOCKED'],
      }),
    )
      .postEvent()
      .send(event);
    expect(assertError(refused, 422, 'transition_not_allowed')).toMatchObject({
      currentStatus: 'ASSIGNED',
      allowed: ['ACKNOWLEDGED', 'BLOCKED'],
    });
  });

  test('requires an Idempotency-Key', async () => {
    const { postEvent, events } = createFixture();
    const missing = assertError(
      await postEvent().unset('idempotency-key').send(event),
      400,
      'invalid_argument',
    );
    expect(missing.error).toBe('Idempotency-Key: is required');
    assertError(await postEvent().set('idempotency-key', 'a b').send(event), 400, 'invalid_argument');
    expect(events).toHaveLength(0);
  });

  test.each([
    [{ ...event, status: 'ASSIGNED' }, 'status'],
    [{ ...event, status: 'BLOCKED' }, 'blockerCode'],
    [{ ...event, blockerCode: 'PERMIT' }, 'blockerCode'],
    [{ ...event, expectedVersion: 0 }, 'expectedVersion'],
    [{ ...event, occurredAt: '2026-09-01T12:00:00+02:00' }, 'occurredAt'],
    [{ ...event, occurredAt: '2026-02-30T12:00:00Z' }, 'occurredAt'],
    [{ ...event, expectedVersion: 2 ** 53 }, 'expectedVersion'],
    [{ ...event, note: 'x'.repeat(2_001) }, 'note'],
    [{ ...event, note: null }, 'note'],
  ])('refuses %j with a 400 that names %s', async (body, field) => {
    const { postEvent, events } = createFixture();
    const { error, details } = assertError(await postEvent().send(body), 400, 'invalid_argument');
    expect(error.startsWith(`${field}: `)).toBe(true);
    expect(details?.map(({ path }) => path)).toEqual([field]);
    expect(events).toHaveLength(0);
  });

  test.each(['2026-09-02T12:00:00Z', '2020-01-01T00:00:00Z'])(
    'leaves the range check of occurredAt %s to job-state, which holds the idempotency keys',
    async (occurredAt) => {
      const { postEvent, events } = createFixture();
      expect((await postEvent().send({ ...event, occurredAt })).status).toBe(201);
      expect(events).toMatchObject([{ body: { occurredAt } }]);
    },
  );

  test('reports an occurredAt out of range under the name of the field', async () => {
    const details = [{ path: 'occurredAt', message: 'must be at most 30 days in the past' }];
    const { postEvent } = createFixture(
      new ServiceError('invalid_argument', 'occurredAt: must be at most 30 days in the past', { details }),
    );
    const body = assertError(await postEvent().send(event), 400, 'invalid_argument');
    expect(body).toMatchObject({ error: 'occurredAt: must be at most 30 days in the past', details });
  });
});

describe('the installer surface', () => {
  test('refuses keys of the inbound surface with 401', async () => {
    const { get } = createFixture();
    for (const key of [keys.general, keys.contractor, createApiKey('sandbox'), createApiKey('production')]) {
      assertError(await get('/partner/v1/jobs', key), 401, 'unauthenticated');
    }
  });

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

  test('serves the one version, and refuses any other', async () => {
    const { get } = createFixture();
    expect((await get('/partner/v1/jobs').set('x-svc-api-version', '2026-08-26')).status).toBe(200);
    const other = await get('/partner/v1/jobs').set('x-svc-api-version', '2027-01-01');
    expect(assertError(other, 400, 'invalid_argument').error).toBe('x-svc-api-version: must be 2026-08-26');
  });

  test('has exactly its paths and methods', async () => {
    const { app } = createFixture();
    for (const [path, allow] of [
      ['/partner/v1/jobs', 'GET, HEAD'],
      ['/partner/v1/jobs/job_1', 'GET, HEAD'],
      ['/partner/v1/jobs/job_1/status-events', 'POST'],
    ] as const) {
      const response = await request(app).delete(path);
      assertError(response, 405, 'method_not_allowed');
      expect(response.headers['allow']).toBe(allow);
    }
    assertError(await request(app).get('/partner/v1/nothing'), 404, 'not_found');
  });
});

describe('the operations of the installer surface', () => {
  test('are served exactly as described', () => {
    const deps = {
      operations: inProcessOperations({ implementations: [], callers: [] }),
      clock: () => new Date(),
      cursorSigner,
      cursors,
      technicianCursors,
    };
    const named = (list: readonly { id: string; method: string; path: string }[]) =>
      list.map(({ id, method, path }) => `${id} ${method} ${path}`).sort();
    expect(named(installerEndpoints(deps))).toEqual(named(INSTALLER_OPERATIONS));
  });

  test('require a key, and there is no other method or path', async () => {
    await expect(probeSurface(createTestApp({}), INSTALLER_OPERATIONS)).resolves.toEqual([]);
  });
});
