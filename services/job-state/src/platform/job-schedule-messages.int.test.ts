import { describe, expect, test } from '@jest/globals';
import { untilLockWaits } from '../testing/lock-waits.js';
import { TEST_NOW } from '../testing/test-jobs.js';
import {
  one,
  two,
  STARTS,
  ENDS,
  dead,
  assigned,
  unassigned,
  scheduled,
  calledOff,
  deliver,
  deliverAgain,
  newJob,
  newUnassignedJob,
  shown,
  feedOf,
  eventsOf,
  setTentative,
  completedJob,
} from './testing/job-messages-fixture.js';
import { database, handle } from './testing/platform-fixture.js';

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
