import { describe, expect, test } from '@jest/globals';
import {
  ContractorJobService,
  type ListContractorJobsRequest,
} from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import type { ResourceResponse } from '@partner/proto-contracts/resource-json';
import { JOB_EXAMPLE } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import { ServiceError } from '@partner/kernel/service-error';
import { partialRpcService } from '@partner/kernel/testing/in-memory-transport';
import { assertError, createInboundSurface, KEYS } from '../testing/inbound-surface.js';

const resourceJson = JSON.stringify({ jobs: [JOB_EXAMPLE], hasMore: false });

function createFixture(rpcResponse: ResourceResponse | ServiceError = { resourceJson }) {
  const requests: ListContractorJobsRequest[] = [];
  const { request } = createInboundSurface([
    partialRpcService(ContractorJobService, {
      listContractorJobs(query) {
        requests.push(query);
        if (rpcResponse instanceof ServiceError) throw rpcResponse;
        return rpcResponse;
      },
    }),
  ]);
  return { requests, get: (query = '') => request('get', `/inbound/jobs${query}`, KEYS.contractor) };
}

describe('GET /inbound/jobs', () => {
  test('returns 200 with the jobs exactly as job-state renders them', async () => {
    const response = await createFixture().get();
    expect([response.status, response.text]).toEqual([200, resourceJson]);
    expect(response.type).toBe('application/json');
  });

  test("queries the jobs that the key's owner sold and that its bound installer performs", async () => {
    const { get, requests } = createFixture();
    await get('?sellingCompanyId=cmp_9&installerCompanyId=cmp_9&companyId=cmp_9');
    expect(requests).toMatchObject([{ sellingCompanyId: 'cmp_1', installerCompanyId: 'cmp_2', limit: 50 }]);
  });

  test.each([
    ['?take=1', 1],
    ['?take=200', 200],
    ['?take=050', 50],
    ['?other=1', 50],
  ])('accepts %s as %i [LIMIT-5]', async (query, limit) => {
    const { get, requests } = createFixture();
    expect((await get(query)).status).toBe(200);
    expect(requests).toMatchObject([{ limit }]);
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

  test('returns 500 when job-state responds without jobs', async () => {
    assertError(await createFixture({}).get(), 500, 'internal');
  });

  test('returns 503 when job-state is down', async () => {
    assertError(await createFixture(new ServiceError('unavailable', 'why')).get(), 503, 'unavailable');
  });
});
