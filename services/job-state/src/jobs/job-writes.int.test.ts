import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import {
  JobAssignmentsChangedSchema,
  JobScheduleChangedSchema,
  JobStatus,
  JobStatusChangedSchema,
  ScheduleStatus,
} from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { EVENT_CATALOGUE } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { installerJob } from '@partner/proto-contracts/resources/job/job';
import { newId } from '@partner/kernel/process/ids';
import { RELEASE_0_1_0 } from '@partner/test-kit/release-0-1-0';
import { z } from 'zod';
import type { Database } from '../database/database.js';
import { holdingCommits, holdTransaction } from '../testing/hold-transaction.js';
import { untilLockWaits } from '../testing/lock-waits.js';
import type { JobWritten } from '../testing/partner-calls.js';
import { refusalOf } from '../testing/refusal-of.js';
import { binding, TEST_NOW } from '../testing/test-jobs.js';
import { fixture, TEST_SCHEDULE } from './testing/job-write-fixture.js';

const shift = (ms: number) => new Date(TEST_NOW.getTime() + ms);
const LATER = shift(3_600_000);

function shownIn({ resource }: JobWritten) {
  return installerJob.parse(JSON.parse(resource));
}

describe('a status event', () => {
  test('is stored, added to the history, and published to the company and the platform [EVENT-1, EVENT-4, EVENT-14]', async () => {
    const jobId = await fixture.job();
    const blocked = { status: 'BLOCKED', blockerCode: 'PERMIT', note: 'on it' } as const;
    const { resource, idempotency } = await fixture.record({ jobId, ...blocked });

    expect(JSON.parse(resource)).toMatchObject({ id: jobId, version: 2, status: 'BLOCKED' });
    expect(idempotency).toEqual({ replayed: false, expiresAt: shift(45 * 24 * 3_600_000) });
    const history = 'select * from job_status_events_open where job_id = $1';
    expect(await fixture.database.query(history, [jobId])).toEqual([
      {
        ...{ job_id: jobId, version: 2, company_id: fixture.installer, previous_status: 'ASSIGNED' },
        ...{ status: 'BLOCKED', note: 'on it', blocker_code: 'PERMIT', occurred_at: TEST_NOW },
        ...{ recorded_at: TEST_NOW, archived_at: Number.POSITIVE_INFINITY },
      },
    ]);
    const [readiness, event] = await fixture.eventsOf(jobId);
    const changed = ['status', 'readiness.ready', 'readiness.blockerCodes'];
    expect(readiness).toMatchObject({ event: 'install.readiness_changed', changed });
    expect(event).toMatchObject({ event: 'install.status_changed', resource: { version: 2 }, changed });
    const data = { jobId, previousStatus: 'ASSIGNED', ...blocked, occurredAt: TEST_NOW.toISOString() };
    expect(EVENT_CATALOGUE['install.status_changed'].data.parse(event?.data)).toEqual(data);
    expect(await fixture.messagesOf(JobStatusChangedSchema, jobId)).toMatchObject([
      {
        ...{ jobId, version: 2, companyId: fixture.installer, note: 'on it', blockerCode: 'PERMIT' },
        ...{ previousStatus: JobStatus.ASSIGNED, status: JobStatus.BLOCKED },
        occurredAt: timestampFromDate(TEST_NOW),
      },
    ]);
  });

  test.each([
    // The selling side's view of the job, and whether readiness events are emitted when PERMIT blocks it.
    { ready: true, codes: [], emitsEvent: true },
    { ready: false, codes: ['PERMIT'], emitsEvent: false },
    { ready: false, codes: ['WEATHER', 'PERMIT'], emitsEvent: false },
    { ready: false, codes: ['WEATHER'], emitsEvent: true },
    { ready: false, codes: [], emitsEvent: true },
    { ready: true, codes: ['PERMIT'], emitsEvent: true },
  ])(
    'of a job with ready $ready and $codes for its seller emits readiness only if the shown readiness changes [EVENT-4, STATUS-5]',
    async ({ ready, codes, emitsEvent }) => {
      const jobId = await fixture.job();
      const set = 'update jobs set readiness_ready = $2, readiness_blocker_codes = $3 where id = $1';
      await fixture.database.query(set, [jobId, ready, codes]);
      const shown = [
        shownIn(await fixture.record({ jobId, status: 'BLOCKED', blockerCode: 'PERMIT' })).readiness,
        shownIn(await fixture.record({ jobId, expectedVersion: 2 })).readiness,
      ];
      expect(shown).toEqual([
        { ready: false, blockerCodes: [...new Set([...codes, 'PERMIT'])] },
        { ready, blockerCodes: codes },
      ]);
      const events = await fixture.eventsOf(jobId);
      const readiness = events.filter(({ event }) => event === 'install.readiness_changed');
      expect(readiness.map(({ data }) => data)).toEqual(
        emitsEvent ? shown.map((each) => ({ jobId, ...each })) : [],
      );
      expect(events).toHaveLength(emitsEvent ? 4 : 2);
    },
  );

  test('that occurred too far from now is refused before the job is loaded, and leaves the key unused [LIMIT-5, STATUS-1]', async () => {
    const key = binding(newId('evt'));
    const jobId = await fixture.job();
    for (const [occurredAt, message] of [
      [shift(5 * 60_000 + 1), 'must be at most 5 minutes in the future'],
      [shift(-30 * 24 * 3_600_000 - 1), 'must be at most 30 days in the past'],
    ] as const) {
      const attributes = { details: [{ path: 'occurredAt', message }] };
      const refusal = { reason: 'invalid_argument', message: `occurredAt: ${message}`, attributes };
      for (const id of [jobId, newId('job')]) {
        const refused = await refusalOf(fixture.record({ jobId: id, binding: key, occurredAt }));
        expect(refused).toMatchObject(refusal);
      }
    }
    expect(await fixture.stored(jobId)).toMatchObject({ version: 1, history: 0 });
    const atTheEdge = await fixture.record({ jobId, binding: key, occurredAt: shift(5 * 60_000) });
    expect(atTheEdge.idempotency).toMatchObject({ replayed: false });
  });

  test('repeated after it has become too old still has its recorded outcome', async () => {
    const jobId = await fixture.job();
    const write = { jobId, occurredAt: shift(-30 * 24 * 3_600_000) };
    const [done, stale] = [binding(newId('evt')), binding(newId('evt'))];
    const first = await fixture.record({ ...write, binding: done });
    await refusalOf(fixture.record({ ...write, binding: stale }));
    fixture.setNow(shift(24 * 3_600_000));
    const repeated = await fixture.record({ ...write, binding: done });
    const refused = await refusalOf(fixture.record({ ...write, binding: stale }));
    fixture.setNow(TEST_NOW);
    expect(repeated).toEqual({ ...first, idempotency: { ...first.idempotency, replayed: true } });
    const attributes = { idempotency: { replayed: true } };
    expect(refused).toMatchObject({ reason: 'stale_version', attributes });
  });

  test('returns the outcome that release 0.1.0 stored under its key, byte for byte [IDEM-2]', async () => {
    const { call, storedOutcome: stored } = RELEASE_0_1_0;
    const expiresAt = shift(45 * 24 * 3_600_000);
    await fixture.database.query(
      `insert into idempotency_keys (company_id, key, operation, body_sha256, outcome, created_at, expires_at)
       values ($1, $2, $3, decode($4, 'hex'), $5, $6, $7)`,
      [
        ...[fixture.installer, call.idempotencyKey, stored.operation, stored.bodySha256, stored.outcome],
        ...[TEST_NOW, expiresAt],
      ],
    );
    const bodySha256 = Buffer.from(stored.bodySha256, 'hex');
    const write = {
      ...z.looseObject({}).parse(JSON.parse(call.body)),
      jobId: await fixture.job(),
      binding: { key: call.idempotencyKey, operation: stored.operation, bodySha256 },
    };
    const idempotency = { replayed: true, expiresAt };
    expect(await fixture.record(write)).toEqual({ resource: stored.resource, idempotency });
    const other = { ...write.binding, bodySha256: Buffer.alloc(32) };
    const refusal = await refusalOf(fixture.record({ ...write, binding: other }));
    expect(refusal.reason).toBe('idempotency_mismatch');
  });
});

const CANCELLED = { status: 'CANCELLED', startsAt: null, endsAt: null, timeZone: 'Europe/Berlin' } as const;
const SHOWN = {
  ...TEST_SCHEDULE,
  startsAt: '2026-10-05T15:00:00.000Z',
  endsAt: '2026-10-05T19:00:00.000Z',
};

describe('a schedule', () => {
  test('is stored, shown, and published to the company and the platform', async () => {
    const jobId = await fixture.job();
    const { startsAt, endsAt, timeZone } = TEST_SCHEDULE;
    const shown = { version: 2, status: 'ASSIGNED', schedule: SHOWN };
    expect(shownIn(await fixture.schedule({ jobId }))).toMatchObject(shown);
    expect(await fixture.stored(jobId)).toMatchObject({
      ...{ schedule_status: 'CONFIRMED', schedule_time_zone: timeZone },
      ...{ schedule_starts_at: startsAt, schedule_ends_at: endsAt },
    });
    const events = await fixture.eventsOf(jobId);
    expect(events).toMatchObject([{ event: 'install.schedule_changed', resource: { version: 2 } }]);
    const data = { jobId, changedBy: 'installer', previousStatus: 'UNSCHEDULED', schedule: SHOWN };
    expect(EVENT_CATALOGUE['install.schedule_changed'].data.parse(events[0]?.data)).toEqual(data);
    expect(await fixture.messagesOf(JobScheduleChangedSchema, jobId)).toMatchObject([
      {
        ...{ jobId, version: 2, companyId: fixture.installer, timeZone },
        ...{ previousStatus: ScheduleStatus.UNSCHEDULED, status: ScheduleStatus.CONFIRMED },
        ...{ startsAt: timestampFromDate(startsAt), endsAt: timestampFromDate(endsAt) },
        changedAt: timestampFromDate(TEST_NOW),
      },
    ]);
  });

  test('that is cancelled has no times anywhere, and keeps the given time zone', async () => {
    const jobId = await fixture.job();
    await fixture.schedule({ jobId });
    const cancelling = { ...CANCELLED, startsAt: TEST_SCHEDULE.startsAt, expectedVersion: 2 };
    const { schedule } = shownIn(await fixture.schedule({ jobId, ...cancelling }));
    expect(schedule).toEqual(CANCELLED);
    const [, event] = await fixture.eventsOf(jobId);
    expect(event?.data).toMatchObject({ previousStatus: 'CONFIRMED', schedule: CANCELLED });
    const [, message] = await fixture.messagesOf(JobScheduleChangedSchema, jobId);
    expect(message).toMatchObject({ status: ScheduleStatus.CANCELLED, timeZone: 'Europe/Berlin' });
    expect(message?.startsAt ?? message?.endsAt).toBeUndefined();
  });

  test('emits an event for every difference, and none if the same one is set again [EVENT-4, JOB-4]', async () => {
    const jobId = await fixture.job();
    const series = [
      { ...TEST_SCHEDULE, status: 'TENTATIVE' },
      { ...TEST_SCHEDULE, status: 'TENTATIVE' },
      TEST_SCHEDULE,
      { ...TEST_SCHEDULE, endsAt: new Date('2026-10-05T19:00:00.001Z') },
      { ...TEST_SCHEDULE, startsAt: new Date('2026-10-05T14:59:59.999Z') },
      { ...TEST_SCHEDULE, startsAt: new Date('2026-10-05T14:59:59.999Z'), timeZone: 'America/Boise' },
      CANCELLED,
      TEST_SCHEDULE,
      TEST_SCHEDULE,
    ] as const;
    for (const [index, schedule] of series.entries()) {
      const { version } = shownIn(await fixture.schedule({ jobId, ...schedule, expectedVersion: index + 1 }));
      expect(version).toBe(index + 2);
    }
    const events = await fixture.eventsOf(jobId);
    expect(events.map(({ resource }) => resource.version)).toEqual([2, 4, 5, 6, 7, 8, 9]);
    expect(await fixture.messagesOf(JobScheduleChangedSchema, jobId)).toHaveLength(series.length);
  });
});

describe('a set of technicians', () => {
  const deactivate = (membershipId: string, on: Pick<Database, 'query'> = fixture.database) =>
    on.query('update memberships set active = false where id = $1', [membershipId]);

  const technicians = (length: number) => Promise.all(Array.from({ length }, () => fixture.technician()));

  const assignedAt = (at: Date, ...membershipIds: readonly (string | undefined)[]) =>
    membershipIds.map((membershipId) => ({ membershipId, assignedAt: at.toISOString() }));

  test('is stored, shown in the given order, and published to the platform, without an event [JOB-4]', async () => {
    const jobId = await fixture.job();
    const membershipIds = (await technicians(20)).toReversed();
    const written = await fixture.assign({ jobId, membershipIds });
    const technicianAssignments = assignedAt(TEST_NOW, ...membershipIds);
    expect(shownIn(written)).toMatchObject({ technicianAssignments });
    const stored = { technician_assignments: technicianAssignments, history: 0, events: 0 };
    expect(await fixture.stored(jobId)).toMatchObject(stored);
    const none = await fixture.assign({ jobId, membershipIds: [], expectedVersion: 2 });
    expect(shownIn(none)).toMatchObject({ technicianAssignments: [] });
    const sent = { jobId, companyId: fixture.installer, changedAt: timestampFromDate(TEST_NOW) };
    expect(await fixture.messagesOf(JobAssignmentsChangedSchema, jobId)).toMatchObject([
      { ...sent, version: 2, membershipIds },
      { ...sent, version: 3, membershipIds: [] },
    ]);
  });

  test('replaces the previous one: a technician who stays keeps the first instant', async () => {
    const jobId = await fixture.job();
    const [stays = '', leaves = '', comes = ''] = await technicians(3);
    await fixture.assign({ jobId, membershipIds: [leaves, stays] });
    fixture.setNow(LATER);
    const replaced = await fixture.assign({ jobId, membershipIds: [comes, stays], expectedVersion: 2 });
    const returned = await fixture.assign({ jobId, membershipIds: [leaves, stays], expectedVersion: 3 });
    fixture.setNow(TEST_NOW);
    const stayed = assignedAt(TEST_NOW, stays);
    expect(shownIn(replaced).technicianAssignments).toEqual([...assignedAt(LATER, comes), ...stayed]);
    expect(shownIn(returned).technicianAssignments).toEqual([...assignedAt(LATER, leaves), ...stayed]);
  });

  test('with a membership that is unknown, of another company, inactive or no technician is refused with the same message [ASSIGN-2]', async () => {
    const jobId = await fixture.job();
    const good = await fixture.technician();
    for (const wrong of [
      'mem_unknown',
      await fixture.technician({ companyId: fixture.otherInstaller }),
      await fixture.technician({ active: false }),
      await fixture.technician({ role: 'OWNER' }),
    ]) {
      const { reason, message } = await refusalOf(fixture.assign({ jobId, membershipIds: [good, wrong] }));
      expect(reason).toBe('technician_not_assignable');
      expect(message).toBe('membershipIds.1: must be an active technician of the company');
    }
    const refusal = await refusalOf(fixture.assign({ jobId, membershipIds: ['a', good, 'b'] }));
    expect(refusal.message).toMatch(/^membershipIds.0, membershipIds.2: must be/);
    expect(await fixture.stored(jobId)).toMatchObject({ version: 1, technician_assignments: [] });
  });

  test('waits for a deactivation in flight, and sees it', async () => {
    const jobId = await fixture.job();
    const technician = await fixture.technician();
    const deactivation = await holdTransaction(fixture.database, (tx) => deactivate(technician, tx));
    const refused = refusalOf(fixture.assign({ jobId, membershipIds: [technician] }));
    await untilLockWaits(fixture.database).finally(() => void deactivation.release());
    expect(await refused).toMatchObject({ reason: 'technician_not_assignable' });
  });

  test('fails, and nothing else does, while another transaction keeps the job locked', async () => {
    const jobId = await fixture.job();
    const membershipIds = [await fixture.technician()];
    const holder = await holdTransaction(fixture.database, (tx) =>
      tx.query('select from jobs where id = $1 for update', [jobId]),
    );
    // Jest fails a test with an unhandled rejection; a service would end.
    const refused = await refusalOf(fixture.assign({ jobId, membershipIds, timeoutMs: 500 }));
    await holder.release();
    expect(refused).toMatchObject({ reason: 'unavailable' });
  });

  test('blocks a deactivation between the check of a technician and the commit', async () => {
    const jobId = await fixture.job();
    const technician = await fixture.technician();
    const held = holdingCommits(fixture.database);
    const assignment = fixture.assign({ jobId, membershipIds: [technician] }, held);
    await held.worked;
    const seenByDeactivation = fixture.database.transaction(async (tx) => {
      await deactivate(technician, tx);
      return tx.query('select technician_assignments from jobs where id = $1', [jobId]);
    });
    await untilLockWaits(fixture.database).finally(held.commit);
    const { technicianAssignments } = shownIn(await assignment);
    expect(technicianAssignments).toHaveLength(1);
    expect(await seenByDeactivation).toEqual([{ technician_assignments: technicianAssignments }]);
  });

  test('can be assigned to many jobs concurrently, in any order of the technicians', async () => {
    const three = await technicians(3);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 24 }, async (_, index) => {
        const membershipIds = index % 2 === 0 ? three : three.toReversed();
        return fixture.assign({ jobId: await fixture.job(), membershipIds });
      }),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 24 }, () => 'fulfilled'));
  });
});
