import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { createApiVersions } from '@partner/gateway-kit/http/api-versions';
import { implement } from '@partner/kernel/amqp/implement';
import { API_VERSION_LIVES } from '@partner/proto-contracts/api/versions';
import { getJobOperation } from '@partner/proto-contracts/resources/job/operations';
import request from 'supertest';
import { API_VERSIONS } from './app.js';
import { createTestApp, keys } from './testing/create-test-app.js';

test('only the current version is served, and the changelog announces it [VERSION-3]', () => {
  expect(API_VERSIONS.current.date).toBe('2026-08-26');
  expect(API_VERSIONS.select('2026-08-25').problem).toBe('must be 2026-08-26');
  const changelog = readFileSync(path.join(import.meta.dirname, '../../../CHANGELOG.md'), 'utf8').split('\n');
  for (const { announced } of API_VERSION_LIVES) expect(changelog).toContain(`## ${announced}`);
});

test('a response names the pinned version, and a superseded one its end, also with an error or a tag [VERSION-8]', async () => {
  const [older, current] = ['2026-08-26', '2027-02-01'];
  const superseded = { ends: '2027-04-10', link: '/changelog' };
  const versions = createApiVersions(
    [
      { date: older, announced: older, superseded },
      { date: current, announced: '2027-01-10' },
    ],
    () => new Date('2027-01-10'),
  );
  const operations = [implement(getJobOperation, async () => ({ json: '{"resource":{}}' }))];
  const app = createTestApp({ versions, operations });
  const get = (version: string, tag = '', target = '/jobs/job_1') =>
    request(app)
      .get(`/partner/v1${target}`)
      .set({ 'x-api-key': keys.installer.text, 'x-svc-api-version': version, 'if-none-match': tag });
  const [pinned, latest] = [await get(older), await get(current)];
  expect([pinned.text, latest.text]).toEqual(
    [older, current].map((version) => `{"apiVersion":"${version}","resource":{}}`),
  );
  const tag = pinned.headers['etag'];
  const known = [await get(older, tag), await get(current, tag)];
  expect(known.map(({ status }) => status)).toEqual([304, 200]);
  for (const { headers } of [pinned, ...known.slice(0, 1), await get(older, '', '/nothing')])
    expect(headers).toMatchObject({ 'x-svc-api-version': older, sunset: 'Sat, 10 Apr 2027 00:00:00 GMT' });
  expect(latest.headers).not.toHaveProperty('sunset');
});
