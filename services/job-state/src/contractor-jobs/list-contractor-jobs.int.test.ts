import { describe, expect, test } from '@jest/globals';
import { contractorJobsResponse } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import { listContractorJobsOperation } from '@partner/proto-contracts/resources/contractor-job/operations';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { contractorKey } from '../testing/callers.js';
import {
  insertAssignedJob,
  insertCompany,
  jobCreatedMessage,
  recordForTest,
  TEST_NOW,
} from '../testing/test-jobs.js';
import { contractorJobOperations } from './contractor-job-operations.js';
import { listContractorJobs } from './contractor-job.js';
import { database } from '../testing/file-database.js';

/** A sales company and an installer company without any jobs. */
async function newBoundary() {
  return {
    sellingCompanyId: await insertCompany(database, 'SALES'),
    installerCompanyId: await insertCompany(database, 'INSTALLER'),
  };
}

async function listedIds(
  boundary: { readonly sellingCompanyId: string; readonly installerCompanyId: string },
  limit = 200,
): Promise<readonly string[]> {
  return (await listContractorJobs(database, { ...boundary, limit })).jobs.map(({ id }) => id);
}

/** Sets when a job was last updated, in seconds after the tests' time. */
async function update(jobId: string, seconds: number): Promise<void> {
  await database.query('update jobs set last_updated_at = $2 where id = $1', [
    jobId,
    new Date(TEST_NOW.getTime() + seconds * 1_000),
  ]);
}

async function insertUnassignedJob(sellingCompanyId: string): Promise<void> {
  const message = jobCreatedMessage({ jobId: newId('job'), sellingCompanyId });
  await database.transaction((tx) => recordForTest(tx, message, TEST_NOW));
}

describe('the list of sold jobs', () => {
  test('shows only the fields of the specification', async () => {
    const boundary = await newBoundary();
    const jobId = await insertAssignedJob(database, boundary.sellingCompanyId, boundary.installerCompanyId);
    const { jobs } = await listContractorJobs(database, { ...boundary, limit: 1 });
    expect(jobs[0]).toEqual({
      id: jobId,
      workOrderNo: 'WO-1',
      address: '12 Maple Street',
      city: 'Boulder',
      state: 'CO',
      zip: '80302',
      stage: 'SOLD',
      installerNote: null,
      lastUpdated: TEST_NOW.toISOString(),
    });
  });

  test('ends at the boundary: it excludes another seller’s, another installer’s and unassigned jobs', async () => {
    const [boundary, other] = [await newBoundary(), await newBoundary()];
    const { sellingCompanyId, installerCompanyId } = boundary;
    const jobId = await insertAssignedJob(database, sellingCompanyId, installerCompanyId);
    const soldByOther = await insertAssignedJob(database, other.sellingCompanyId, installerCompanyId);
    const doneByOther = await insertAssignedJob(database, sellingCompanyId, other.installerCompanyId);
    await insertUnassignedJob(sellingCompanyId);
    expect(await listedIds(boundary)).toEqual([jobId]);
    expect(await listedIds({ ...boundary, sellingCompanyId: other.sellingCompanyId })).toEqual([soldByOther]);
    expect(await listedIds({ ...boundary, installerCompanyId: other.installerCompanyId })).toEqual([
      doneByOther,
    ]);
    expect(await listedIds(other)).toEqual([]);
  });

  test('is ordered by last update, newest first, then by creation [CONTRACTOR-2]', async () => {
    const boundary = await newBoundary();
    const ids: string[] = [];
    for (const seconds of [20, 0, 30, 20, 10]) {
      const jobId = await insertAssignedJob(database, boundary.sellingCompanyId, boundary.installerCompanyId);
      await update(jobId, seconds);
      ids.push(jobId);
    }
    const [second, fifth, first, alsoSecond, fourth] = ids;
    expect(await listedIds(boundary)).toEqual([first, alsoSecond, second, fourth, fifth]);
    expect(await listedIds(boundary, 2)).toEqual([first, alsoSecond]);
    invariant(fifth, 'there are five jobs');
    await update(fifth, 40);
    expect(await listedIds(boundary, 1)).toEqual([fifth]);
  });
});

describe('the operation', () => {
  async function listed(boundary: Parameters<typeof contractorKey>[0], take: string) {
    const deps = { database, clock: () => TEST_NOW, logger: silentLogger };
    const operations = inProcessOperations({
      implementations: contractorJobOperations(deps),
      callers: ['key'],
    });
    const call = { caller: contractorKey(boundary), query: { take } };
    const { json } = await operations.call(listContractorJobsOperation, call);
    return contractorJobsResponse.parse(JSON.parse(json)).jobs;
  }

  test('returns at most the requested number of jobs, at most 200', async () => {
    const boundary = await newBoundary();
    for (let count = 0; count < 3; count += 1) {
      await insertAssignedJob(database, boundary.sellingCompanyId, boundary.installerCompanyId);
    }
    for (const [take, given] of [
      ['1', 1],
      ['2', 2],
      ['200', 3],
    ] as const) {
      expect(await listed(boundary, take)).toHaveLength(given);
    }
    await expect(listed(boundary, '201')).rejects.toMatchObject({ reason: 'invalid_argument' });
  });

  test('shows a missing work order number and missing notes as null [CONTRACTOR-1]', async () => {
    const boundary = await newBoundary();
    const jobId = await insertAssignedJob(database, boundary.sellingCompanyId, boundary.installerCompanyId);
    await database.query(
      `update jobs set work_order_no = null, status = 'BLOCKED', blocker_code = 'PERMIT' where id = $1`,
      [jobId],
    );
    expect(await listed(boundary, '1')).toMatchObject([
      { id: jobId, workOrderNo: null, stage: 'BLOCKED', installerNote: null },
    ]);
  });
});
