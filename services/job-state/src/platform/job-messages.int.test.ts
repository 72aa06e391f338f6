import { describe, expect, test } from '@jest/globals';
import { DocumentCategory } from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import { newId } from '@partner/kernel/process/ids';
import { replaceAssignments } from '../testing/partner-calls.js';
import { untilLockWaits } from '../testing/lock-waits.js';
import { binding, insertMember, TEST_NOW } from '../testing/test-jobs.js';
import {
  one,
  two,
  HAPPENED,
  dead,
  assigned,
  unassigned,
  cancelled,
  scoped,
  readiness,
  scheduled,
  documented,
  accepted,
  deliver,
  deliverAgain,
  newJob,
  newUnassignedJob,
  shown,
  feedOf,
  eventsOf,
  namesOf,
  report,
  STARTS,
  ENDS,
  calledOff,
  setTentative,
  completedJob,
} from './testing/job-messages-fixture.js';
import { database, seller, handle, writing } from './testing/platform-fixture.js';

describe('another scope', () => {
  test('is shown, and must be acknowledged with the version that shows it [JOB-3, PLATFORM-8]', async () => {
    const jobId = await newJob();
    await report(jobId, 'ACKNOWLEDGED', 1);
    const message = scoped(jobId, 3, 2);
    await deliver(message);
    await deliverAgain(message);
    const scope = { packageName: 'Package 2', scopeVersion: 2, equipment: [] };
    expect(await shown(jobId)).toMatchObject({ version: 3, status: 'ACKNOWLEDGED', scope });
    expect(await feedOf(jobId)).toEqual([1, 2, 3]);
    const data = { jobId, scopeVersion: 2, previousScopeVersion: 1 };
    expect((await eventsOf(jobId)).slice(2)).toMatchObject([
      { event: 'install.scope_acknowledgement_required', version: 3, data },
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
    const cancellation = ['install.job_cancelled 2', 'install.status_changed 2'];
    expect(await namesOf(jobId)).toEqual(['install.job_assigned 1', ...cancellation]);
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
    const event = 'install.readiness_changed';
    expect((await eventsOf(jobId)).slice(1)).toMatchObject([
      { event, version: 2, data: { ready: false, blockerCodes: ['WEATHER', 'PERMIT'] } },
      { event, version: 3, data: { ready: true, blockerCodes: [] } },
    ]);
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
    const permit = { id: document, category: 'PERMIT', mime: 'image/png' };
    const at = HAPPENED.toISOString();
    const documents = [{ ...permit, availableAt: at }, { category: 'CONTRACT_METADATA' }];
    expect(await shown(jobId)).toMatchObject({ version: 3, documents });
    expect(await feedOf(jobId)).toEqual([1, 2, 3]);
    const event = 'install.document_available';
    expect((await eventsOf(jobId)).slice(1)).toMatchObject([
      { event, at, version: 2, data: { jobId, document: permit } },
      { event, version: 2, data: { document: { mime: 'application/pdf' } } },
    ]);
  });

  test('that arrives while the job is unassigned is shown to the next company, and published if it was the older message', async () => {
    const jobId = await newUnassignedJob();
    const early = [documented(jobId, 3, newId('doc')), documented(jobId, 5, document)];
    await deliver(...early, assigned(jobId, one, 4));
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
    const at = HAPPENED.toISOString();
    expect((await eventsOf(jobId)).slice(1)).toEqual([
      { event: 'install.completion_received', at, version: 1, data: { jobId, acceptedAt: at } },
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
    const had = ['install.job_assigned 1', 'install.completion_received 1'];
    expect(await namesOf(jobId)).toEqual([...had, 'install.job_unassigned 2']);
  });
});

describe('a message about a job', () => {
  test("leaves the installer company's own fields unchanged", async () => {
    const jobId = await newJob();
    const membershipId = await insertMember(database, { companyId: one, role: 'TECHNICIAN' });
    await replaceAssignments(writing(), {
      ...{ companyId: one, jobId, binding: binding(newId('evt')), expectedVersion: 1 },
      membershipIds: [membershipId],
    });
    await report(jobId, 'BLOCKED', 2);
    await deliver(scoped(jobId, 3, 2), scheduled(jobId, 4), documented(jobId, 5, newId('doc')));
    const technicianAssignments = [{ membershipId }];
    const own = { readiness: { ready: false, blockerCodes: ['PERMIT'] }, technicianAssignments };
    expect(await shown(jobId)).toMatchObject({ version: 6, status: 'BLOCKED', ...own });
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
    for (const [message, what] of [
      [assigned(jobId, one, 2_000), 'assignments'],
      [documented(jobId, 2_000, document), 'versions of documents'],
      [accepted(jobId, 2_000), 'accepted completions'],
    ] as const) {
      expect(await handle(message)).toEqual(dead(`has the maximum of 1000 ${what}`));
    }
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

describe('a schedule of the selling side', () => {
  test('is shown and published if it differs, and can be cancelled [PLATFORM-7]', async () => {
    const jobId = await newJob();
    const message = scheduled(jobId, 4);
    await deliver(message, scheduled(jobId, 3, 2), scheduled(jobId, 5));
    await deliverAgain(message);
    const times = { startsAt: STARTS.toISOString(), endsAt: ENDS.toISOString() };
    const confirmed = { status: 'CONFIRMED', ...times, timeZone: 'America/Denver' };
    expect(await shown(jobId)).toMatchObject({ version: 2, schedule: confirmed });
    await deliver(calledOff(jobId, 6), calledOff(jobId, 7));
    const cancelled = { status: 'CANCELLED', startsAt: null, endsAt: null };
    expect(await shown(jobId)).toMatchObject({ version: 3, schedule: cancelled });
    expect(await feedOf(jobId)).toEqual([1, 2, 3]);
    const by = { changedBy: 'seller' };
    const event = 'install.schedule_changed';
    expect((await eventsOf(jobId)).slice(1)).toMatchObject([
      { event, version: 2, data: { ...by, previousStatus: 'UNSCHEDULED', schedule: confirmed } },
      { event, version: 3, data: { ...by, previousStatus: 'CONFIRMED', schedule: cancelled } },
    ]);
  });

  test('of a completed job is refused [PLATFORM-7, PLATFORM-13]', async () => {
    const jobId = await newJob();
    await database.query(`update jobs set status = 'COMPLETE' where id = $1`, [jobId]);
    expect(await handle(scheduled(jobId, 3))).toEqual(dead('which is COMPLETE'));
    const late = scheduled(await completedJob(), 3, 0, new Date(TEST_NOW.getTime() + 1));
    expect(await handle(late)).toEqual(dead('which is COMPLETE'));
  });

  test('that is late, with the job completed meanwhile, counts as it would have in order [PLATFORM-13]', async () => {
    const jobId = await completedJob();
    const before = await shown(jobId);
    const message = scheduled(jobId, 4, 0, TEST_NOW);
    await deliver(message, scheduled(jobId, 3, 2));
    await deliverAgain(message);
    const schedule = { status: 'CONFIRMED', startsAt: STARTS.toISOString() };
    const { version } = before;
    expect(await shown(jobId)).toMatchObject({ version: version + 1, status: 'COMPLETE', schedule });
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
      await untilLockWaits(database);
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
