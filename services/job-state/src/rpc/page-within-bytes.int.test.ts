import { toBinary } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ContractorJobService } from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import {
  JobService,
  ListAssignedJobsResponseSchema,
  ListJobFeedResponseSchema,
} from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { contractorJobsResponse } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import { readResource } from '@partner/proto-contracts/resource-json';
import { MAX_MESSAGE_BYTES } from '@partner/kernel/amqp/message-size';
import { rpcService } from '@partner/kernel/amqp/rpc-service';
import { newId } from '@partner/kernel/ids';
import { silentLogger } from '@partner/kernel/logger';
import { createInMemoryTransport } from '@partner/kernel/testing/in-memory-transport';
import { createContractorJobService } from '../contractor-jobs/contractor-job-service.js';
import { appendFeedEntry } from '../jobs/feed.js';
import { createJobService } from '../jobs/job-service.js';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { insertAssignedJob, insertCompany, TEST_NOW } from '../testing/test-jobs.js';

/** More than the largest projection: a scope of 600 items, each text of 200 characters that JSON escapes, and 1,000 documents. */
const LARGEST_PROJECTION = JSON.stringify('x'.repeat(2_000_000));
const JOBS = 12;

let testDatabase: TestDatabase;
let seller: string;
let installer: string;
let jobIds: readonly string[];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const { database } = testDatabase;
  seller = await insertCompany(database, 'SALES');
  installer = await insertCompany(database, 'INSTALLER');
  const ids: string[] = [];
  for (let job = 0; job < JOBS; job += 1) ids.push(await insertAssignedJob(database, seller, installer));
  jobIds = ids.toSorted();
  await database.query('update jobs set projection = $1', [LARGEST_PROJECTION]);
  await database.transaction((tx) => {
    for (const jobId of jobIds) {
      appendFeedEntry(tx, { companyId: installer, jobId, changedAt: TEST_NOW, resource: LARGEST_PROJECTION });
    }
  });
});

afterAll(() => testDatabase.drop());

const deps = () => ({
  database: testDatabase.database,
  clock: () => TEST_NOW,
  logger: silentLogger,
  feedDays: 400,
});
const jobs = () =>
  createClient(JobService, createInMemoryTransport([rpcService(JobService, createJobService(deps()))]));

describe('a page of the largest rows', () => {
  test('of the feed is cut at 8 MiB, and hasMore leads to the rest [FEED-9, LIMIT-7]', async () => {
    const seen: string[] = [];
    let hasMore = true;
    let pages = 0;
    while (hasMore) {
      const page = await jobs().listJobFeed({
        companyId: installer,
        afterSequence: seen.at(-1) ?? '0',
        limit: 100,
      });
      expect(toBinary(ListJobFeedResponseSchema, page).length).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
      seen.push(...page.entries.map(({ sequence }) => sequence ?? ''));
      hasMore = page.hasMore === true;
      pages += 1;
    }
    // The assignments made the first entries.
    expect(seen).toEqual(Array.from({ length: 2 * JOBS }, (_, index) => String(index + 1)));
    expect(pages).toBe(3);
  });

  test('of the newest entries has as many of the newest as fit [FEED-5, FEED-9]', async () => {
    const page = await jobs().listJobFeed({ companyId: installer, limit: 100 });
    expect(toBinary(ListJobFeedResponseSchema, page).length).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
    expect(page.entries.map(({ sequence }) => sequence)).toEqual(['21', '22', '23', '24']);
    expect(page.hasMore).toBe(false);
  });

  test('of a snapshot is cut at 8 MiB, and hasMore leads to the rest [FEED-9, LIMIT-7]', async () => {
    const seen: string[] = [];
    let hasMore = true;
    while (hasMore) {
      const afterJobId = seen.at(-1);
      const page = await jobs().listAssignedJobs({
        companyId: installer,
        ...(afterJobId !== undefined && { afterJobId }),
        limit: 100,
      });
      expect(toBinary(ListAssignedJobsResponseSchema, page).length).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
      seen.push(...page.jobs.map(({ jobId }) => jobId ?? ''));
      hasMore = page.hasMore === true;
    }
    expect(seen).toEqual(jobIds);
  });

  test('of sold jobs is cut at 8 MiB, and hasMore says so [CONTRACTOR-6, LIMIT-7]', async () => {
    const { database } = testDatabase;
    const buyer = await insertCompany(database, 'INSTALLER');
    await database.query(
      `insert into jobs (id, selling_company_id, installer_company_id, version, status, customer, scope, assigned_at,
         projection, installer_note, created_at, updated_at, last_updated_at)
       select id, $2, $3, 1, 'ASSIGNED', '{"line1": "", "city": "", "state": "", "zip": ""}', '{}', $4, '', $5, $4, $4, $4
       from unnest($1::text[]) as id`,
      [
        Array.from({ length: 100 }, () => newId('job')),
        seller,
        buyer,
        TEST_NOW,
        '\u0001'.repeat(LIMITS.installerNoteLength),
      ],
    );
    const client = createClient(
      ContractorJobService,
      createInMemoryTransport([rpcService(ContractorJobService, createContractorJobService(deps()))]),
    );
    const boundary = { sellingCompanyId: seller, installerCompanyId: buyer };
    const response = await client.listContractorJobs({ ...boundary, limit: 200 });
    expect(Buffer.byteLength(response.resourceJson ?? '')).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
    const list = readResource(contractorJobsResponse, response);
    expect(list.jobs).toHaveLength(69);
    expect(list.hasMore).toBe(true);
    expect(
      readResource(contractorJobsResponse, await client.listContractorJobs({ ...boundary, limit: 69 })),
    ).toEqual(list);
  });
});
