import { describe, expect, test } from '@jest/globals';
import { installerJob } from '@partner/proto-contracts/resources/job/job';
import { newId } from '@partner/kernel/process/ids';
import { createLoggerTo } from '@partner/kernel/telemetry/logger';
import { crashingBeforeCommit } from '../testing/hold-transaction.js';
import { refusalOf } from '../testing/refusal-of.js';
import { binding, TEST_NOW } from '../testing/test-jobs.js';
import { readFeed } from './feed.js';
import { fixture, type On, TEST_SCHEDULE, type Write } from './testing/job-write-fixture.js';
const LATER = new Date(TEST_NOW.getTime() + 60_000);

/** Each kind of write: one that a fresh job allows, one that it refuses with a 422, and their effects. */
const KINDS = [
  {
    kind: 'a status event',
    what: 'status events',
    log: 'job.status',
    done: 'recorded',
    write: (write: Write, on?: On) => fixture.record(write, on),
    refused: (write: Write, on?: On) => fixture.record({ ...write, status: 'COMPLETE' }, on),
    reason: 'transition_not_allowed',
    message: 'a job that is ASSIGNED cannot move to COMPLETE; it can move to: ACKNOWLEDGED, BLOCKED',
    attributes: { currentStatus: 'ASSIGNED', allowed: ['ACKNOWLEDGED', 'BLOCKED'] },
    traces: { history: 1, events: 1 },
  },
  {
    kind: 'a schedule',
    what: 'schedules',
    log: 'job.schedule',
    done: 'set',
    write: (write: Write, on?: On) => fixture.schedule(write, on),
    refused: (write: Write, on?: On) => fixture.schedule({ ...write, endsAt: TEST_SCHEDULE.startsAt }, on),
    reason: 'schedule_invalid',
    message: 'endsAt: must be after startsAt',
    attributes: {},
    traces: { history: 0, events: 1 },
  },
  {
    kind: 'a set of technicians',
    what: 'assignments',
    log: 'job.assignments',
    done: 'replaced',
    write: (write: Write, on?: On) => fixture.assign(write, on),
    refused: (write: Write, on?: On) => fixture.assign({ ...write, membershipIds: ['mem_unknown'] }, on),
    reason: 'technician_not_assignable',
    message: 'membershipIds.0: must be an active technician of the company',
    attributes: {},
    traces: { history: 0, events: 0 },
  },
] as const;

describe.each(KINDS)('$kind', ({ what, log, done, write, refused, reason, message, attributes, traces }) => {
  test('raises the version by 1 and leaves every trace in one transaction', async () => {
    const jobId = await fixture.job();
    fixture.setNow(LATER);
    const { resource, idempotency } = await write({ jobId });
    fixture.setNow(TEST_NOW);

    expect(idempotency).toMatchObject({ replayed: false });
    const shown = installerJob.parse(JSON.parse(resource));
    expect(shown).toMatchObject({ id: jobId, version: 2, updatedAt: LATER.toISOString() });
    expect(await fixture.stored(jobId)).toMatchObject({
      ...{ version: 2, projection: resource, updated_at: LATER, last_updated_at: LATER },
      ...{ entries: 2, messages: 1, ...traces },
    });
    const page = { companyId: fixture.installer, afterSequence: undefined, limit: 1 };
    const feed = await readFeed(fixture.database, page);
    expect(feed.entries).toMatchObject([{ resource, changedAt: LATER }]);
    const about = { type: 'install_job', id: jobId, version: 2 };
    for (const event of await fixture.eventsOf(jobId))
      expect(event).toMatchObject({ occurredAt: LATER.toISOString(), resource: about });
  });

  test('is never earlier than the previous change, even if the clock of its replica is behind [JOB-5]', async () => {
    const jobId = await fixture.job();
    fixture.setNow(LATER);
    await fixture.assign({ jobId });
    fixture.setNow(TEST_NOW);
    await write({ jobId, expectedVersion: 2 });

    const stored = { version: 3, updated_at: LATER, last_updated_at: LATER };
    expect(await fixture.stored(jobId)).toMatchObject(stored);
    const instants = (await fixture.eventsOf(jobId)).map(({ occurredAt }) => occurredAt);
    expect(instants).toEqual(instants.map(() => LATER.toISOString()));
  });

  test('with a known key is not found once the job has left the company, and has no second effect once it is back [IDEM-6]', async () => {
    const jobId = await fixture.job();
    const [done, stale] = [binding(newId('evt')), binding(newId('evt'))];
    const first = await write({ jobId, binding: done });
    const refusedFirst = await refusalOf(write({ jobId, binding: stale }));
    expect(refusedFirst).toMatchObject({
      reason: 'stale_version',
      message: 'expectedVersion is 1, but the job is at version 2; read it again',
      attributes: { currentVersion: 2 },
    });
    const assignTo = (companyId: string) =>
      fixture.database.query('update jobs set installer_company_id = $2 where id = $1', [jobId, companyId]);
    await assignTo(fixture.otherInstaller);
    for (const key of [done, stale, binding(newId('evt'))]) {
      const repeat = await refusalOf(write({ jobId, binding: key }));
      expect(repeat).toMatchObject({ reason: 'not_found', message: 'no such job' });
      expect(repeat.attributes).toEqual({});
    }

    await assignTo(fixture.installer);
    const repeat = { resource: first.resource, idempotency: { replayed: true } };
    expect(await write({ jobId, binding: done })).toMatchObject(repeat);
    expect(await refusalOf(write({ jobId, binding: stale }))).toMatchObject({ reason: 'stale_version' });
    const once = { version: 2, entries: 2, messages: 1, ...traces };
    expect(await fixture.stored(jobId)).toMatchObject(once);
  });

  test('that is refused is refused with the same message again, also if it would be allowed now', async () => {
    const jobId = await fixture.job();
    const key = binding(newId('evt'));
    const first = await refusalOf(refused({ jobId, binding: key }));
    const refusal = { ...attributes, idempotency: { replayed: false } };
    expect(first).toMatchObject({ reason, message, attributes: refusal });
    const second = await refusalOf(write({ jobId, binding: key }));
    const repeated = { ...first.attributes, idempotency: { replayed: true } };
    expect(second).toMatchObject({ reason, message: first.message, attributes: repeated });
    expect(await fixture.stored(jobId)).toMatchObject({ version: 1, entries: 1, events: 0, messages: 0 });
  });

  test('is logged in one line, and so is its refusal', async () => {
    const jobId = await fixture.job();
    const lines: unknown[] = [];
    const destination = { write: (line: string) => lines.push(JSON.parse(line)) };
    const logger = createLoggerTo(destination, { service: 'test', level: 'info' });
    const key = binding(newId('evt'));
    await refusalOf(refused({ jobId }, { logger }));
    await write({ jobId, binding: key }, { logger });
    await write({ jobId, binding: key }, { logger });
    const about = { jobId, companyId: fixture.installer };
    expect(lines).toMatchObject([
      { ...about, msg: `${log}_refused`, reason, replayed: false },
      { ...about, msg: `${log}_${done}`, replayed: false, version: 2, deliveries: 0 },
      { ...about, msg: `${log}_${done}`, replayed: true },
    ]);
    expect(lines[2]).not.toHaveProperty('version');
  });

  test.each(['COMPLETE', 'CANCELLED'])(
    'of a job that is %s is refused before any other check, and stays refused under its key [STATUS-6]',
    async (status) => {
      const jobId = await fixture.job();
      await fixture.database.query('update jobs set status = $2 where id = $1', [jobId, status]);
      const before = await fixture.stored(jobId);
      const key = binding(newId('evt'));
      for (const [attempt, replayed] of [
        [() => refused({ jobId }), false],
        [() => write({ jobId, binding: key }), false],
        [() => write({ jobId, binding: key }), true],
      ] as const) {
        expect(await refusalOf(attempt())).toMatchObject({
          reason: 'transition_not_allowed',
          message: `the job is ${status}: it accepts no more ${what}`,
          attributes: { currentStatus: status, allowed: [], idempotency: { replayed } },
        });
      }
      expect(await fixture.stored(jobId)).toEqual(before);
    },
  );

  test('that fails half way leaves no trace and the key unused [IDEM-5]', async () => {
    const jobId = await fixture.job();
    const key = binding(newId('evt'));
    const before = await fixture.stored(jobId);
    const database = crashingBeforeCommit(fixture.database);
    await expect(write({ jobId, binding: key }, { database })).rejects.toMatchObject({ reason: 'internal' });
    expect(await fixture.stored(jobId)).toEqual(before);
    expect((await write({ jobId, binding: key })).idempotency).toMatchObject({ replayed: false });
  });
});
