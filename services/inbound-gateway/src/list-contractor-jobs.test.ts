import { describe, expect, test } from '@jest/globals';
import { JOB_EXAMPLE } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import { listContractorJobsOperation } from '@partner/proto-contracts/resources/contractor-job/operations';
import { ServiceError } from '@partner/kernel/service-error';
import { assertError, createSurfaceOf, KEYS } from './testing/inbound-surface.js';

const json = JSON.stringify({ jobs: [JOB_EXAMPLE], hasMore: false });

function createFixture(failure?: ServiceError) {
  const { requests, request } = createSurfaceOf(listContractorJobsOperation, failure ?? { json });
  return { requests, get: (query = '') => request('get', `/inbound/jobs${query}`, KEYS.contractor) };
}

describe('GET /inbound/jobs', () => {
  test('returns 200 with the jobs exactly as job-state renders them', async () => {
    const response = await createFixture().get();
    expect([response.status, response.text]).toEqual([200, json]);
    expect(response.type).toBe('application/json');
  });

  test("names the key's owner and its bound installer to job-state", async () => {
    const { get, requests } = createFixture();
    await get('?sellingCompanyId=cmp_9&installerCompanyId=cmp_9&companyId=cmp_9');
    expect(requests).toMatchObject([
      { caller: { kind: 'key', companyId: 'cmp_1', boundCompanyId: 'cmp_2' }, query: { take: 50 } },
    ]);
  });

  test.each([
    ['?take=1', 1],
    ['?take=200', 200],
    ['?take=050', 50],
    ['?other=1', 50],
  ])('accepts %s as %i [LIMIT-5]', async (query, limit) => {
    const { get, requests } = createFixture();
    expect((await get(query)).status).toBe(200);
    expect(requests).toMatchObject([{ query: { take: limit } }]);
  });

  test.each([
    '0',
    '201',
    '-1',
    '1.5',
    '1.0',
    '1e1',
    '+1',
    '%201',
    '0x10',
    'abc',
    '',
    '99999999999999999999',
    '1&take=2',
    '1&take=1',
  ])('refuses ?take=%s with 400', async (take) => {
    const { get, requests } = createFixture();
    const { error } = assertError(await get(`?take=${take}`), 400, 'invalid_argument');
    expect(error).toBe('take: must be an integer from 1 to 200');
    expect(requests).toHaveLength(0);
  });

  test('returns 503 when job-state is down', async () => {
    assertError(await createFixture(new ServiceError('unavailable', 'why')).get(), 503, 'unavailable');
  });
});
