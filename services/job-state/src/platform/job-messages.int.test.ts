import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  DocumentCategory,
  JobCancelledSchema,
  JobCompletionAcceptedSchema,
  JobDocumentAvailableSchema,
  JobReadinessChangedSchema,
  JobScheduledSchema,
  JobScheduleStatus,
  JobScopeChangedSchema,
  JobUnassignedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import { installerJob, type InstallerJob } from '@partner/proto-contracts/resources/job/job';
import type { ReportableStatus } from '@partner/proto-contracts/resources/job/job-status-moves';
import { webhookEnvelope } from '@partner/proto-contracts/events/webhook-events';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { newId } from '@partner/kernel/ids';
import { silentLogger } from '@partner/kernel/logger';
import { eventually } from '@partner/test-kit/eventually';
import { Registry } from 'prom-client';
import { appendJobNote } from '../contractor-jobs/append-job-note.js';
import { listContractorJobs } from '../contractor-jobs/list-contractor-jobs.js';
import type { Database } from '../database/database.js';
import { readFeed } from '../jobs/feed.js';
import { getJob } from '../jobs/get-job.js';
import { recordStatusEvent } from '../jobs/record-status-event.js';
import { replaceAssignments } from '../jobs/replace-assignments.js';
import { setSchedule } from '../jobs/set-schedule.js';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import {
  binding,
  insertAssignedJob,
  insertCompany,
  jobAssignedMessage,
  jobCreatedMessage,
  platformMessage,
  TEST_NOW,
} from '../testing/test-jobs.js';
import { createPlatformMessageHandler } from './handle-platform-message.js';

let testDatabase: TestDatabase;
let database: Database;
let seller: string;
let one: string;
let two: string;
let handle: ReturnType<typeof createPlatformMessageHandler>;
const writing = () => ({ database, clock: () => TEST_NOW, logger: silentLogger });

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  ({ database } = testDatabase);
  seller = await insertCompany(database, 'SALES');
  one = await insertCompany(database, 'INSTALLER');
  two = await insertCompany(database, 'INSTALLER');
  handle = createPlatformMessageHandler({ ...writing(), metrics: new Registry() });
});

afterAll(() => testDatabase.drop());

/** The instant of the platform's messages. */
const HAPPENED = new Date('2026-10-01T09:30:00.000Z');
const STARTS = new Date('2026-10-05T14:00:00.000Z');
const ENDS = new Date('2026-10-05T18:00:00.000Z');
const occurredAt = timestampFromDate(HAPPENED);
const DONE = { kind: 'done' };
const dead = (reason: string) => ({ kind: 'dead', reason: expect.stringContaining(reason) });

const assigned = (jobId: string, installerCompanyId: string, version: number) =>
  jobAssignedMessage({ jobId, installerCompanyId, version });
const unassigned = (jobId: string, version: number) =>
  platformMessage(JobUnassignedSchema, { jobId, version, occurredAt });
const cancelled = (jobId: string, version: number) =>
  platformMessage(JobCancelledSchema, { jobId, version, occurredAt });
const scoped = (jobId: string, version: number, scopeVersion: number) =>
  platformMessage(JobScopeChangedSchema, {
    jobId,
    version,
    occurredAt,
    scope: { packageName: `Package ${scopeVersion}`, systemType: 'HVAC', scopeVersion },
  });
const readiness = (jobId: string, version: number, ...blockerCodes: string[]) =>
  platformMessage(JobReadinessChangedSchema, {
    jobId,
    version,
    occurredAt,
    ready: blockerCodes.length === 0,
    blockerCodes,
  });
const scheduled = (jobId: string, version: number, hours = 0, happened = HAPPENED) =>
  platformMessage(JobScheduledSchema, {
    jobId,
    version,
    occurredAt: timestampFromDate(happened),
    status: JobScheduleStatus.CONFIRMED,
    startsAt: timestampFromDate(new Date(STARTS.getTime() + hours * 3_600_000)),
    endsAt: timestampFromDate(new Date(ENDS.getTime() + hours * 3_600_000)),
    timeZone: 'America/Denver',
  });
const calledOff = (jobId: string, version: number) =>
  platformMessage(JobScheduledSchema, {
    jobId,
    version,
    occurredAt,
    status: JobScheduleStatus.CANCELLED,
    timeZone: 'America/Denver',
  });
const documented = (
  jobId: string,
  version: number,
  documentId: string,
  category = DocumentCategory.PERMIT,
  mime = 'application/pdf',
) => platformMessage(JobDocumentAvailableSchema, { jobId, version, occurredAt, documentId, category, mime });
const accepted = (jobId: string, version: number) =>
  platformMessage(JobCompletionAcceptedSchema, { jobId, version, occurredAt });

async function deliver(...messages: readonly IncomingMessage[]): Promise<void> {
  for (const message of messages) expect(await handle(message)).toEqual(DONE);
}

/** Repeats a message: under the same message id and under another one. */
async function deliverAgain(...messages: readonly IncomingMessage[]): Promise<void> {
  for (const message of messages) {
    await deliver({ ...message, redelivered: true }, { ...message, messageId: newId('evt') });
  }
}

const newJob = () => insertAssignedJob(database, seller, one);

async function newUnassignedJob(): Promise<string> {
  const jobId = newId('job');
  await deliver(jobCreatedMessage({ jobId, sellingCompanyId: seller }));
  return jobId;
}

async function shown(jobId: string, companyId = one): Promise<InstallerJob> {
  return installerJob.parse(JSON.parse(await getJob({ database }, { companyId, jobId })));
}

async function feedOf(jobId: string, companyId = one): Promise<readonly number[]> {
  const { entries } = await readFeed(database, { companyId, afterSequence: '0', limit: 1_000 });
  const jobs = entries.map(({ resource }) => installerJob.parse(JSON.parse(resource)));
  expect(jobs.filter(({ id }) => id === jobId).at(-1)).toEqual(await shown(jobId, companyId));
  return jobs.filter(({ id }) => id === jobId).map(({ version }) => version);
}

/** The notes on a job that the seller's keys for an installer company read. */
async function notesOf(jobId: string, installerCompanyId: string): Promise<string | null | undefined> {
  const boundary = { sellingCompanyId: seller, installerCompanyId, limit: 200 };
  const { jobs } = await listContractorJobs(database, boundary);
  return jobs.find(({ id }) => id === jobId)?.installerNote;
}

async function eventsOf(jobId: string, companyId = one) {
  const rows = await database.query<{ body: Buffer }>(
    'select body from events where resource_id = $1 and company_id = $2 order by id',
    [jobId, companyId],
  );
  return rows
    .map(({ body }) => webhookEnvelope.parse(JSON.parse(body.toString())))
    .map(({ event, occurredAt: at, resource, data }) => ({ event, at, version: resource.version, data }))
    .slice(0);
}

const namesOf = async (jobId: string, companyId = one) =>
  (await eventsOf(jobId, companyId)).map(({ event, version }) => `${event} ${version}`);

async function report(jobId: string, status: ReportableStatus, expectedVersion: number): Promise<void> {
  const blockerCode = status === 'BLOCKED' ? 'PERMIT' : null;
  await recordStatusEvent(writing(), {
    companyId: one,
    jobId,
    binding: binding(newId('evt')),
    status,
    blockerCode,
    occurredAt: TEST_NOW,
    note: null,
    expectedVersion,
    timeoutMs: undefined,
  });
}

/** Sets a schedule as the company, at `TEST_NOW`. */
async function setTentative(jobId: string, expectedVersion: number): Promise<void> {
  await setSchedule(writing(), {
    companyId: one,
    jobId,
    binding: binding(newId('evt')),
    submitted: { status: 'TENTATIVE', startsAt: STARTS, endsAt: ENDS, timeZone: 'America/Denver' },
    expectedVersion,
    timeoutMs: undefined,
  });
}

/** A job that its company has completed at `TEST_NOW`. */
async function completedJob(): Promise<string> {
  const jobId = await newJob();
  const statuses = ['ACKNOWLEDGED', 'EN_ROUTE', 'ON_SITE', 'IN_PROGRESS', 'COMPLETE'] as const;
  for (const [index, status] of statuses.entries()) await report(jobId, status, index + 1);
  return jobId;
}

describe('a job that is removed from its company', () => {
  test('is invisible to it, and starts afresh with the next company, also the same one [PLATFORM-9, PLATFORM-11]', async () => {
    const jobId = await newJob();
    await report(jobId, 'ACKNOWLEDGED', 1);
    await deliver(unassigned(jobId, 3));
    await expect(shown(jobId)).rejects.toMatchObject({ reason: 'not_found' });
    expect(
      (await readFeed(database, { companyId: one, afterSequence: '0', limit: 1_000 })).entries.filter(
        ({ resource }) => resource.includes(jobId),
      ),
    ).toEqual([]);
    expect((await namesOf(jobId)).at(-1)).toBe('install.job_unassigned 3');

    await deliverAgain(unassigned(jobId, 3));
    await deliver(assigned(jobId, one, 4));
    expect(await shown(jobId)).toMatchObject({ version: 4, status: 'ASSIGNED' });
    expect(await feedOf(jobId)).toEqual([4]);
    expect((await namesOf(jobId)).slice(-2)).toEqual(['install.job_unassigned 3', 'install.job_assigned 4']);
  });

  test('shows the notes of its company to no other one [CONTRACTOR-4]', async () => {
    const jobId = await newJob();
    const left = { sellingCompanyId: seller, jobId, binding: undefined, timeoutMs: undefined };
    await appendJobNote(writing(), { ...left, installerCompanyId: one, note: 'Gate code 1234' });
    // Another company cannot see the notes.
    await deliver(assigned(jobId, one, 3), readiness(jobId, 4, 'PERMIT'));
    expect(await notesOf(jobId, one)).toBe('Gate code 1234');
    await deliver(assigned(jobId, two, 5));
    expect(await notesOf(jobId, two)).toBeNull();
    await appendJobNote(writing(), { ...left, installerCompanyId: two, note: 'Nobody there' });
    await deliver(unassigned(jobId, 6), assigned(jobId, one, 7));
    expect(await notesOf(jobId, one)).toBeNull();
  });

  test('and returned keeps what its company has written if the later message comes first [PLATFORM-2]', async () => {
    const [inOrder, swapped] = [await newJob(), await newJob()];
    for (const jobId of [inOrder, swapped]) await report(jobId, 'ACKNOWLEDGED', 1);
    await deliver(assigned(inOrder, two, 3), assigned(inOrder, one, 4));
    expect(await shown(inOrder)).toMatchObject({ version: 4, status: 'ASSIGNED' });
    await deliver(assigned(swapped, one, 4), assigned(swapped, two, 3));
    expect(await shown(swapped)).toMatchObject({ version: 2, status: 'ACKNOWLEDGED' });
    expect(await namesOf(swapped, two)).toEqual([]);
  });

  test('stays unassigned if the older assignment is late [PLATFORM-2]', async () => {
    const jobId = await newUnassignedJob();
    await deliver(unassigned(jobId, 3), assigned(jobId, one, 2));
    await expect(shown(jobId)).rejects.toMatchObject({ reason: 'not_found' });
    expect(await namesOf(jobId)).toEqual([]);
    await deliver(assigned(jobId, two, 4));
    expect(await shown(jobId, two)).toMatchObject({ version: 1 });
  });

  test('is refused while it is completed [PLATFORM-13]', async () => {
    const jobId = await newJob();
    await database.query(`update jobs set status = 'COMPLETE' where id = $1`, [jobId]);
    expect(await handle(unassigned(jobId, 3))).toEqual(dead('is COMPLETE and can no longer be reassigned'));
  });
});

describe('a cancellation', () => {
  test('is shown, published and kept in the history, once [PLATFORM-12, STATUS-5]', async () => {
    const jobId = await newJob();
    await report(jobId, 'BLOCKED', 1);
    const message = cancelled(jobId, 5);
    await deliver(message);
    await deliverAgain(message);
    await deliver(cancelled(jobId, 6));
    expect(await shown(jobId)).toMatchObject({ version: 3, status: 'CANCELLED', readiness: { ready: true } });
    expect(await feedOf(jobId)).toEqual([1, 2, 3]);
    expect((await eventsOf(jobId)).slice(3)).toMatchObject([
      { event: 'install.job_cancelled', version: 3, data: { jobId, previousStatus: 'BLOCKED' } },
      {
        event: 'install.status_changed',
        version: 3,
        data: {
          jobId,
          previousStatus: 'BLOCKED',
          status: 'CANCELLED',
          occurredAt: HAPPENED.toISOString(),
          note: null,
          blockerCode: null,
        },
      },
      { event: 'install.readiness_changed', version: 3 },
    ]);
    expect(
      await database.query(
        'select company_id, previous_status, occurred_at, recorded_at from job_status_events where job_id = $1 and status = $2',
        [jobId, 'CANCELLED'],
      ),
    ).toEqual([
      { company_id: seller, previous_status: 'BLOCKED', occurred_at: HAPPENED, recorded_at: TEST_NOW },
    ]);
  });

  test('that an older version of this service recorded without its time has the same effect', async () => {
    const jobId = await newJob();
    await deliver(cancelled(jobId, 5));
    await database.query(
      `update jobs set platform_state = platform_state #- '{cancelled,occurredAt}' where id = $1`,
      [jobId],
    );
    await deliver(readiness(jobId, 6, 'PERMIT'), assigned(jobId, two, 4));
    expect(await shown(jobId, two)).toMatchObject({ status: 'CANCELLED', readiness: { ready: false } });
    const events = await eventsOf(jobId, two);
    expect(events.at(-1)).toMatchObject({ event: 'install.status_changed', data: { status: 'CANCELLED' } });
  });

  test('of a completed job is refused [PLATFORM-13]', async () => {
    const jobId = await newJob();
    await database.query(`update jobs set status = 'COMPLETE' where id = $1`, [jobId]);
    expect(await handle(cancelled(jobId, 3))).toEqual(dead('is COMPLETE and cannot be cancelled'));
  });

  test('that arrives before the assignment: the company gets the job as cancelled', async () => {
    const jobId = await newUnassignedJob();
    await deliver(cancelled(jobId, 3));
    expect(
      await database.query('select version, status from job_status_events where job_id = $1', [jobId]),
    ).toEqual([{ version: 1, status: 'CANCELLED' }]);
    await deliver(assigned(jobId, one, 2));
    expect(await shown(jobId)).toMatchObject({ version: 1, status: 'CANCELLED' });
    expect(await eventsOf(jobId)).toMatchObject([
      { event: 'install.job_assigned', version: 1, data: { jobId, status: 'CANCELLED' } },
      { event: 'install.job_cancelled', version: 1, data: { jobId, previousStatus: 'ASSIGNED' } },
      {
        event: 'install.status_changed',
        version: 1,
        data: { previousStatus: 'ASSIGNED', status: 'CANCELLED', occurredAt: HAPPENED.toISOString() },
      },
    ]);
    expect(await feedOf(jobId)).toEqual([1]);
  });

  test('that arrives after a contradicting message leaves the job to the company that has it [PLATFORM-2]', async () => {
    const jobId = await newJob();
    await deliver(assigned(jobId, two, 9), scheduled(jobId, 10), cancelled(jobId, 5));
    expect(await shown(jobId, two)).toMatchObject({ status: 'CANCELLED', schedule: { status: 'CONFIRMED' } });
  });

  test('is final for later messages: older messages still count, newer assignments and schedules are refused [PLATFORM-2, PLATFORM-13]', async () => {
    const jobId = await newJob();
    await deliver(cancelled(jobId, 9));
    expect(await handle(assigned(jobId, two, 10))).toEqual(dead('is CANCELLED'));
    expect(await handle(unassigned(jobId, 10))).toEqual(dead('is CANCELLED'));
    expect(await handle(scheduled(jobId, 10))).toEqual(dead('is CANCELLED'));
    await deliver(assigned(jobId, two, 4), scheduled(jobId, 8));
    expect(await shown(jobId, two)).toMatchObject({ status: 'CANCELLED', schedule: { status: 'CONFIRMED' } });
  });
});

describe('another scope', () => {
  test('is shown, and must be acknowledged with the version that shows it [JOB-3, PLATFORM-8]', async () => {
    const jobId = await newJob();
    await report(jobId, 'ACKNOWLEDGED', 1);
    const message = scoped(jobId, 3, 2);
    await deliver(message);
    await deliverAgain(message);
    expect(await shown(jobId)).toMatchObject({
      version: 3,
      status: 'ACKNOWLEDGED',
      scope: { packageName: 'Package 2', scopeVersion: 2, equipment: [] },
    });
    expect(await feedOf(jobId)).toEqual([1, 2, 3]);
    expect((await eventsOf(jobId)).slice(2)).toMatchObject([
      {
        event: 'install.scope_acknowledgement_required',
        version: 3,
        data: { jobId, scopeVersion: 2, previousScopeVersion: 1 },
      },
    ]);
    await expect(report(jobId, 'EN_ROUTE', 2)).rejects.toMatchObject({ reason: 'stale_version' });
    await report(jobId, 'EN_ROUTE', 3);
  });

  test('that is late changes nothing, and one whose number does not increase is refused [PLATFORM-2]', async () => {
    const jobId = await newJob();
    await deliver(scoped(jobId, 5, 4), scoped(jobId, 3, 2));
    expect(await shown(jobId)).toMatchObject({ version: 2, scope: { scopeVersion: 4 } });
    expect(await handle(scoped(jobId, 6, 4))).toEqual(dead('scope 4 of job'));
  });

  test('of a closed job is published to no company [PLATFORM-13]', async () => {
    const jobId = await newJob();
    await deliver(cancelled(jobId, 4), scoped(jobId, 3, 2));
    expect(await shown(jobId)).toMatchObject({ version: 3, scope: { scopeVersion: 2 } });
    expect(await namesOf(jobId)).toEqual([
      'install.job_assigned 1',
      'install.job_cancelled 2',
      'install.status_changed 2',
    ]);
  });
});

describe('another readiness', () => {
  test('is shown and published if it differs from the current one [JOB-3, PLATFORM-7]', async () => {
    const jobId = await newJob();
    const message = readiness(jobId, 3, 'PERMIT');
    await deliver(readiness(jobId, 4, 'WEATHER', 'PERMIT'), message);
    await deliverAgain(message);
    await deliver(readiness(jobId, 5, 'WEATHER', 'PERMIT'), readiness(jobId, 6));
    expect(await shown(jobId)).toMatchObject({ version: 3, readiness: { ready: true, blockerCodes: [] } });
    expect(await feedOf(jobId)).toEqual([1, 2, 3]);
    expect((await eventsOf(jobId)).slice(1)).toMatchObject([
      {
        event: 'install.readiness_changed',
        version: 2,
        data: { ready: false, blockerCodes: ['WEATHER', 'PERMIT'] },
      },
      { event: 'install.readiness_changed', version: 3, data: { ready: true, blockerCodes: [] } },
    ]);
  });

  test('is shown together with the blocker of the installer company', async () => {
    const jobId = await newJob();
    await report(jobId, 'BLOCKED', 1);
    await deliver(readiness(jobId, 3, 'PERMIT'));
    expect(await shown(jobId)).toMatchObject({
      version: 2,
      readiness: { ready: false, blockerCodes: ['PERMIT'] },
    });
    await report(jobId, 'ACKNOWLEDGED', 2);
    expect(await shown(jobId)).toMatchObject({ readiness: { ready: false, blockerCodes: ['PERMIT'] } });
    expect(await namesOf(jobId)).toEqual([
      'install.job_assigned 1',
      'install.status_changed 2',
      'install.readiness_changed 2',
      'install.status_changed 3',
    ]);
  });
});

describe('a schedule of the selling side', () => {
  test('is shown and published if it differs, and can be cancelled [PLATFORM-7]', async () => {
    const jobId = await newJob();
    const message = scheduled(jobId, 4);
    await deliver(message, scheduled(jobId, 3, 2), scheduled(jobId, 5));
    await deliverAgain(message);
    expect(await shown(jobId)).toMatchObject({
      version: 2,
      schedule: {
        status: 'CONFIRMED',
        startsAt: STARTS.toISOString(),
        endsAt: ENDS.toISOString(),
        timeZone: 'America/Denver',
      },
    });
    await deliver(calledOff(jobId, 6), calledOff(jobId, 7));
    expect(await shown(jobId)).toMatchObject({
      version: 3,
      schedule: { status: 'CANCELLED', startsAt: null },
    });
    expect(await feedOf(jobId)).toEqual([1, 2, 3]);
    expect((await eventsOf(jobId)).slice(1)).toMatchObject([
      {
        event: 'install.schedule_changed',
        version: 2,
        data: { changedBy: 'seller', previousStatus: 'UNSCHEDULED', schedule: { status: 'CONFIRMED' } },
      },
      {
        event: 'install.schedule_changed',
        version: 3,
        data: {
          changedBy: 'seller',
          previousStatus: 'CONFIRMED',
          schedule: { status: 'CANCELLED', endsAt: null },
        },
      },
    ]);
  });

  test('of a completed job is refused [PLATFORM-7, PLATFORM-13]', async () => {
    const jobId = await newJob();
    await database.query(`update jobs set status = 'COMPLETE' where id = $1`, [jobId]);
    expect(await handle(scheduled(jobId, 3))).toEqual(dead('which is COMPLETE'));
    const reported = await completedJob();
    expect(await handle(scheduled(reported, 3, 0, new Date(TEST_NOW.getTime() + 1)))).toEqual(
      dead('which is COMPLETE'),
    );
  });

  test('that is late, with the job completed meanwhile, counts as it would have in order [PLATFORM-13]', async () => {
    const jobId = await completedJob();
    const before = await shown(jobId);
    const message = scheduled(jobId, 4, 0, TEST_NOW);
    await deliver(message, scheduled(jobId, 3, 2));
    await deliverAgain(message);
    expect(await shown(jobId)).toMatchObject({
      version: before.version + 1,
      status: 'COMPLETE',
      schedule: { status: 'CONFIRMED', startsAt: STARTS.toISOString() },
    });
    const others = await newUnassignedJob();
    await deliver(assigned(others, one, 5));
    await database.query(`update jobs set status = 'COMPLETE' where id = $1`, [others]);
    await deliver(scheduled(others, 4));
    expect(await shown(others)).toMatchObject({ version: 1, schedule: { status: 'UNSCHEDULED' } });
  });

  test('that waits while the job is completed counts as it would have in order', async () => {
    const [jobId, completed] = [await newJob(), await completedJob()];
    const lateMessage = await database.transaction(async (tx) => {
      await tx.query(`update jobs set status = 'COMPLETE' where id = $1`, [jobId]);
      await tx.query(`update job_status_events set job_id = $1 where job_id = $2`, [jobId, completed]);
      const outcome = handle(scheduled(jobId, 4, 0, TEST_NOW));
      await eventually('the message waits for the job', async () => {
        const waiting = await database.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return waiting.length > 0;
      });
      return { outcome };
    });
    expect(await lateMessage.outcome).toEqual({ kind: 'done' });
    expect(await shown(jobId)).toMatchObject({ status: 'COMPLETE', schedule: { status: 'CONFIRMED' } });
  });

  test('counts only if its company had the job by then, for any order of messages [PLATFORM-10]', async () => {
    const before = await newJob();
    await deliver(assigned(before, two, 5), scheduled(before, 4));
    expect(await shown(before, two)).toMatchObject({ version: 2, schedule: { status: 'UNSCHEDULED' } });
    const after = await newJob();
    await deliver(scheduled(after, 6), assigned(after, two, 5));
    expect(await shown(after, two)).toMatchObject({ version: 3, schedule: { status: 'CONFIRMED' } });
  });

  test("before a late assignment message counts if the job turns out to have been the company's [PLATFORM-10]", async () => {
    const jobId = await newUnassignedJob();
    await deliver(assigned(jobId, one, 4), scheduled(jobId, 3));
    expect(await shown(jobId)).toMatchObject({ schedule: { status: 'UNSCHEDULED' } });
    await deliver(assigned(jobId, one, 2));
    expect(await shown(jobId)).toMatchObject({ version: 2, schedule: { status: 'CONFIRMED' } });
    await setTentative(jobId, 2);
    await deliver({ ...unassigned(jobId, 3) });
    expect(await shown(jobId)).toMatchObject({ version: 3, schedule: { status: 'TENTATIVE' } });
  });

  test('keeps what the company has set after it happened, but not what it has set before [PLATFORM-10]', async () => {
    const jobId = await newJob();
    await setTentative(jobId, 1);
    const before = new Date(TEST_NOW.getTime() - 1);
    await deliver(scheduled(jobId, 3, 0, before));
    expect(await shown(jobId)).toMatchObject({ version: 2, schedule: { status: 'TENTATIVE' } });
    await deliver(scheduled(jobId, 4, 1, TEST_NOW));
    expect(await shown(jobId)).toMatchObject({ version: 3, schedule: { status: 'CONFIRMED' } });
    // The next company has not set a schedule.
    await deliver(assigned(jobId, two, 5), scheduled(jobId, 6, 2, before));
    expect(await shown(jobId, two)).toMatchObject({ version: 5, schedule: { status: 'CONFIRMED' } });
  });
});

describe('a document', () => {
  const document = newId('doc');

  test('is shown and published with the time of the platform, each version once [JOB-1, JOB-3, PLATFORM-2, PLATFORM-14]', async () => {
    const jobId = await newJob();
    const messages = [
      documented(jobId, 4, document, DocumentCategory.PERMIT, 'image/png'),
      documented(jobId, 3, document),
      documented(jobId, 5, newId('doc'), DocumentCategory.CONTRACT_METADATA),
    ];
    await deliver(...messages);
    await deliverAgain(...messages);
    expect(await shown(jobId)).toMatchObject({
      version: 3,
      documents: [
        { id: document, category: 'PERMIT', mime: 'image/png', availableAt: HAPPENED.toISOString() },
        { category: 'CONTRACT_METADATA' },
      ],
    });
    expect(await feedOf(jobId)).toEqual([1, 2, 3]);
    expect((await eventsOf(jobId)).slice(1)).toMatchObject([
      {
        event: 'install.document_available',
        at: HAPPENED.toISOString(),
        version: 2,
        data: { jobId, document: { id: document, category: 'PERMIT', mime: 'image/png' } },
      },
      { event: 'install.document_available', version: 2, data: { document: { mime: 'application/pdf' } } },
    ]);
  });

  test('that arrives while the job is unassigned is shown to the next company, and published if it was the older message', async () => {
    const jobId = await newUnassignedJob();
    await deliver(
      documented(jobId, 3, newId('doc')),
      documented(jobId, 5, document),
      assigned(jobId, one, 4),
    );
    expect((await shown(jobId)).documents).toHaveLength(2);
    expect(await eventsOf(jobId)).toMatchObject([
      { event: 'install.job_assigned', version: 1 },
      { event: 'install.document_available', version: 1, data: { document: { id: document } } },
    ]);
  });
});

describe('an accepted completion', () => {
  test('is published once and does not change the projection', async () => {
    const jobId = await newJob();
    const message = accepted(jobId, 3);
    await deliver(message);
    await deliverAgain(message);
    expect(await shown(jobId)).toMatchObject({ version: 1, status: 'ASSIGNED' });
    expect(await feedOf(jobId)).toEqual([1]);
    expect((await eventsOf(jobId)).slice(1)).toEqual([
      {
        event: 'install.completion_received',
        at: HAPPENED.toISOString(),
        version: 1,
        data: { jobId, acceptedAt: HAPPENED.toISOString() },
      },
    ]);
  });

  test('is published to the company that turns out to have had the job, and to no later one', async () => {
    const jobId = await newUnassignedJob();
    await deliver(accepted(jobId, 3), assigned(jobId, one, 2));
    expect(await namesOf(jobId)).toEqual(['install.job_assigned 1', 'install.completion_received 1']);
    const other = await newUnassignedJob();
    await deliver(accepted(other, 3), assigned(other, one, 4));
    expect(await namesOf(other)).toEqual(['install.job_assigned 1']);
  });

  test('is published to the company that had the job by then, also if another one has it, or none', async () => {
    const jobId = await newJob();
    const message = accepted(jobId, 3);
    await deliver(assigned(jobId, two, 4), message);
    await deliverAgain(message);
    expect((await namesOf(jobId)).at(-1)).toBe('install.completion_received 2');
    expect(await namesOf(jobId, two)).toEqual(['install.job_assigned 2']);
    const left = await newJob();
    await deliver(unassigned(left, 4), accepted(left, 3));
    expect((await namesOf(left)).at(-1)).toBe('install.completion_received 2');
  });

  test('is published to another company once that turns out to have had the job by then', async () => {
    const jobId = await newJob();
    await deliver(accepted(jobId, 5), assigned(jobId, two, 4));
    await deliverAgain(assigned(jobId, two, 4));
    expect(await namesOf(jobId, two)).toEqual(['install.job_assigned 2', 'install.completion_received 2']);
    expect(await namesOf(jobId)).toEqual([
      'install.job_assigned 1',
      'install.completion_received 1',
      'install.job_unassigned 2',
    ]);
  });
});

describe('a message about a job', () => {
  test.each([
    ['JobUnassigned', (jobId: string) => unassigned(jobId, 3)],
    ['JobCancelled', (jobId: string) => cancelled(jobId, 3)],
    ['JobScopeChanged', (jobId: string) => scoped(jobId, 3, 2)],
    ['JobReadinessChanged', (jobId: string) => readiness(jobId, 3, 'PERMIT')],
    ['JobScheduled', (jobId: string) => scheduled(jobId, 3)],
    ['JobDocumentAvailable', (jobId: string) => documented(jobId, 3, newId('doc'))],
    ['JobCompletionAccepted', (jobId: string) => accepted(jobId, 3)],
  ])('%s waits for the job', async (_name, message) => {
    const jobId = newId('job');
    const early = message(jobId);
    await deliver(early);
    expect(
      await database.query('select prerequisite_id from inbox where message_id = $1', [early.messageId]),
    ).toEqual([{ prerequisite_id: jobId }]);
    await deliver(jobCreatedMessage({ jobId, sellingCompanyId: seller }));
    expect(
      await database.query(
        'select prerequisite_id, settled_at is not null as settled from inbox where message_id = $1',
        [early.messageId],
      ),
    ).toEqual([{ prerequisite_id: null, settled: true }]);
  });

  test("leaves the installer company's own fields unchanged", async () => {
    const jobId = await newJob();
    const membershipId = newId('mem');
    await database.query(
      `insert into memberships (id, company_id, role, display_name) values ($1, $2, 'TECHNICIAN', 'Sam Reyes')`,
      [membershipId, one],
    );
    await replaceAssignments(writing(), {
      companyId: one,
      jobId,
      binding: binding(newId('evt')),
      membershipIds: [membershipId],
      expectedVersion: 1,
      timeoutMs: undefined,
    });
    await report(jobId, 'BLOCKED', 2);
    await deliver(scoped(jobId, 3, 2), scheduled(jobId, 4), documented(jobId, 5, newId('doc')));
    expect(await shown(jobId)).toMatchObject({
      version: 6,
      status: 'BLOCKED',
      readiness: { ready: false, blockerCodes: ['PERMIT'] },
      technicianAssignments: [{ membershipId }],
    });
  });

  test('is refused after 1,000 assignments, documents or completions of it; repeated ones stay harmless', async () => {
    const jobId = await newJob();
    const document = newId('doc');
    await database.query(
      `update jobs set platform_state = platform_state || (
         select jsonb_build_object(
           'assignments', jsonb_agg(jsonb_build_object('version', n, 'companyId', $2::text)),
           'documents', jsonb_agg(jsonb_build_object('id', $3::text, 'version', n, 'category', 'PERMIT',
             'mime', 'text/plain', 'availableAt', '2026-10-01T00:00:00.000Z', 'isNotified', true)),
           'completions', jsonb_agg(jsonb_build_object('version', n, 'acceptedAt', '2026-10-01T00:00:00.000Z', 'isNotified', true))
         ) from generate_series(2, 1001) as n
       ) where id = $1`,
      [jobId, one, document],
    );
    expect(await handle(assigned(jobId, one, 2_000))).toEqual(dead('has 1000 assignments already'));
    expect(await handle(documented(jobId, 2_000, document))).toEqual(
      dead('has 1000 versions of documents already'),
    );
    expect(await handle(accepted(jobId, 2_000))).toEqual(dead('has 1000 accepted completions already'));
    await deliver(assigned(jobId, one, 500), documented(jobId, 500, document), accepted(jobId, 500));
  });

  test('shows a new name of the selling company with the job’s next change, not before [PLATFORM-15]', async () => {
    const jobId = await newJob();
    const { company } = await shown(jobId);
    await database.query('update companies set name = $2 where id = $1', [seller, 'A new name']);
    await deliver(accepted(jobId, 3));
    expect((await shown(jobId)).company).toEqual(company);
    await deliver(scheduled(jobId, 4));
    expect(await shown(jobId)).toMatchObject({ version: 2, company: { id: seller, name: 'A new name' } });
  });
});
