import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import { JobAssignmentsChangedSchema } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { installerJob } from '@partner/proto-contracts/resources/job/job';
import type { Database } from '../database/database.js';
import { createGate } from '../testing/create-gate.js';
import { untilLockWaits } from '../testing/lock-waits.js';
import { TEST_NOW } from '../testing/test-jobs.js';
import type { JobWritten } from './change-job.js';
import { refusalOf } from '../testing/refusal-of.js';
import { fixture } from './testing/file-jobs.js';

const LATER = new Date(TEST_NOW.getTime() + 3_600_000);

function shownIn({ resource }: JobWritten) {
  return installerJob.parse(JSON.parse(resource)).technicianAssignments;
}

async function deactivate(membershipId: string, on: Pick<Database, 'query'> = fixture.database) {
  await on.query('update memberships set active = false where id = $1', [membershipId]);
}

describe('a set of technicians', () => {
  test('is stored, shown in the given order, and published to the platform, without an event [JOB-4]', async () => {
    const jobId = await fixture.job();
    const [first, second, third] = [
      await fixture.technician(),
      await fixture.technician(),
      await fixture.technician(),
    ];
    const membershipIds = [third, first, second];
    const written = await fixture.assign({ jobId, membershipIds });
    const assignments = membershipIds.map((membershipId) => ({
      membershipId,
      assignedAt: TEST_NOW.toISOString(),
    }));
    expect(shownIn(written)).toEqual(assignments);
    expect(await fixture.stored(jobId)).toMatchObject({
      technician_assignments: assignments,
      history: 0,
      events: 0,
    });
    expect(await fixture.messagesOf(JobAssignmentsChangedSchema, jobId)).toMatchObject([
      {
        jobId,
        version: 2,
        companyId: fixture.installer,
        membershipIds,
        changedAt: timestampFromDate(TEST_NOW),
      },
    ]);
  });

  test('replaces the previous one: a technician who stays keeps the first instant', async () => {
    const jobId = await fixture.job();
    const [stays, leaves, comes] = [
      await fixture.technician(),
      await fixture.technician(),
      await fixture.technician(),
    ];
    await fixture.assign({ jobId, membershipIds: [leaves, stays] });
    fixture.setNow(LATER);
    const replaced = await fixture.assign({ jobId, membershipIds: [comes, stays], expectedVersion: 2 });
    const returned = await fixture.assign({ jobId, membershipIds: [leaves, stays], expectedVersion: 3 });
    fixture.setNow(TEST_NOW);
    expect(shownIn(replaced)).toEqual([
      { membershipId: comes, assignedAt: LATER.toISOString() },
      { membershipId: stays, assignedAt: TEST_NOW.toISOString() },
    ]);
    expect(shownIn(returned)).toEqual([
      { membershipId: leaves, assignedAt: LATER.toISOString() },
      { membershipId: stays, assignedAt: TEST_NOW.toISOString() },
    ]);
  });

  test('may be empty, and may have 20', async () => {
    const jobId = await fixture.job();
    const membershipIds = await Promise.all(Array.from({ length: 20 }, () => fixture.technician()));
    expect(shownIn(await fixture.assign({ jobId, membershipIds }))).toHaveLength(20);
    expect(shownIn(await fixture.assign({ jobId, membershipIds: [], expectedVersion: 2 }))).toEqual([]);
    const [, message] = await fixture.messagesOf(JobAssignmentsChangedSchema, jobId);
    expect(message).toMatchObject({ version: 3, membershipIds: [] });
  });

  test('with a membership that is unknown, of another company, inactive or no technician is refused with the same message [ASSIGN-2]', async () => {
    const jobId = await fixture.job();
    const good = await fixture.technician();
    const messages = [];
    for (const wrong of [
      'mem_unknown',
      await fixture.technician({ companyId: fixture.otherInstaller }),
      await fixture.technician({ active: false }),
      await fixture.technician({ role: 'OWNER' }),
    ]) {
      const refusal = await refusalOf(fixture.assign({ jobId, membershipIds: [good, wrong] }));
      expect(refusal).toMatchObject({ reason: 'technician_not_assignable' });
      messages.push(refusal.message);
    }
    expect(new Set(messages)).toEqual(
      new Set(['membershipIds.1: must be an active technician of the company']),
    );
    const refusal = await refusalOf(fixture.assign({ jobId, membershipIds: ['a', good, 'b'] }));
    expect(refusal.message).toMatch(/^membershipIds.0, membershipIds.2: must be/);
    expect(await fixture.stored(jobId)).toMatchObject({ version: 1, technician_assignments: [] });
  });

  test('does not keep a technician who has been deactivated since', async () => {
    const jobId = await fixture.job();
    const technician = await fixture.technician();
    await fixture.assign({ jobId, membershipIds: [technician] });
    await deactivate(technician);
    expect(
      await refusalOf(fixture.assign({ jobId, membershipIds: [technician], expectedVersion: 2 })),
    ).toMatchObject({ reason: 'technician_not_assignable' });
  });

  test('waits for a deactivation in flight, and sees it', async () => {
    const jobId = await fixture.job();
    const technician = await fixture.technician();
    const done = createGate();
    const released = createGate();
    const deactivation = fixture.database.transaction(async (tx) => {
      await deactivate(technician, tx);
      done.open();
      await released.opened;
    });
    await done.opened;
    const refused = refusalOf(fixture.assign({ jobId, membershipIds: [technician] }));
    await untilLockWaits(fixture.database).finally(() => released.open());
    await deactivation;
    expect(await refused).toMatchObject({ reason: 'technician_not_assignable' });
  });

  test('fails, and nothing else does, while another transaction keeps the job locked', async () => {
    const jobId = await fixture.job();
    const locked = createGate();
    const released = createGate();
    const holder = fixture.database.transaction(async (tx) => {
      await tx.query('select from jobs where id = $1 for update', [jobId]);
      locked.open();
      await released.opened;
    });
    await locked.opened;
    // Jest fails a test with an unhandled rejection; a service would end.
    const refused = await refusalOf(
      fixture.assign({ jobId, membershipIds: [await fixture.technician()], timeoutMs: 500 }),
    );
    released.open();
    await holder;
    expect(refused).toMatchObject({ reason: 'unavailable' });
  });

  test('blocks a deactivation between the check of a technician and the commit', async () => {
    const jobId = await fixture.job();
    const technician = await fixture.technician();
    const done = createGate();
    const released = createGate();
    const slow: Pick<Database, 'transaction'> = {
      transaction: (work, limits) =>
        fixture.database.transaction(async (tx) => {
          const result = await work(tx);
          done.open();
          await released.opened;
          return result;
        }, limits),
    };
    const assignment = fixture.assign({ jobId, membershipIds: [technician] }, { database: slow });
    await done.opened;
    const seenByDeactivation = fixture.database.transaction(async (tx) => {
      await deactivate(technician, tx);
      return tx.query('select technician_assignments from jobs where id = $1', [jobId]);
    });
    await untilLockWaits(fixture.database).finally(() => released.open());
    const assignments = shownIn(await assignment);
    expect(assignments).toHaveLength(1);
    expect(await seenByDeactivation).toEqual([{ technician_assignments: assignments }]);
  });

  test('can be assigned to many jobs concurrently, in any order of the technicians', async () => {
    const technicians = [await fixture.technician(), await fixture.technician(), await fixture.technician()];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 24 }, async (_, index) => {
        const membershipIds = index % 2 === 0 ? technicians : [...technicians].reverse();
        return fixture.assign({ jobId: await fixture.job(), membershipIds });
      }),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 24 }, () => 'fulfilled'));
  });
});
