import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { createApiVersions } from '@partner/gateway-kit/versions/api-versions';
import { implement, type OperationRequest } from '@partner/kernel/amqp/implement';
import { API_VERSION_LIVES } from '@partner/proto-contracts/api/versions';
import { listJobFeedOperation } from '@partner/proto-contracts/resources/feed-entry/operations';
import {
  getJobOperation,
  recordStatusEventOperation,
} from '@partner/proto-contracts/resources/job/operations';
import request from 'supertest';
import { API_VERSIONS } from './api-versions.js';
import { createTestApp, keys } from './testing/create-test-app.js';

const [OLDER, CURRENT] = ['2026-08-26', '2027-02-01'];
const LIVES = [
  { date: OLDER, announced: OLDER, superseded: { ends: '2027-04-10', link: '/changelog' } },
  { date: CURRENT, announced: '2027-01-10' },
];
const DEPRECATION = {
  deprecation: '@1799539200',
  sunset: 'Sat, 10 Apr 2027 00:00:00 GMT',
  link: '</changelog>; rel="deprecation"',
};
const versionsWith = (differences: Parameters<typeof createApiVersions>[0]['differences']) =>
  createApiVersions({ lives: LIVES, differences, now: () => new Date('2027-01-10') });

test('only the current version is served, and the changelog announces it [VERSION-3]', () => {
  expect(API_VERSIONS.current.date).toBe(OLDER);
  expect(API_VERSIONS.select('2026-08-25').problem).toBe(`must be ${OLDER}`);
  const changelog = readFileSync(path.join(import.meta.dirname, '../../../CHANGELOG.md'), 'utf8').split('\n');
  for (const { announced } of API_VERSION_LIVES) expect(changelog).toContain(`## ${announced}`);
});

test('a request that pins a superseded version is translated both ways, bound as it was sent, with the end in its response [VERSION-3]', async () => {
  // The older version has `state` for `status`. Spaces show whether the text was passed through.
  const resource = '{ "version": 4, "status": "BLOCKED" }';
  const older = { version: 4, state: 'BLOCKED' };
  const requests: OperationRequest<unknown, unknown>[] = [];
  const app = createTestApp({
    versions: versionsWith({
      [OLDER]: {
        getJob: { response: (body) => ({ ...body, resource: older }) },
        listJobFeed: { request: { query: ({ size, ...rest }) => ({ limit: size, ...rest }) } },
        recordStatusEvent: { request: { body: ({ state, ...rest }) => ({ status: state, ...rest }) } },
      },
    }),
    operations: [
      implement(getJobOperation, async () => ({ json: `{"resource":${resource}}` })),
      implement(listJobFeedOperation, async (given) => {
        requests.push(given);
        return { json: '{"resources":[]}', hasMore: false };
      }),
      implement(recordStatusEventOperation, async (given) => {
        requests.push(given);
        return { json: '{"resource":{}}' };
      }),
    ],
  });
  const as = (sent: request.Test, version: string) =>
    sent.set({ 'x-api-key': keys.installer.text, 'x-svc-api-version': version });
  const get = (version: string, tag = '', target = '/jobs/job_1') =>
    as(request(app).get(`/partner/v1${target}`), version).set('if-none-match', tag);
  const [pinned, current] = [await get(OLDER), await get(CURRENT)];
  expect([pinned.body, current.text]).toEqual([
    { apiVersion: OLDER, resource: older },
    `{"apiVersion":"${CURRENT}","resource":${resource}}`,
  ]);
  const tag = pinned.headers['etag'];
  const known = [await get(OLDER, tag), await get(CURRENT, tag)];
  expect(known.map(({ status }) => status)).toEqual([304, 200]);
  const refused = await get(OLDER, '', '/nothing');
  for (const { headers } of [pinned, ...known.slice(0, 1), refused])
    expect(headers).toMatchObject({ ...DEPRECATION, 'x-svc-api-version': OLDER });
  for (const name of Object.keys(DEPRECATION)) expect(current.headers).not.toHaveProperty(name);

  await get(OLDER, '', '/jobs?size=7');
  expect(requests.pop()).toMatchObject({ query: { limit: 7 } });
  const event = { occurredAt: '2026-09-01T11:59:00Z', expectedVersion: 3, blockerCode: 'PERMIT' };
  const post = (body: object, version: string) =>
    as(request(app).post('/partner/v1/jobs/job_1/status-events'), version)
      .set('idempotency-key', 'event:1')
      .send(body);
  expect((await post({ ...event, state: 'BLOCKED' }, CURRENT)).status).toBe(400);
  expect((await post([event], OLDER)).status).toBe(400);
  const sent = { ...event, state: 'BLOCKED', status: 'BLOCKED' };
  for (const version of [OLDER, CURRENT]) expect((await post(sent, version)).status).toBe(201);
  const [one, other] = requests;
  expect(one?.body).toEqual({ ...event, status: 'BLOCKED' });
  expect(one?.idempotencyKey).toEqual(other?.idempotencyKey);
});

test('versions cannot differ in an operation that the surface lacks', () => {
  const versions = versionsWith({ [OLDER]: { listJobsFeed: {} } });
  expect(() => createTestApp({ versions })).toThrow('listJobsFeed');
});
