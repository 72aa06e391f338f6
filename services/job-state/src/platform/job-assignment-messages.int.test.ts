import { describe, expect, test } from '@jest/globals';
import { JOB_FIELDS } from '@partner/proto-contracts/resources/job/job-fields';
import { appendJobNote } from '../testing/partner-calls.js';
import { readFeed } from '../jobs/feed.js';
import { TEST_NOW } from '../testing/test-jobs.js';
import {
  one,
  two,
  HAPPENED,
  dead,
  assigned,
  unassigned,
  cancelled,
  readiness,
  scheduled,
  deliver,
  deliverAgain,
  newJob,
  newUnassignedJob,
  shown,
  feedOf,
  notesOf,
  eventsOf,
  latestChange,
  namesOf,
  report,
} from './testing/job-messages-fixture.js';
import { database, seller, handle, writing } from './testing/platform-fixture.js';

describe('a job that is removed from its company', () => {
  test('is invisible to it, and starts afresh with the next company, also the same one [EVENT-14, PLATFORM-9, PLATFORM-11, TENANT-2]', async () => {
    const jobId = await newJob();
    await report(jobId, 'ACKNOWLEDGED', 1);
    await deliver(unassigned(jobId, 3));
    await expect(shown(jobId)).rejects.toMatchObject({ reason: 'not_found' });
    const { entries } = await readFeed(database, { companyId: one, afterSequence: '0', limit: 1_000 });
    expect(entries.filter(({ resource }) => resource.includes(jobId))).toEqual([]);
    expect((await namesOf(jobId)).at(-1)).toBe('install.job_unassigned 3');
    expect(await latestChange(jobId)).toEqual(JOB_FIELDS);

    await deliverAgain(unassigned(jobId, 3));
    await deliver(assigned(jobId, one, 4));
    expect(await shown(jobId)).toMatchObject({ version: 4, status: 'ASSIGNED' });
    expect(await feedOf(jobId)).toEqual([4]);
    expect((await namesOf(jobId)).slice(-2)).toEqual(['install.job_unassigned 3', 'install.job_assigned 4']);
    expect(await latestChange(jobId)).toEqual(JOB_FIELDS);
    const some = ['status', 'customer.address.zip', 'schedule.startsAt', 'technicianAssignments'];
    expect(JOB_FIELDS).toEqual(expect.arrayContaining(some));
    expect(JOB_FIELDS).not.toContain('updatedAt');
  });

  test('shows the notes of its company to no other one [CONTRACTOR-4]', async () => {
    const jobId = await newJob();
    const left = { companyId: seller, jobId };
    await appendJobNote(writing(), { ...left, installerCompanyId: one, note: 'Gate code 1234' });
    // Another company cannot see the notes.
    await deliver(assigned(jobId, one, 3), readiness(jobId, 4, 'PERMIT'));
    expect(await notesOf(jobId, one)).toBe('Gate code 1234');
    await deliver(assigned(jobId, two, 5));
    expect(await notesOf(jobId, two)).toBeNull();
    await appendJobNote(writing(), { ...left, installerCompanyId: two, note: 'No one at home' });
    await deliver(unassigned(jobId, 6), assigned(jobId, one, 7));
    expect(await notesOf(jobId, one)).toBeNull();
  });

  test('and returned keeps what its company has written if the later message comes first [PLATFORM-2]', async () => {
    const [inOrder, swapped] = [await newJob(), await newJob()];
    for (const jobId of [inOrder, swapped]) await report(jobId, 'BLOCKED', 1);
    await deliver(assigned(inOrder, two, 3));
    await expect(shown(inOrder)).rejects.toMatchObject({ reason: 'not_found' });
    const readiness = { ready: true, blockerCodes: [] };
    expect(await shown(inOrder, two)).toMatchObject({ version: 3, status: 'ASSIGNED', readiness });
    expect(await namesOf(inOrder, two)).toEqual(['install.job_assigned 3']);
    await deliver(assigned(inOrder, one, 4));
    expect(await shown(inOrder)).toMatchObject({ version: 4, status: 'ASSIGNED' });
    await deliver(assigned(swapped, one, 4), assigned(swapped, two, 3));
    expect(await shown(swapped)).toMatchObject({ version: 2, status: 'BLOCKED' });
    expect(await namesOf(swapped, two)).toEqual([]);
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
    const data = {
      ...{ jobId, previousStatus: 'BLOCKED', status: 'CANCELLED' },
      ...{ occurredAt: HAPPENED.toISOString(), note: null, blockerCode: null },
    };
    expect((await eventsOf(jobId)).slice(3)).toMatchObject([
      { event: 'install.job_cancelled', version: 3, data: { jobId, previousStatus: 'BLOCKED' } },
      { event: 'install.status_changed', version: 3, data },
      { event: 'install.readiness_changed', version: 3 },
    ]);
    const history = await database.query(
      `select company_id, previous_status, occurred_at, recorded_at from job_status_events
       where job_id = $1 and status = 'CANCELLED'`,
      [jobId],
    );
    expect(history).toEqual([
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
    expect(await handle(cancelled(jobId, 3))).toEqual(dead('is COMPLETE and cannot be canceled'));
  });

  test('that arrives before the assignment: the company gets the job as cancelled', async () => {
    const jobId = await newUnassignedJob();
    await deliver(cancelled(jobId, 3));
    const history = 'select version, status from job_status_events where job_id = $1';
    expect(await database.query(history, [jobId])).toEqual([{ version: 1, status: 'CANCELLED' }]);
    await deliver(assigned(jobId, one, 2));
    expect(await shown(jobId)).toMatchObject({ version: 1, status: 'CANCELLED' });
    const data = { previousStatus: 'ASSIGNED', status: 'CANCELLED', occurredAt: HAPPENED.toISOString() };
    expect(await eventsOf(jobId)).toMatchObject([
      { event: 'install.job_assigned', version: 1, data: { jobId, status: 'CANCELLED' } },
      { event: 'install.job_cancelled', version: 1, data: { jobId, previousStatus: 'ASSIGNED' } },
      { event: 'install.status_changed', version: 1, data },
    ]);
    expect(await feedOf(jobId)).toEqual([1]);
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
