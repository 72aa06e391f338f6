import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { installerJob } from '@partner/proto-contracts/public-api/installer-job';
import type { IncomingMessage } from '@partner/runtime/amqp/consumer';
import { newId } from '@partner/runtime/ids';
import { silentLogger } from '@partner/runtime/logger';
import fc from 'fast-check';
import { Registry } from 'prom-client';
import type { Database } from '../database/database.js';
import { readFeed } from '../jobs/feed.js';
import { getJob } from '../jobs/get-job.js';
import { recordStatusEvent } from '../jobs/record-status-event.js';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import {
  binding,
  incoming,
  insertAssignedJob,
  insertCompany,
  jobAssignedMessage,
  jobCreatedMessage,
  TEST_NOW,
} from '../testing/test-jobs.js';
import { createPlatformMessageHandler } from './handle-platform-message.js';

let testDatabase: TestDatabase;
let database: Database;
let seller: string;
let one: string;
let two: string;
let now = TEST_NOW;
let handle: ReturnType<typeof createPlatformMessageHandler>;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  ({ database } = testDatabase);
  seller = await insertCompany(database, 'SALES');
  one = await insertCompany(database, 'INSTALLER');
  two = await insertCompany(database, 'INSTALLER');
  handle = createPlatformMessageHandler({
    database,
    clock: () => now,
    logger: silentLogger,
    metrics: new Registry(),
  });
});

afterAll(() => testDatabase.drop());

const at = (minutes: number) => new Date(TEST_NOW.getTime() + minutes * 60_000);

async function feedOf(companyId: string): Promise<readonly unknown[]> {
  const { entries } = await readFeed(database, { companyId, afterSequence: '0', limit: 100 });
  return entries.map(({ resource }) => installerJob.parse(JSON.parse(resource)));
}

async function eventsOf(jobId: string): Promise<readonly string[]> {
  const rows = await database.query<{ name: string; company_id: string }>(
    'select name, company_id from events where resource_id = $1 order by id',
    [jobId],
  );
  return rows.map(({ name, company_id }) => `${name} ${company_id}`);
}

describe('the platform', () => {
  test('creates a job, gives it to an installer company, and that company sees it', async () => {
    const jobId = newId('job');
    expect(await handle(jobCreatedMessage({ jobId, sellingCompanyId: seller }))).toEqual({ kind: 'done' });
    await expect(getJob({ database }, { companyId: one, jobId })).rejects.toMatchObject({
      reason: 'not_found',
    });
    expect(await handle(jobAssignedMessage({ jobId, installerCompanyId: one }))).toEqual({ kind: 'done' });

    const job = installerJob.parse(JSON.parse(await getJob({ database }, { companyId: one, jobId })));
    expect(job).toMatchObject({ version: 1, status: 'ASSIGNED', company: { id: seller } });
    expect(await feedOf(one)).toContainEqual(job);
    expect(await eventsOf(jobId)).toEqual([`install.job_assigned ${one}`]);
    await expect(getJob({ database }, { companyId: two, jobId })).rejects.toMatchObject({
      reason: 'not_found',
    });
  });

  test('may send a message twice, also at the same time: it takes effect once', async () => {
    const jobId = newId('job');
    const messages = [
      jobCreatedMessage({ jobId, sellingCompanyId: seller }),
      jobAssignedMessage({ jobId, installerCompanyId: one }),
    ];
    for (const message of messages) {
      const outcomes = await Promise.all(
        Array.from({ length: 6 }, () => handle({ ...message, redelivered: true })),
      );
      expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['done']));
    }
    expect(await eventsOf(jobId)).toEqual([`install.job_assigned ${one}`]);
  });

  test('takes a job from one company and gives it to another: it leaves no trace of the first one’s work', async () => {
    const jobId = await insertAssignedJob(database, seller, one);
    await recordStatusEvent(
      { database, clock: () => now, logger: silentLogger },
      {
        companyId: one,
        jobId,
        binding: binding(newId('evt')),
        status: 'BLOCKED',
        blockerCode: 'PERMIT',
        occurredAt: TEST_NOW,
        note: null,
        expectedVersion: 1,
        timeoutMs: undefined,
      },
    );
    expect(await handle(jobAssignedMessage({ jobId, installerCompanyId: two, occurredAt: at(1) }))).toEqual({
      kind: 'done',
    });
    await expect(getJob({ database }, { companyId: one, jobId })).rejects.toMatchObject({
      reason: 'not_found',
    });
    expect(await feedOf(one)).not.toContainEqual(expect.objectContaining({ id: jobId }));
    expect(JSON.parse(await getJob({ database }, { companyId: two, jobId }))).toMatchObject({
      version: 3,
      status: 'ASSIGNED',
      readiness: { ready: true, blockerCodes: [] },
    });
    expect((await eventsOf(jobId)).slice(-2)).toEqual([
      `install.job_unassigned ${one}`,
      `install.job_assigned ${two}`,
    ]);
  });

  test('does no harm with an assignment that is older than the one in effect or names the same company', async () => {
    const jobId = await insertAssignedJob(database, seller, one);
    const before = await getJob({ database }, { companyId: one, jobId });
    await handle(jobAssignedMessage({ jobId, installerCompanyId: two, occurredAt: at(-5) }));
    await handle(jobAssignedMessage({ jobId, installerCompanyId: one, occurredAt: at(5) }));
    await handle(jobAssignedMessage({ jobId, installerCompanyId: two, occurredAt: at(4) }));
    await handle(jobCreatedMessage({ jobId, sellingCompanyId: seller, line1: '99 Other Street' }));
    expect(await getJob({ database }, { companyId: one, jobId })).toBe(before);
  });

  test('ends with the newest assignment in whatever order, and however often, assignments come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([1, 2, 3, 4, 5], { minLength: 5 }),
        fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 }),
        async (order, repeats) => {
          const jobId = newId('job');
          await handle(jobCreatedMessage({ jobId, sellingCompanyId: seller }));
          const messages = order.map((minute) =>
            jobAssignedMessage({
              jobId,
              installerCompanyId: minute % 2 === 0 ? two : one,
              occurredAt: at(minute),
            }),
          );
          const all = [...messages, ...repeats.flatMap((index) => messages[index] ?? [])];
          for (const message of all) expect(await handle(message)).toEqual({ kind: 'done' });
          expect(JSON.parse(await getJob({ database }, { companyId: one, jobId }))).toMatchObject({
            id: jobId,
          });
          await expect(getJob({ database }, { companyId: two, jobId })).rejects.toMatchObject({
            reason: 'not_found',
          });
        },
      ),
      { numRuns: 15 },
    );
  });

  test('may send what builds on something before that: it is tried again, and takes effect when that has come', async () => {
    const jobId = newId('job');
    const assigned = jobAssignedMessage({ jobId, installerCompanyId: one });
    expect(await handle(assigned)).toEqual({ kind: 'retry', afterMs: 5_000 });
    await handle(jobCreatedMessage({ jobId, sellingCompanyId: seller }));
    expect(await handle(assigned)).toEqual({ kind: 'done' });
    expect(await eventsOf(jobId)).toEqual([`install.job_assigned ${one}`]);
  });

  test('waits 60 s for what is missing, then the message is dead with the reason; sent again later it takes effect', async () => {
    const jobId = newId('job');
    const assigned = jobAssignedMessage({ jobId, installerCompanyId: one });
    try {
      expect(await handle(assigned)).toMatchObject({ kind: 'retry' });
      now = new Date(TEST_NOW.getTime() + 59_999);
      expect(await handle(assigned)).toMatchObject({ kind: 'retry' });
      now = new Date(TEST_NOW.getTime() + 60_000);
      expect(await handle(assigned)).toEqual({ kind: 'dead', reason: `there is no job ${jobId} after 60 s` });
      await handle(jobCreatedMessage({ jobId, sellingCompanyId: seller }));
      expect(await handle(assigned)).toEqual({ kind: 'done' });
    } finally {
      now = TEST_NOW;
    }
  });

  test('is told why a message is dead that is malformed, has no id or contradicts what is recorded', async () => {
    const jobId = await insertAssignedJob(database, seller, one);
    await database.query(`update jobs set status = 'COMPLETE' where id = $1`, [jobId]);
    const cases: readonly [IncomingMessage, string][] = [
      [incoming('partner.platform.v1.Unheard', new Uint8Array()), 'unknown message type'],
      [{ ...jobAssignedMessage({ jobId, installerCompanyId: one }), messageId: '' }, 'has no id'],
      [
        jobAssignedMessage({ jobId, installerCompanyId: seller, occurredAt: at(1) }),
        'is not an installer company',
      ],
      [jobCreatedMessage({ jobId: newId('job'), sellingCompanyId: one }), 'is not a sales company'],
      [jobAssignedMessage({ jobId, installerCompanyId: two, occurredAt: at(1) }), 'is COMPLETE'],
    ];
    for (const [message, reason] of cases) {
      expect(await handle(message)).toEqual({ kind: 'dead', reason: expect.stringContaining(reason) });
    }
  });

  test('names a project with a job: a lead for its address merges into it', async () => {
    const projectId = newId('prj');
    const jobId = newId('job');
    await handle(
      jobCreatedMessage({ jobId, sellingCompanyId: seller, projectId, line1: '77 Project Street' }),
    );
    expect(
      await database.query('select company_id, lead_id, address_key from projects where id = $1', [
        projectId,
      ]),
    ).toEqual([{ company_id: seller, lead_id: null, address_key: '77 PROJECT ST BOULDER CO 80302' }]);
  });
});
