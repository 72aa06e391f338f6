import { fromBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  JobStatus,
  JobStatusChangedSchema,
} from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { installerJob } from '@partner/proto-contracts/public-api/installer-job';
import { webhookEnvelope } from '@partner/proto-contracts/public-api/webhook-events';
import { newId } from '@partner/runtime/ids';
import { invariant } from '@partner/runtime/invariant';
import { silentLogger } from '@partner/runtime/logger';
import { ServiceError } from '@partner/runtime/service-error';
import type { Database } from '../database/database.js';
import { createGate } from '../testing/create-gate.js';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { binding, insertAssignedJob, insertCompany, TEST_NOW } from '../testing/test-jobs.js';
import { readFeed } from './feed.js';
import { getJob } from './get-job.js';
import { recordStatusEvent, type StatusEvent } from './record-status-event.js';

let testDatabase: TestDatabase;
let database: Database;
let seller: string;
let installer: string;
let otherInstaller: string;
let now = TEST_NOW;
const clock = () => now;

beforeAll(async () => {
  testDatabase = await createTestDatabase({ poolSize: 24 });
  ({ database } = testDatabase);
  seller = await insertCompany(database, 'SALES');
  installer = await insertCompany(database, 'INSTALLER');
  otherInstaller = await insertCompany(database, 'INSTALLER');
});

afterAll(() => testDatabase.drop());

function record(
  event: Partial<StatusEvent> & Pick<StatusEvent, 'jobId'>,
  on: Pick<Database, 'transaction'> = database,
) {
  return recordStatusEvent(
    { database: on, clock, logger: silentLogger },
    {
      companyId: installer,
      binding: binding(newId('evt')),
      status: 'ACKNOWLEDGED',
      occurredAt: TEST_NOW,
      note: null,
      blockerCode: null,
      expectedVersion: 1,
      timeoutMs: undefined,
      ...event,
    },
  );
}

async function refusal(attempt: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  invariant(error instanceof ServiceError, 'the attempt is refused');
  return error;
}

/** Every trace that an effect on a job leaves, in numbers. */
async function traces(jobId: string) {
  const [row] = await database.query<{
    version: number;
    history: number;
    entries: number;
    events: number;
  }>(
    `select version,
       (select count(*)::int from job_status_events where job_id = $1) as history,
       (select count(*)::int from feed_entries where job_id = $1) as entries,
       (select count(*)::int from events where resource_id = $1 and name = 'install.status_changed') as events
     from jobs where id = $1`,
    [jobId],
  );
  return row;
}

describe('a status event', () => {
  test('moves the job and leaves every trace of the move in one transaction', async () => {
    const jobId = await insertAssignedJob(database, seller, installer);
    const { resource, idempotency } = await record({ jobId, note: 'on it' });

    expect(installerJob.parse(JSON.parse(resource))).toMatchObject({
      id: jobId,
      version: 2,
      status: 'ACKNOWLEDGED',
    });
    expect(idempotency).toEqual({
      replayed: false,
      expiresAt: new Date(TEST_NOW.getTime() + 45 * 24 * 3_600_000),
    });
    expect(await getJob({ database }, { companyId: installer, jobId })).toBe(resource);
    expect(await traces(jobId)).toEqual({ version: 2, history: 1, entries: 2, events: 1 });
    const feed = await readFeed(database, { companyId: installer, afterSequence: undefined, limit: 1 });
    expect(feed.entries).toMatchObject([{ resource, changedAt: TEST_NOW }]);

    const [event] = await database.query<{ body: Buffer }>(
      `select body from events where resource_id = $1 and name = 'install.status_changed'`,
      [jobId],
    );
    expect(webhookEnvelope.parse(JSON.parse(event?.body.toString('utf8') ?? ''))).toMatchObject({
      event: 'install.status_changed',
      resource: { id: jobId, version: 2 },
      data: { jobId, previousStatus: 'ASSIGNED', status: 'ACKNOWLEDGED', note: 'on it', blockerCode: null },
    });
    const messages = await database.query<{ body: Buffer; exchange: string; type: string }>(
      'select body, exchange, type from outbox',
    );
    const ours = messages
      .filter(({ type }) => type === JobStatusChangedSchema.typeName)
      .map(({ body }) => fromBinary(JobStatusChangedSchema, body))
      .find((message) => message.jobId === jobId);
    expect(ours).toMatchObject({
      version: 2,
      previousStatus: JobStatus.ASSIGNED,
      status: JobStatus.ACKNOWLEDGED,
      note: 'on it',
      companyId: installer,
    });
  });

  test('that blocks the job makes it not ready, and the next move makes it ready again', async () => {
    const jobId = await insertAssignedJob(database, seller, installer);
    const blocked = await record({ jobId, status: 'BLOCKED', blockerCode: 'PERMIT' });
    expect(JSON.parse(blocked.resource)).toMatchObject({
      readiness: { ready: false, blockerCodes: ['PERMIT'] },
    });
    const resumed = await record({ jobId, status: 'EN_ROUTE', expectedVersion: 2 });
    expect(JSON.parse(resumed.resource)).toMatchObject({
      version: 3,
      readiness: { ready: true, blockerCodes: [] },
    });
  });

  test('with a known key gives the first outcome again, byte for byte, and changes nothing', async () => {
    const jobId = await insertAssignedJob(database, seller, installer);
    const key = binding(newId('evt'));
    const first = await record({ jobId, binding: key });
    await record({ jobId, status: 'EN_ROUTE', expectedVersion: 2 });
    const before = await traces(jobId);

    const replay = await record({ jobId, binding: key });
    expect(replay.resource).toBe(first.resource);
    expect(replay.idempotency).toEqual({ ...first.idempotency, replayed: true });
    expect(await traces(jobId)).toEqual(before);
  });

  test('with a key that was used for another body or operation is a mismatch', async () => {
    const jobId = await insertAssignedJob(database, seller, installer);
    const key = newId('evt');
    await record({ jobId, binding: binding(key, 'POST /a', '{"a":1}') });
    for (const other of [binding(key, 'POST /a', '{"a":2}'), binding(key, 'POST /b', '{"a":1}')]) {
      expect(await refusal(record({ jobId, binding: other, expectedVersion: 2 }))).toMatchObject({
        reason: 'idempotency_mismatch',
      });
    }
    expect(await traces(jobId)).toMatchObject({ version: 2 });
  });

  test('may use a key that another company has used', async () => {
    const key = binding(newId('evt'));
    const jobId = await insertAssignedJob(database, seller, installer);
    const otherJobId = await insertAssignedJob(database, seller, otherInstaller);
    await record({ jobId, binding: key });
    const other = await record({ jobId: otherJobId, companyId: otherInstaller, binding: key });
    expect(other.idempotency).toMatchObject({ replayed: false });
  });

  test('that is stale is refused, the refusal is kept and repeated, and nothing has changed', async () => {
    const jobId = await insertAssignedJob(database, seller, installer);
    const key = binding(newId('evt'));
    const stale = { jobId, binding: key, expectedVersion: 7 };
    expect(await refusal(record(stale))).toMatchObject({
      reason: 'stale_version',
      attributes: { currentVersion: 1, idempotency: { replayed: false } },
    });
    await record({ jobId });
    expect(await refusal(record(stale))).toMatchObject({
      reason: 'stale_version',
      attributes: { currentVersion: 1, idempotency: { replayed: true } },
    });
    expect(await traces(jobId)).toMatchObject({ version: 2, history: 1 });
  });

  test('that is not allowed is refused with what is, and the refusal is repeated word for word', async () => {
    const jobId = await insertAssignedJob(database, seller, installer);
    const key = binding(newId('evt'));
    const first = await refusal(record({ jobId, binding: key, status: 'COMPLETE' }));
    expect(first).toMatchObject({
      reason: 'transition_not_allowed',
      attributes: { currentStatus: 'ASSIGNED', allowed: ['ACKNOWLEDGED', 'BLOCKED'] },
    });
    const second = await refusal(record({ jobId, binding: key, status: 'COMPLETE' }));
    expect(second.message).toBe(first.message);
    expect(second.attributes).toMatchObject({
      allowed: ['ACKNOWLEDGED', 'BLOCKED'],
      idempotency: { replayed: true },
    });
  });

  test('on another company’s job is not found, and leaves the key unused', async () => {
    const jobId = await insertAssignedJob(database, seller, otherInstaller);
    const key = binding(newId('evt'));
    expect(await refusal(record({ jobId, binding: key, expectedVersion: 9 }))).toMatchObject({
      reason: 'not_found',
    });
    expect(await refusal(record({ jobId: newId('job'), binding: key }))).toMatchObject({
      reason: 'not_found',
    });
    const ownJobId = await insertAssignedJob(database, seller, installer);
    expect((await record({ jobId: ownJobId, binding: key })).idempotency).toMatchObject({ replayed: false });
  });

  test('that occurred too far from now is refused before the job is looked for, and leaves the key unused', async () => {
    const key = binding(newId('evt'));
    const shift = (ms: number) => new Date(TEST_NOW.getTime() + ms);
    const jobId = await insertAssignedJob(database, seller, installer);
    for (const [occurredAt, message] of [
      [shift(5 * 60_000 + 1), 'must be at most 5 minutes in the future'],
      [shift(-30 * 24 * 3_600_000 - 1), 'must be at most 30 days in the past'],
    ] as const) {
      for (const id of [jobId, newId('job')]) {
        expect(await refusal(record({ jobId: id, binding: key, occurredAt }))).toMatchObject({
          reason: 'invalid_argument',
          message: `occurredAt: ${message}`,
          attributes: { details: [{ path: 'occurredAt', message }] },
        });
      }
    }
    expect(await traces(jobId)).toMatchObject({ version: 1, history: 0 });
    const atTheEdge = await record({ jobId, binding: key, occurredAt: shift(5 * 60_000) });
    expect(atTheEdge.idempotency).toMatchObject({ replayed: false });
  });

  test('repeated when it has become too old still has its recorded outcome', async () => {
    const jobId = await insertAssignedJob(database, seller, installer);
    const [moved, stale] = [binding(newId('evt')), binding(newId('evt'))];
    const occurredAt = new Date(TEST_NOW.getTime() - 30 * 24 * 3_600_000);
    const first = await record({ jobId, binding: moved, occurredAt });
    await refusal(record({ jobId, binding: stale, occurredAt }));
    try {
      now = new Date(TEST_NOW.getTime() + 24 * 3_600_000);
      const repeated = await record({ jobId, binding: moved, occurredAt });
      expect(repeated).toEqual({ ...first, idempotency: { ...first.idempotency, replayed: true } });
      expect(await refusal(record({ jobId, binding: stale, occurredAt }))).toMatchObject({
        reason: 'stale_version',
        attributes: { idempotency: { replayed: true } },
      });
    } finally {
      now = TEST_NOW;
    }
  });

  test('that fails half way leaves no trace and the key unused', async () => {
    const jobId = await insertAssignedJob(database, seller, installer);
    const key = binding(newId('evt'));
    const before = await traces(jobId);
    const failing: Pick<Database, 'transaction'> = {
      transaction: (work, limits) =>
        database.transaction(async (tx) => {
          await work(tx);
          throw new Error('the process dies before the commit');
        }, limits),
    };
    await expect(record({ jobId, binding: key }, failing)).rejects.toThrow('dies');
    expect(await traces(jobId)).toEqual(before);
    expect((await record({ jobId, binding: key })).idempotency).toMatchObject({ replayed: false });
  });

  test('with a key that has expired takes effect anew', async () => {
    const jobId = await insertAssignedJob(database, seller, installer);
    const key = binding(newId('evt'), 'POST /a');
    await record({ jobId, binding: key });
    try {
      now = new Date(TEST_NOW.getTime() + 45 * 24 * 3_600_000);
      const again = await record({
        jobId,
        binding: { ...key, operation: 'POST /b' },
        status: 'EN_ROUTE',
        occurredAt: now,
        expectedVersion: 2,
      });
      expect(again.idempotency).toMatchObject({ replayed: false });
      expect(JSON.parse(again.resource)).toMatchObject({ version: 3 });
    } finally {
      now = TEST_NOW;
    }
  });

  test('sent many times at once has one effect and one answer', async () => {
    const jobId = await insertAssignedJob(database, seller, installer);
    const key = binding(newId('evt'));
    const answers = await Promise.all(Array.from({ length: 12 }, () => record({ jobId, binding: key })));
    expect(new Set(answers.map(({ resource }) => resource)).size).toBe(1);
    expect(answers.filter(({ idempotency }) => idempotency?.replayed === false)).toHaveLength(1);
    expect(await traces(jobId)).toEqual({ version: 2, history: 1, entries: 2, events: 1 });
  });

  test('whose key is held by a request that does not end is told so', async () => {
    const jobId = await insertAssignedJob(database, seller, installer);
    const key = binding(newId('evt'));
    const ended = createGate();
    const reached = createGate();
    const slow: Pick<Database, 'transaction'> = {
      transaction: (work, limits) =>
        database.transaction(async (tx) => {
          const result = await work(tx);
          reached.open();
          await ended.opened;
          return result;
        }, limits),
    };
    const first = record({ jobId, binding: key }, slow);
    await reached.opened;
    for (const timeoutMs of [undefined, 1_000, 100]) {
      expect(await refusal(record({ jobId, binding: key, timeoutMs }))).toMatchObject({
        reason: 'idempotency_in_progress',
      });
    }
    ended.open();
    expect((await first).idempotency).toMatchObject({ replayed: false });
    expect((await record({ jobId, binding: key })).idempotency).toMatchObject({ replayed: true });
  });

  test('of many writers with one expected version exactly one wins', async () => {
    for (let round = 0; round < 5; round += 1) {
      const jobId = await insertAssignedJob(database, seller, installer);
      const outcomes = await Promise.allSettled(Array.from({ length: 16 }, () => record({ jobId })));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ reason: 'stale_version' });
      }
      expect(await traces(jobId)).toEqual({ version: 2, history: 1, entries: 2, events: 1 });
    }
  });

  test('that can not be done before the caller’s deadline fails as unavailable and has no effect', async () => {
    const jobId = await insertAssignedJob(database, seller, installer);
    const released = createGate();
    const locked = createGate();
    const holding = database.transaction(async (tx) => {
      await tx.query('select 1 from jobs where id = $1 for update', [jobId]);
      locked.open();
      await released.opened;
    });
    await locked.opened;
    expect(await refusal(record({ jobId, timeoutMs: 100 }))).toMatchObject({ reason: 'unavailable' });
    released.open();
    await holding;
    expect(await traces(jobId)).toMatchObject({ version: 1, history: 0 });
  });
});
