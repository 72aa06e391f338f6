import { describe, expect, test } from '@jest/globals';
import { listJobFeedOperation } from '@partner/proto-contracts/resources/feed-entry/operations';
import {
  getJobOperation,
  recordStatusEventOperation,
} from '@partner/proto-contracts/resources/job/operations';
import { implement, type OperationRequest } from '@partner/kernel/amqp/implement';
import { errorBody } from '@partner/proto-contracts/api/error-body';
import { API_VERSION_LIVES } from '@partner/proto-contracts/api/versions';
import { createApiVersions, type Rewrite } from '@partner/gateway-kit/versions/api-versions';
import { notFound } from '@partner/kernel/process/service-error';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import request from 'supertest';
import { API_VERSIONS } from './api-versions.js';
import { createTestApp, keys } from './testing/create-test-app.js';

const OLDER = '2026-08-26';
const CURRENT = '2027-02-01';
const LIVES = [
  { date: OLDER, announced: OLDER, superseded: { ends: '2027-04-10', link: '/changelog' } },
  { date: CURRENT, announced: '2027-01-10' },
];
const DEPRECATION = {
  deprecation: '@1799539200',
  sunset: 'Sat, 10 Apr 2027 00:00:00 GMT',
  link: '</changelog>; rel="deprecation"',
};
// Spaces show whether the text was passed through.
const resourceJson = '{ "version": 4, "status": "BLOCKED" }';

/** The older version has `state` for `status`, and `size` for the page size. */
const renamed =
  (from: string, to: string): Rewrite =>
  (object) =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name === from ? to : name, value]));
const older: Rewrite = (object) => ({ ...object, resource: { version: 4, state: 'BLOCKED' } });
const differences = {
  [OLDER]: {
    listJobFeed: { request: { query: renamed('size', 'limit') } },
    getJob: { response: older },
    recordStatusEvent: { request: { body: renamed('state', 'status') }, response: older },
  },
};

function createFixture(day = '2027-01-10T00:00:00Z') {
  const requests: OperationRequest<unknown, unknown>[] = [];
  const app = createTestApp({
    versions: createApiVersions({ lives: LIVES, differences, now: () => new Date(day) }),
    operations: [
      implement(listJobFeedOperation, async (asked) => {
        requests.push(asked);
        return { json: '{"resources":[]}', hasMore: false };
      }),
      implement(getJobOperation, async ({ params }) => {
        if (params.id !== 'job_1') throw notFound('job');
        return { json: `{"resource":${resourceJson}}` };
      }),
      implement(recordStatusEventOperation, async (event) => {
        requests.push(event);
        const idempotency = { replayed: requests.length > 1, expiresAt: new Date('2027-10-16T12:00:00Z') };
        return { json: `{"resource":${resourceJson}}`, idempotency };
      }),
    ],
  });
  const pin = (sent: request.Test, version?: string) =>
    version === undefined ? sent : sent.set('x-svc-api-version', version);
  const withKey = (sent: request.Test, version?: string) =>
    pin(sent, version).set('x-api-key', keys.installer.text);
  const get = (target: string, version?: string) =>
    withKey(request(app).get(`/partner/v1${target}`), version);
  const post = (body: object, version?: string) =>
    withKey(request(app).post('/partner/v1/jobs/job_1/status-events'), version)
      .set('idempotency-key', 'event:1')
      .send(body);
  return { app, requests, get, post, pin };
}

const event = { occurredAt: '2026-09-01T11:59:00Z', expectedVersion: 3, blockerCode: 'PERMIT' };

describe('a request that pins the older version', () => {
  test('has its parameters and body, and gets its response; without a pin the stored text [VERSION-3]', async () => {
    const { get, post, requests } = createFixture();
    expect((await get('/jobs/job_1', OLDER)).body).toEqual({ apiVersion: OLDER, ...older({}) });
    expect((await get('/jobs/job_1')).text).toBe(`{"apiVersion":"${CURRENT}","resource":${resourceJson}}`);
    await get('/jobs?size=7', OLDER);
    await get('/jobs?size=7', CURRENT);
    const posted = await post({ ...event, state: 'BLOCKED' }, OLDER);
    expect([posted.status, posted.body]).toEqual([201, { apiVersion: OLDER, ...older({}) }]);
    expect(requests).toMatchObject([
      { query: { limit: 7 } },
      { query: { limit: 50 } },
      { body: { ...event, status: 'BLOCKED' } },
    ]);
  });

  test('is validated in the form of the current version', async () => {
    const { post, requests } = createFixture();
    const other = await post({ ...event, state: 'BLOCKED' }, CURRENT);
    expect([other.status, errorBody.parse(other.body).error]).toEqual([400, 'status: is required']);
    const wrong = await post({ ...event, state: { a: 1 } }, OLDER);
    expect(errorBody.parse(wrong.body).error).toMatch(/^status: must be one of /);
    expect((await post([event], OLDER)).status).toBe(400);
    expect(requests).toHaveLength(0);
  });

  test('binds its key to the body as it was sent, and gets a repeated outcome in the form of its version', async () => {
    const { post, requests } = createFixture();
    const body = { ...event, state: 'BLOCKED', status: 'BLOCKED' };
    const first = await post(body, OLDER);
    const [repeated, current] = [await post(body, OLDER), await post(body, CURRENT)];
    expect([repeated.text, repeated.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
    expect(current.text).toContain(resourceJson);
    const sent = createHash('sha256').update(JSON.stringify(Object.fromEntries(Object.entries(body).sort())));
    const bodySha256 = sent.digest();
    expect(requests.map(({ idempotencyKey }) => idempotencyKey)).toMatchObject(
      Array.from({ length: 3 }, () => ({ bodySha256 })),
    );
  });

  test('has a separate ETag, which matches in its version only', async () => {
    const { get } = createFixture();
    const [tag = '', current = ''] = await Promise.all(
      [OLDER, CURRENT].map(async (version) => (await get('/jobs/job_1', version)).headers['etag']),
    );
    const known = await get('/jobs/job_1', OLDER).set('if-none-match', tag);
    expect([known.status, known.text, known.headers['etag']]).toEqual([304, '', tag]);
    expect((await get('/jobs/job_1', OLDER).set('if-none-match', current)).status).toBe(200);
    expect((await get('/jobs/job_1').set('if-none-match', current)).status).toBe(304);
  });
});

test.each([OLDER, CURRENT, undefined])(
  'every response names its version, and until when a superseded one works: %s [VERSION-3]',
  async (version) => {
    const { app, get, post, pin } = createFixture();
    const tag = (await get('/jobs/job_1', version)).headers['etag'] ?? '';
    const responses = [
      await get('/jobs', version),
      await post({ ...event, status: 'BLOCKED' }, version),
      await get('/jobs/job_1', version).set('if-none-match', tag),
      await get('/jobs?limit=0', version),
      await pin(request(app).get('/partner/v1/jobs/%zz'), version),
      await pin(request(app).get('/partner/v1/jobs'), version),
      await pin(request(app).get('/partner/v1/nothing'), version),
      await get('/jobs/job_2', version),
      await pin(request(app).delete('/partner/v1/jobs'), version),
    ];
    for (let sent = 0; sent < 60; sent += 1) await get('/jobs?limit=0', version);
    responses.push(await get('/jobs', version));
    expect(responses.map(({ status }) => status)).toEqual([200, 201, 304, 400, 400, 401, 404, 404, 405, 429]);
    for (const { headers } of responses) {
      expect(headers['x-svc-api-version']).toBe(version ?? CURRENT);
      if (version === OLDER) expect(headers).toMatchObject(DEPRECATION);
      else for (const name of Object.keys(DEPRECATION)) expect(headers).not.toHaveProperty(name);
    }
  },
);

test.each([
  ['latest', `must be one of ${OLDER}, ${CURRENT}`],
  ['', `must be one of ${OLDER}, ${CURRENT}`],
  [OLDER, `must be ${CURRENT}; ${OLDER} ended on 2027-04-10`],
])(
  'the version %j is a 400 with the known ones once it has ended, or never was [VERSION-8]',
  async (version, error) => {
    const { get, app } = createFixture(version === OLDER ? '2027-04-10T00:00:00Z' : undefined);
    const response = await get('/jobs', version);
    expect(response.status).toBe(400);
    expect(errorBody.parse(response.body)).toMatchObject({
      error: `x-svc-api-version: ${error}`,
      code: 'invalid_argument',
      details: [{ path: 'x-svc-api-version' }],
    });
    expect(response.headers['x-svc-api-version']).toBe(CURRENT);
    expect(response.headers).not.toHaveProperty('sunset');
    const withoutKey = await request(app).get('/partner/v1/jobs').set('x-svc-api-version', version);
    expect(withoutKey.status).toBe(401);
  },
);

describe('the versions of the installer API', () => {
  test('are only the current one, announced on the changelog, with lives of 90 days at least [VERSION-3]', () => {
    expect(API_VERSIONS.current.date).toBe(OLDER);
    expect(API_VERSIONS.select('2026-08-25').problem).toBe(`must be ${OLDER}`);
    const changelog = readFileSync(path.join(import.meta.dirname, '../../../CHANGELOG.md'), 'utf8').split(
      '\n',
    );
    for (const { announced } of API_VERSION_LIVES) expect(changelog).toContain(`## ${announced}`);
  });

  test('cannot differ in an operation that the surface lacks', () => {
    const unknown = { [OLDER]: { listJobsFeed: {} } };
    const versions = createApiVersions({
      lives: LIVES,
      differences: unknown,
      now: () => new Date('2027-02-01'),
    });
    expect(() => createTestApp({ versions })).toThrow('listJobsFeed');
  });
});
