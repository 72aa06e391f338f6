import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import {
  ContractorJobService,
  ContractorJobStage,
  type ContractorJobSchema,
  type ListContractorJobsRequest,
} from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import { CONTRACTOR_JOB_STAGES } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import { ServiceError } from '@partner/kernel/service-error';
import { partialRpcService } from '@partner/kernel/testing/in-memory-transport';
import { assertError, createInboundSurface, KEYS } from '../testing/inbound-surface.js';

type Job = MessageInitShape<typeof ContractorJobSchema>;

const job: Job = {
  id: 'job_1',
  workOrderNo: 'WO-1',
  address: '12 Maple Street',
  city: 'Boulder',
  state: 'CO',
  zip: '80302',
  stage: ContractorJobStage.IN_PROGRESS,
  installerNote: 'One\nTwo',
  lastUpdated: timestampFromDate(new Date('2026-09-01T11:00:00Z')),
};

function createFixture(answer: readonly Job[] | ServiceError = [job]) {
  const requests: ListContractorJobsRequest[] = [];
  const { request } = createInboundSurface([
    partialRpcService(ContractorJobService, {
      listContractorJobs(query) {
        requests.push(query);
        if (answer instanceof ServiceError) throw answer;
        return { jobs: [...answer] };
      },
    }),
  ]);
  return { requests, get: (query = '') => request('get', `/inbound/jobs${query}`, KEYS.contractor) };
}

describe('GET /inbound/jobs', () => {
  test('returns 200 with exactly the fields of a job, in the order given', async () => {
    const { workOrderNo: _workOrderNo, installerNote: _installerNote, ...bare } = job;
    const { get } = createFixture([job, { ...bare, id: 'job_2' }]);
    const response = await get();
    expect(response.status).toBe(200);
    const shown = {
      id: 'job_1',
      workOrderNo: 'WO-1',
      address: '12 Maple Street',
      city: 'Boulder',
      state: 'CO',
      zip: '80302',
      stage: 'IN_PROGRESS',
      installerNote: 'One\nTwo',
      lastUpdated: '2026-09-01T11:00:00.000Z',
    };
    expect(response.body).toEqual({
      jobs: [shown, { ...shown, id: 'job_2', workOrderNo: null, installerNote: null }],
    });
  });

  test('returns 200 with an empty array when there is no job', async () => {
    const response = await createFixture([]).get();
    expect([response.status, response.text]).toEqual([200, '{"jobs":[]}']);
  });

  test("queries the jobs that the key's owner sold and that its bound installer performs", async () => {
    const { get, requests } = createFixture();
    await get('?sellingCompanyId=cmp_9&installerCompanyId=cmp_9&companyId=cmp_9');
    expect(requests).toMatchObject([{ sellingCompanyId: 'cmp_1', installerCompanyId: 'cmp_2', limit: 50 }]);
  });

  test('shows every stage by its name', async () => {
    const stages = CONTRACTOR_JOB_STAGES.map((name) => ContractorJobStage[name]);
    const response = await createFixture(stages.map((stage) => ({ ...job, stage }))).get();
    expect(response.body).toMatchObject({ jobs: CONTRACTOR_JOB_STAGES.map((stage) => ({ stage })) });
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

  test.each([
    ['no stage', { ...job, stage: ContractorJobStage.UNSPECIFIED }],
    ['a stage that this version does not know', { ...job, stage: 99 }],
    ['nothing', {}],
  ])('returns 500 when job-state responds with a job that has %s', async (_what, broken) => {
    assertError(await createFixture([broken]).get(), 500, 'internal');
  });

  test('returns 503 when job-state is down', async () => {
    assertError(await createFixture(new ServiceError('unavailable', 'why')).get(), 503, 'unavailable');
  });
});
