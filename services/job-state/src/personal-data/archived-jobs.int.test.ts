import { beforeAll, describe, expect, test } from '@jest/globals';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { newId } from '@partner/kernel/process/ids';
import { readFeed } from '../jobs/feed.js';
import { lockJob } from '../jobs/job-record.js';
import { listAssignedJobs } from '../jobs/list-job-feed.js';
import { getOperatorJob } from '../operator/get-job.js';
import { sent } from '../platform/testing/messages.js';
import { archiveJobs } from '../retention/archive-jobs.js';
import { makePartitionsAhead } from '../retention/run-retention.js';
import { holdTransaction } from '../testing/hold-transaction.js';
import { untilLockWaits } from '../testing/lock-waits.js';
import { appendJobNote, getJob, listContractorJobs } from '../testing/partner-calls.js';
import { refusalOf } from '../testing/refusal-of.js';
import { binding, jobCreatedMessage, recordForTest, TEST_NOW } from '../testing/test-jobs.js';
import {
  begin,
  deps,
  exported,
  find,
  finish,
  fixture,
  newCustomer,
  placesOf,
  PLACES,
} from './testing/personal-data-fixture.js';

beforeAll(() => makePartitionsAhead(fixture.database, () => new Date()));

/** A customer whose job is complete and archived. `closing`: the write that completed it. */
async function newArchived() {
  const customer = await newCustomer();
  const { jobId } = customer;
  await fixture.record({ jobId, expectedVersion: 2, status: 'ON_SITE' });
  await fixture.record({ jobId, expectedVersion: 3, status: 'IN_PROGRESS' });
  const closing = {
    ...{ jobId, expectedVersion: 4, status: 'COMPLETE', note: 'done' },
    binding: binding(newId('evt'), `POST /partner/v1/jobs/${jobId}/status-events`),
  } as const;
  const closed = await fixture.record(closing);
  const before = await seen(customer);
  await archive();
  expect(await isArchived(jobId)).toBe(true);
  return { ...customer, closing, closed, before };
}

const archive = () =>
  archiveJobs(fixture.database, { closedBefore: new Date('2100-01-01'), now: new Date(), limit: 100 });

/** Whether the job and its history are in the archive; throws if they are apart. */
async function isArchived(jobId: string): Promise<boolean> {
  const rows = await fixture.database.query<{ archived: boolean }>(
    `select archived_at < 'infinity' as archived from jobs where id = $1
     union select archived_at < 'infinity' from job_status_events where job_id = $1`,
    [jobId],
  );
  expect(rows).toHaveLength(1);
  return rows[0]?.archived === true;
}

/** What everyone reads about a job. */
async function seen({ jobId, email }: { readonly jobId: string; readonly email: string }) {
  const { database, installer, seller } = fixture;
  const page = { companyId: installer, afterJobId: undefined, limit: 100 };
  const snapshot = await listAssignedJobs(database, page);
  const key = { companyId: seller, installerCompanyId: installer };
  const listed = await listContractorJobs({ database }, { ...key, take: 100 });
  return {
    job: await getJob(database, installer, jobId),
    snapshot: snapshot.jobs.filter((job) => job.jobId === jobId),
    places: listed.jobs.findIndex(({ id }) => id === jobId),
    contractors: listed.jobs.find(({ id }) => id === jobId),
    operators: await getOperatorJob(database, jobId),
    found: await find({ email }),
    exported: await exported({ id: jobId }),
  };
}

const said = (message: IncomingMessage) =>
  fixture.database.transaction((tx) => recordForTest(tx, message, TEST_NOW));

const note = (jobId: string, text: string, on = fixture.database) =>
  appendJobNote(
    { ...deps, database: on },
    {
      ...{ companyId: fixture.seller, installerCompanyId: fixture.installer, jobId, note: text },
      binding: binding(newId('evt'), `POST /inbound/jobs/${jobId}/status`),
    },
  );

describe('an archived job [JOB-6]', () => {
  test('is read as before: by id, in the snapshot, by the contractor and the operator, in a search and an export', async () => {
    const { before, ...customer } = await newArchived();
    expect(before.snapshot).toHaveLength(1);
    expect(before.contractors).toBeDefined();
    expect(before.operators.history).toHaveLength(4);
    expect(await seen(customer)).toEqual(before);
    expect(await isArchived(customer.jobId)).toBe(true);
    const foreign = getJob(fixture.database, fixture.otherInstaller, customer.jobId);
    expect((await refusalOf(foreign)).reason).toBe('not_found');
  });

  test('refuses a late status event with what it is, repeats the outcome of a key, and is archived again', async () => {
    const { jobId, closing, closed, before, email } = await newArchived();
    const late = fixture.record({ jobId, expectedVersion: 5, status: 'BLOCKED', blockerCode: 'PERMIT' });
    expect(await refusalOf(late)).toMatchObject({
      reason: 'transition_not_allowed',
      attributes: { currentStatus: 'COMPLETE' },
    });
    const repeated = { ...closed.idempotency, replayed: true };
    expect(await fixture.record(closing)).toEqual({ ...closed, idempotency: repeated });
    expect(await isArchived(jobId)).toBe(false);
    await archive();
    expect(await isArchived(jobId)).toBe(true);
    expect(await seen({ jobId, email })).toEqual(before);
  });

  test('stays where it is for another company, and is unknown to it', async () => {
    const { jobId } = await newArchived();
    const foreign = fixture.record({ jobId, expectedVersion: 5, companyId: fixture.otherInstaller });
    expect((await refusalOf(foreign)).reason).toBe('not_found');
    expect(await isArchived(jobId)).toBe(true);
  });

  test('comes back with its history for a note, once for two at the same time', async () => {
    const { jobId, word, before } = await newArchived();
    const holder = await holdTransaction(fixture.database, (tx) => lockJob(tx, jobId));
    const waiting = refusalOf(note(jobId, 'first'));
    await untilLockWaits(fixture.database);
    await holder.release();
    const message = expect.stringContaining('the resource is busy');
    expect(await waiting).toMatchObject({ reason: 'unavailable', message });
    await note(jobId, 'second');
    expect(await isArchived(jobId)).toBe(false);
    const key = { companyId: fixture.seller, installerCompanyId: fixture.installer };
    const listed = await listContractorJobs(deps, { ...key, take: 1 });
    expect(listed.jobs).toMatchObject([{ id: jobId, installerNote: `call ${word}\nsecond` }]);
    expect((await getOperatorJob(fixture.database, jobId)).history).toEqual(before.operators.history);
  });

  test('is found by a transaction that has not seen it open and does not see it archived', async () => {
    const { jobId } = await newArchived();
    const found = await fixture.database.transaction((tx) =>
      lockJob(
        {
          ...tx,
          async query(statement, values) {
            if (typeof statement === 'object' && statement.name === 'bring-back-job') {
              await fixture.database.transaction((other) => lockJob(other, jobId));
            }
            return tx.query(statement, values);
          },
        },
        jobId,
      ),
    );
    expect(found?.id).toBe(jobId);
  });

  test('that is cancelled leaves the company for an earlier unassignment that arrives late', async () => {
    const { jobId } = await newCustomer();
    await said(sent.jobCancelled({ jobId, version: 9 }));
    await archive();
    expect(await isArchived(jobId)).toBe(true);
    await said(sent.jobUnassigned({ jobId, version: 5 }));
    const events = await fixture.eventsOf(jobId);
    expect(events.map(({ event }) => event)).toContain('install.job_unassigned');
    const read = getJob(fixture.database, fixture.installer, jobId);
    expect((await refusalOf(read)).reason).toBe('not_found');
    const page = { companyId: fixture.installer, afterSequence: '0', limit: 1_000 };
    const { entries } = await readFeed(fixture.database, page);
    expect(entries.filter(({ resource }) => resource.includes(jobId))).toEqual([]);
    expect(await archive()).toBe(1);
  });

  test('is known to the platform: it is not created again, not unassigned, and its acceptance is announced', async () => {
    const { jobId } = await newArchived();
    const created = jobCreatedMessage({ jobId, sellingCompanyId: fixture.seller });
    expect(await said(created)).toEqual({ kind: 'ignored', why: 'the job already exists' });
    expect(await isArchived(jobId)).toBe(true);

    const reason = expect.stringContaining('is COMPLETE and can no longer be reassigned');
    expect(await said(sent.jobUnassigned({ jobId, version: 9 }))).toEqual({ kind: 'refused', reason });
    await archive();
    await said(sent.jobCompletionAccepted({ jobId, version: 9 }));
    const events = await fixture.eventsOf(jobId);
    expect(events.map(({ event }) => event)).toContain('install.completion_received');
    expect(await isArchived(jobId)).toBe(false);
  });

  test('is erased with its customer, as a new version for the installer', async () => {
    const { jobId, word, projectId } = await newArchived();
    expect(await placesOf(word)).toEqual(PLACES);
    await begin({ id: projectId });
    await finish();
    expect(await placesOf(word)).toEqual([]);
    const job: unknown = JSON.parse(await getJob(fixture.database, fixture.installer, jobId));
    expect(job).toMatchObject({ version: 6, redacted: true });
  });
});
