import { describe, expect, test } from '@jest/globals';
import { techniciansAnswer } from '@partner/proto-contracts/public-api/installer-job';
import request from 'supertest';
import { createTestApp, keys } from '../testing/create-test-app.js';

const PATH = '/partner/v1/technicians';
const technicians = [
  { membershipId: 'mem_b', displayName: 'Ada Cole', active: true },
  { membershipId: 'mem_a', displayName: 'Zoe Adams', active: true },
  { membershipId: 'mem_c', displayName: 'Abe Able', active: false },
];

/** A company `cmp_1` with technicians; `cmp_2` has none. */
const app = createTestApp({
  jobs: {
    listTechnicians: ({ companyId }) => ({ technicians: companyId === 'cmp_1' ? technicians : [] }),
  },
});

describe('GET /partner/v1/technicians', () => {
  test('answers 200 with the technicians of the company, in their order and with nothing else', async () => {
    const response = await request(app).get(PATH).set('x-api-key', keys.installer.text);
    expect(response.status).toBe(200);
    expect(response.headers['x-svc-api-version']).toBe('2026-08-26');
    expect(techniciansAnswer.parse(response.body)).toEqual({ apiVersion: '2026-08-26', technicians });
  });

  test('answers with none for a company that has none', async () => {
    const response = await request(app).get(PATH).set('x-api-key', keys.favoured.text);
    expect(response.body).toEqual({ apiVersion: '2026-08-26', technicians: [] });
  });

  test('is a path of its own, for GET and HEAD alone', async () => {
    const response = await request(app).put(PATH);
    expect(response.status).toBe(405);
    expect(response.headers['allow']).toBe('GET, HEAD');
  });
});
