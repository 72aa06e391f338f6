import { describe, expect, test } from '@jest/globals';
import { getJobOperation } from '@partner/proto-contracts/resources/job/operations';
import { implement } from '@partner/kernel/amqp/implement';
import { errorBody } from '@partner/proto-contracts/api/error-body';
import { API_VERSION_LIVES, type ApiVersionLife } from '@partner/proto-contracts/api/versions';
import { createApiVersions } from '@partner/gateway-kit/api-versions';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import request from 'supertest';
import { API_VERSIONS } from './api-versions.js';
import { createTestApp, keys } from './testing/create-test-app.js';

const CURRENT = '2026-08-26';
const NEXT = '2027-02-01';
const next = { date: NEXT, announced: '2027-01-10' };
const superseded = {
  date: CURRENT,
  announced: CURRENT,
  superseded: { ends: '2027-04-10', link: '/changelog' },
};

describe('a version through its lifetime', () => {
  const stateBecomesStatus = {
    getJob: { response: (job: object) => ({ ...job, resource: { state: 'BLOCKED' } }) },
  };

  /** Returns the responses to a job's read on a day: with the older version pinned, the newer one, and none. */
  async function reads(lives: readonly ApiVersionLife[], day: string) {
    const app = createTestApp({
      versions: createApiVersions({
        lives,
        differences: lives.length === 1 ? {} : { [CURRENT]: stateBecomesStatus },
        now: () => new Date(day),
      }),
      operations: [implement(getJobOperation, async () => ({ json: '{"resource":{"status":"BLOCKED"}}' }))],
    });
    const get = () => request(app).get('/partner/v1/jobs/job_1').set('x-api-key', keys.installer.text);
    return {
      older: await get().set('x-svc-api-version', CURRENT),
      newer: await get().set('x-svc-api-version', NEXT),
      unpinned: await get(),
    };
  }

  test('is the only one, then announced with its predecessor, then the only one again [VERSION-3, VERSION-8]', async () => {
    const before = await reads([{ date: CURRENT, announced: CURRENT }], '2027-01-09T23:59:59Z');
    expect(before.older.status).toBe(200);
    expect(before.older.headers).not.toHaveProperty('sunset');
    expect(errorBody.parse(before.newer.body).error).toBe(`x-svc-api-version: must be ${CURRENT}`);
    expect(before.unpinned.headers['x-svc-api-version']).toBe(CURRENT);

    for (const day of ['2027-01-10T00:00:00Z', '2027-04-09T23:59:59.999Z']) {
      const both = await reads([superseded, next], day);
      expect([both.older.status, both.newer.status, both.unpinned.status]).toEqual([200, 200, 200]);
      expect(both.older.body).toMatchObject({ apiVersion: CURRENT, resource: { state: 'BLOCKED' } });
      expect(both.older.headers).toMatchObject({
        'x-svc-api-version': CURRENT,
        deprecation: '@1799539200',
        sunset: 'Sat, 10 Apr 2027 00:00:00 GMT',
        link: '</changelog>; rel="deprecation"',
      });
      for (const { body, headers } of [both.newer, both.unpinned]) {
        expect(body).toMatchObject({ apiVersion: NEXT, resource: { status: 'BLOCKED' } });
        expect(headers).not.toHaveProperty('deprecation');
      }
    }

    const after = await reads([superseded, next], '2027-04-10T00:00:00Z');
    expect([after.older.status, after.newer.status, after.unpinned.status]).toEqual([400, 200, 200]);
    expect(errorBody.parse(after.older.body)).toMatchObject({
      error: `x-svc-api-version: must be ${NEXT}; ${CURRENT} ended on 2027-04-10`,
      code: 'invalid_argument',
    });
    expect(after.older.headers['x-svc-api-version']).toBe(NEXT);
    expect(after.older.headers).not.toHaveProperty('sunset');
  });

  test('does not end less than 90 days after its successor is announced [VERSION-3]', () => {
    for (const [place, { announced }] of API_VERSION_LIVES.entries()) {
      const ends = API_VERSION_LIVES[place - 1]?.superseded?.ends;
      if (place === 0) continue;
      expect(Date.parse(ends ?? '') - Date.parse(announced)).toBeGreaterThanOrEqual(90 * 24 * 3_600_000);
    }
    const hasty = { ...superseded, superseded: { ends: '2027-04-09', link: '/changelog' } };
    expect(() => createApiVersions({ lives: [hasty, next], differences: {}, now: () => new Date() })).toThrow(
      '90 days',
    );
  });
});

describe('the versions of the installer API', () => {
  test('are only the current one', () => {
    expect(API_VERSIONS.current.date).toBe(CURRENT);
    expect(API_VERSIONS.select('2026-08-25').problem).toBe(`must be ${CURRENT}`);
  });

  test('are announced on the changelog [VERSION-3]', () => {
    const changelog = readFileSync(path.join(import.meta.dirname, '../../../CHANGELOG.md'), 'utf8').split(
      '\n',
    );
    for (const { announced } of API_VERSION_LIVES) expect(changelog).toContain(`## ${announced}`);
  });

  test('cannot differ in an operation that the surface lacks', () => {
    const differences = { [CURRENT]: { listJobsFeed: {} } };
    expect(() =>
      createTestApp({
        versions: createApiVersions({ lives: [superseded, next], differences, now: () => new Date() }),
      }),
    ).toThrow('listJobsFeed');
  });
});
