import { describe, expect, test } from '@jest/globals';
import { listJobFeedOperation } from '@partner/proto-contracts/resources/feed-entry/operations';
import {
  getJobOperation,
  recordStatusEventOperation,
} from '@partner/proto-contracts/resources/job/operations';
import { implement, type OperationRequest } from '@partner/kernel/amqp/implement';
import { errorBody } from '@partner/proto-contracts/api/error-body';
import type { ApiVersionLife } from '@partner/proto-contracts/api/versions';
import { createApiVersions, type Rewrite, type VersionDifferences } from '@partner/gateway-kit/api-versions';
import { notFound, ServiceError } from '@partner/kernel/service-error';
import { createHash } from 'node:crypto';
import request from 'supertest';
import { z } from 'zod';
import { createTestApp, cursors, keys } from './testing/create-test-app.js';

const OLDEST = '2025-11-01';
const OLDER = '2026-03-01';
const CURRENT = '2026-08-26';
const EXPIRES = new Date('2026-10-16T12:00:00Z');
// Spaces and the order of fields show whether the text was passed through.
const resourceJson = '{ "version": 4, "id": "job_1", "status": "BLOCKED" }';

const renamed =
  (from: string, to: string): Rewrite =>
  (object) =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name === from ? to : name, value]));
const anObject = z.record(z.string(), z.unknown());
const inField =
  (field: string, rewrite: Rewrite): Rewrite =>
  (object) => ({ ...object, [field]: rewrite(anObject.parse(object[field])) });
const inEach =
  (field: string, rewrite: Rewrite): Rewrite =>
  (object) => ({ ...object, [field]: z.array(anObject).parse(object[field]).map(rewrite) });
const inEachResource = (rewrite: Rewrite) => inEach('resources', inField('resource', rewrite));

/** The field `status` was `state` before. */
const older: VersionDifferences = {
  listJobFeed: { response: inEachResource(renamed('status', 'state')) },
  getJob: { response: inField('resource', renamed('status', 'state')) },
  recordStatusEvent: {
    request: { body: renamed('state', 'status') },
    response: inField('resource', renamed('status', 'state')),
  },
};

/** Before that it was `stage`; `blockerCode` was `blocker`, the page size was `size`, and the feed held `changes`. */
const oldest: VersionDifferences = {
  listJobFeed: {
    request: { query: renamed('size', 'limit') },
    response: (feed) => renamed('resources', 'changes')(inEachResource(renamed('state', 'stage'))(feed)),
  },
  getJob: { response: inField('resource', renamed('state', 'stage')) },
  recordStatusEvent: {
    request: { body: (body) => renamed('stage', 'state')(renamed('blocker', 'blockerCode')(body)) },
    response: inField('resource', renamed('state', 'stage')),
  },
};

const LIVES: readonly ApiVersionLife[] = [
  { date: OLDEST, announced: OLDEST, superseded: { ends: '2026-10-01', link: '/older-changes' } },
  {
    date: OLDER,
    announced: OLDER,
    superseded: { ends: '2026-11-24', link: 'https://partner.example/changelog' },
  },
  { date: CURRENT, announced: CURRENT },
];
const versions = createApiVersions({
  lives: LIVES,
  differences: { [OLDEST]: oldest, [OLDER]: older },
  now: () => new Date('2026-09-01T12:00:00Z'),
});

/** A company `cmp_1` with one feed entry and the job `job_1`, whose status events are recorded by their keys. */
function createFixture(failure?: ServiceError) {
  const feedRequests: OperationRequest<unknown, unknown>[] = [];
  const events: OperationRequest<unknown, unknown>[] = [];
  const bodies = new Map<string, string>();
  const app = createTestApp({
    versions,
    operations: [
      implement(listJobFeedOperation, async (asked) => {
        feedRequests.push(asked);
        const entry = `{"sequence":7,"changedAt":"2026-09-01T11:00:00.000Z","resource":${resourceJson}}`;
        return { json: `{"resources":[${entry}]}`, next: '7', hasMore: false };
      }),
      implement(getJobOperation, async ({ params }) => {
        if (params.id !== 'job_1') throw notFound('job');
        return { json: `{"resource":${resourceJson}}` };
      }),
      implement(recordStatusEventOperation, async (event) => {
        events.push(event);
        if (failure !== undefined) throw failure;
        const { key = '', bodySha256 } = event.idempotencyKey ?? {};
        const body = bodySha256?.toString('hex') ?? '';
        const known = bodies.get(key);
        if (known !== undefined && known !== body) {
          throw new ServiceError('idempotency_mismatch', 'the key was used with another body');
        }
        bodies.set(key, body);
        const idempotency = { replayed: known !== undefined, expiresAt: EXPIRES };
        return { json: `{"resource":${resourceJson}}`, idempotency };
      }),
    ],
  });
  const withVersion = (sent: request.Test, version: string | undefined) =>
    version === undefined ? sent : sent.set('x-svc-api-version', version);
  const get = (path: string, version?: string) =>
    withVersion(request(app).get(`/partner/v1${path}`), version).set('x-api-key', keys.installer.text);
  const post = (body: object, version?: string) =>
    withVersion(request(app).post('/partner/v1/jobs/job_1/status-events'), version)
      .set('x-api-key', keys.installer.text)
      .set('idempotency-key', 'event:1')
      .send(body);
  return { app, get, post, feedRequests, events };
}

const event = { occurredAt: '2026-09-01T11:59:00Z', expectedVersion: 3 };
const BODIES = {
  [CURRENT]: { ...event, status: 'BLOCKED', blockerCode: 'PERMIT' },
  [OLDER]: { ...event, state: 'BLOCKED', blockerCode: 'PERMIT' },
  [OLDEST]: { ...event, stage: 'BLOCKED', blocker: 'PERMIT' },
};
const RESOURCES = {
  [CURRENT]: { version: 4, id: 'job_1', status: 'BLOCKED' },
  [OLDER]: { version: 4, id: 'job_1', state: 'BLOCKED' },
  [OLDEST]: { version: 4, id: 'job_1', stage: 'BLOCKED' },
};
const DATES = [CURRENT, OLDER, OLDEST] as const;

describe('a request that pins a version', () => {
  test.each(DATES)('gets the change feed as %s shows it [VERSION-3]', async (date) => {
    const { get } = createFixture();
    const response = await get('/jobs', date);
    const entries = [{ sequence: 7, changedAt: '2026-09-01T11:00:00.000Z', resource: RESOURCES[date] }];
    expect(response.status).toBe(200);
    expect(response.headers['x-svc-api-version']).toBe(date);
    expect(response.body).toEqual({
      apiVersion: date,
      [date === OLDEST ? 'changes' : 'resources']: entries,
      nextCursor: cursors.encode('cmp_1', '7'),
      hasMore: false,
    });
  });

  test.each(DATES)('gets a job as %s shows it', async (date) => {
    const { get } = createFixture();
    expect((await get('/jobs/job_1', date)).body).toEqual({ apiVersion: date, resource: RESOURCES[date] });
  });

  test.each(DATES)('sends a status event as %s accepts it, and gets the job as it shows it', async (date) => {
    const { post, events } = createFixture();
    const response = await post(BODIES[date], date);
    expect(response.status).toBe(201);
    expect(response.headers['idempotency-expires']).toBe('2026-10-16T12:00:00.000Z');
    expect(response.body).toEqual({ apiVersion: date, resource: RESOURCES[date] });
    expect(events).toMatchObject([
      { params: { id: 'job_1' }, body: { status: 'BLOCKED', blockerCode: 'PERMIT', expectedVersion: 3 } },
    ]);
  });

  test('uses the parameters of that version', async () => {
    const { get, feedRequests } = createFixture();
    await get('/jobs?size=7', OLDEST);
    await get('/jobs?size=7', OLDER);
    await get('/jobs?limit=8', OLDER);
    expect(feedRequests.map(({ query }) => query)).toEqual([{ limit: 7 }, { limit: 50 }, { limit: 8 }]);
  });

  test('may continue with a cursor of another version', async () => {
    const { get, feedRequests } = createFixture();
    const { nextCursor } = z.object({ nextCursor: z.string() }).parse((await get('/jobs', OLDEST)).body);
    expect((await get(`/jobs?cursor=${nextCursor}`, CURRENT)).status).toBe(200);
    expect(feedRequests[1]?.after).toBe('7');
  });

  test('is validated in the form of the current version, and fields of other versions are ignored', async () => {
    const { post, events } = createFixture();
    for (const [body, version, error] of [
      [{ ...event, stage: 'BLOCKED' }, OLDEST, 'blockerCode: is required when status is BLOCKED'],
      [BODIES[OLDEST], OLDER, 'status: is required'],
      [BODIES[OLDER], undefined, 'status: is required'],
      [{ ...BODIES[OLDEST], stage: { a: 1 } }, OLDEST, /^status: must be one of /],
      [[BODIES[OLDEST]], OLDEST, 'body: must be an object, not an array'],
    ] as const) {
      const response = await post(body, version);
      expect(response.status).toBe(400);
      const message = errorBody.parse(response.body).error;
      if (typeof error === 'string') expect(message).toBe(error);
      else expect(message).toMatch(error);
    }
    expect(events).toHaveLength(0);
  });

  test('gets errors in the same form as any version', async () => {
    const failure = new ServiceError('stale_version', 'read it again', { currentVersion: 9 });
    const { post, get } = createFixture(failure);
    const stale = await post(BODIES[OLDEST], OLDEST);
    expect([stale.status, stale.body]).toMatchObject([409, { code: 'stale_version', currentVersion: 9 }]);
    const missing = await get('/jobs/job_2', OLDEST);
    expect([missing.status, missing.body]).toMatchObject([404, { code: 'not_found' }]);
  });
});

describe('a request that pins no version', () => {
  test('gets the current one, as the stored text', async () => {
    const { get } = createFixture();
    const response = await get('/jobs/job_1');
    expect(response.text).toBe(`{"apiVersion":"${CURRENT}","resource":${resourceJson}}`);
    expect(response.headers['x-svc-api-version']).toBe(CURRENT);
  });
});

describe('an idempotency key', () => {
  test('is bound to the body as it was sent', async () => {
    const { post, events } = createFixture();
    await post(BODIES[OLDEST], OLDEST);
    const sent = createHash('sha256')
      .update(
        '{"blocker":"PERMIT","expectedVersion":3,"occurredAt":"2026-09-01T11:59:00Z","stage":"BLOCKED"}',
      )
      .digest();
    expect(events[0]?.idempotencyKey?.bodySha256).toEqual(new Uint8Array(sent));
  });

  test('replays the outcome in the form of the version', async () => {
    const { post } = createFixture();
    const first = await post(BODIES[OLDEST], OLDEST);
    expect(first.headers).not.toHaveProperty('idempotency-replayed');
    const repeated = await post(BODIES[OLDEST], OLDEST);
    expect([repeated.status, repeated.text]).toEqual([201, first.text]);
    expect(repeated.headers['idempotency-replayed']).toBe('true');
    const otherBody = await post(BODIES[CURRENT], CURRENT);
    expect([otherBody.status, otherBody.body]).toMatchObject([409, { code: 'idempotency_mismatch' }]);
  });

  test('that is repeated with the same body and another version gets the outcome in the form of that version', async () => {
    const { post } = createFixture();
    const body = { ...event, status: 'ON_SITE', state: 'ON_SITE' };
    expect((await post(body, OLDER)).body).toEqual({ apiVersion: OLDER, resource: RESOURCES[OLDER] });
    const repeated = await post(body, CURRENT);
    expect(repeated.headers['idempotency-replayed']).toBe('true');
    expect(repeated.body).toEqual({ apiVersion: CURRENT, resource: RESOURCES[CURRENT] });
  });
});

describe('an ETag', () => {
  test('differs from version to version, and only matches in its own version', async () => {
    const { get } = createFixture();
    for (const path of ['/jobs', '/jobs/job_1']) {
      const tags: string[] = [];
      for (const date of DATES) tags.push((await get(path, date)).headers['etag'] ?? '');
      expect(new Set(tags).size).toBe(3);
      const [current = '', older = ''] = tags;
      const known = await get(path, OLDER).set('if-none-match', older);
      expect([known.status, known.text, known.headers['etag']]).toEqual([304, '', older]);
      expect((await get(path, OLDER).set('if-none-match', current)).status).toBe(200);
      expect((await get(path).set('if-none-match', current)).status).toBe(304);
    }
  });
});

describe('every response', () => {
  /** Responses of every kind, including errors before version-specific code. */
  const responsesFor = async (version: (typeof DATES)[number] | undefined) => {
    const { app, get, post } = createFixture();
    const pinned = (sent: request.Test) =>
      version === undefined ? sent : sent.set('x-svc-api-version', version);
    const tag = (await get('/jobs/job_1', version)).headers['etag'] ?? '';
    const found = [
      await get('/jobs', version),
      await post(BODIES[version ?? CURRENT], version),
      await get('/jobs/job_1', version).set('if-none-match', tag),
      await get('/jobs?limit=0', version),
      await pinned(request(app).get('/partner/v1/jobs/%zz')),
      await pinned(request(app).get('/partner/v1/jobs')),
      await pinned(request(app).get('/partner/v1/nothing')),
      await get('/jobs/job_2', version),
      await pinned(request(app).delete('/partner/v1/jobs')),
    ];
    for (let sent = 0; sent < 60; sent += 1) await get('/jobs?limit=0', version);
    return [...found, await get('/jobs', version)];
  };
  const STATUSES = [200, 201, 304, 400, 400, 401, 404, 404, 405, 429];

  test.each([
    [
      OLDER,
      '@1787702400',
      'Tue, 24 Nov 2026 00:00:00 GMT',
      '<https://partner.example/changelog>; rel="deprecation"',
    ],
    [OLDEST, '@1772323200', 'Thu, 01 Oct 2026 00:00:00 GMT', '</older-changes>; rel="deprecation"'],
  ] as const)('of %s reports its deprecation and its end', async (date, deprecation, sunset, link) => {
    const found = await responsesFor(date);
    expect(found.map(({ status }) => status)).toEqual(STATUSES);
    for (const { headers } of found) {
      expect(headers).toMatchObject({ 'x-svc-api-version': date, deprecation, sunset, link });
    }
  });

  test.each([CURRENT, undefined] as const)('of the current version names it (pinned: %s)', async (pinned) => {
    const found = await responsesFor(pinned);
    expect(found.map(({ status }) => status)).toEqual(STATUSES);
    for (const { headers } of found) {
      expect(headers['x-svc-api-version']).toBe(CURRENT);
      for (const name of ['deprecation', 'sunset', 'link']) expect(headers).not.toHaveProperty(name);
    }
  });
});

describe('an unknown version', () => {
  test.each(['2026-08-25', 'latest', '', ` ${OLDER}, ${OLDER}`, '2026-08-26T00:00:00Z'])(
    'is a 400 that lists the known ones, in the current version: %j',
    async (version) => {
      const { get } = createFixture();
      const response = await get('/jobs', version);
      expect(response.status).toBe(400);
      expect(errorBody.parse(response.body)).toMatchObject({
        error: `x-svc-api-version: must be one of ${OLDEST}, ${OLDER}, ${CURRENT}`,
        code: 'invalid_argument',
        details: [{ path: 'x-svc-api-version' }],
      });
      expect(response.headers['x-svc-api-version']).toBe(CURRENT);
      expect(response.headers).not.toHaveProperty('deprecation');
    },
  );

  test('is refused only after authentication and rate limit', async () => {
    const { app } = createFixture();
    const response = await request(app).get('/partner/v1/jobs').set('x-svc-api-version', 'latest');
    expect([response.status, response.headers['x-svc-api-version']]).toEqual([401, CURRENT]);
  });
});
