import '@partner/kernel/telemetry/start';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { newId } from '@partner/kernel/process/ids';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { withSpan } from '@partner/kernel/telemetry/tracing';
import { Registry } from 'prom-client';
import {
  incoming,
  insertAssignedJob,
  insertCompany,
  jobAssignedMessage,
  jobCreatedMessage,
  TEST_NOW,
} from '../testing/test-jobs.js';
import { createPlatformMessageHandler } from './handle-platform-message.js';
import { sent } from './testing/messages.js';
import { database } from '../testing/file-database.js';

let seller: string;
let one: string;
let two: string;
const now = TEST_NOW;
let handle: ReturnType<typeof createPlatformMessageHandler>;
/** The handler of a second replica. */
let handleToo: typeof handle;
let transactions = 0;

beforeAll(async () => {
  seller = await insertCompany(database, 'SALES');
  one = await insertCompany(database, 'INSTALLER');
  two = await insertCompany(database, 'INSTALLER');
  const counting: typeof database.transaction = (work, limits) => {
    transactions += 1;
    return database.transaction(work, limits);
  };
  const deps = { clock: () => now, logger: silentLogger };
  handle = createPlatformMessageHandler({
    ...deps,
    database: { ...database, transaction: counting },
    metrics: new Registry(),
  });
  handleToo = createPlatformMessageHandler({ ...deps, database, metrics: new Registry() });
});

async function inboxOf({ messageId }: IncomingMessage): Promise<unknown> {
  const [row] = await database.query(
    `select prerequisite_id, settled_at is not null as settled, body is not null as kept from inbox where message_id = $1`,
    [messageId],
  );
  return row;
}

async function eventsOf(jobId: string): Promise<readonly string[]> {
  const rows = await database.query<{ name: string; company_id: string }>(
    'select name, company_id from events where resource_id = $1 order by id',
    [jobId],
  );
  return rows.map(({ name, company_id }) => `${name} ${company_id}`);
}

async function insertProject(): Promise<string> {
  const projectId = newId('prj');
  await database.query('insert into projects (id, company_id) values ($1, $2)', [projectId, seller]);
  return projectId;
}

function quoteSent(projectId: string, quoteId = newId('quo'), version = 1) {
  return { quoteId, message: sent.quoteSent({ quoteId, projectId, version }) };
}

describe('the platform', () => {
  test('can send a message twice, also concurrently: it takes effect once [PLATFORM-1]', async () => {
    const jobId = newId('job');
    const messages = [
      jobCreatedMessage({ jobId, sellingCompanyId: seller }),
      jobAssignedMessage({ jobId, installerCompanyId: one }),
    ];
    for (const message of messages) {
      const handlers = [handle, handleToo, handle, handleToo, handle, handleToo];
      const outcomes = handlers.map((each) => each({ ...message, redelivered: true }));
      expect(await Promise.all(outcomes)).toEqual(handlers.map(() => ({ kind: 'done' })));
    }
    expect(await eventsOf(jobId)).toEqual([`install.job_assigned ${one}`]);
  });

  test('sends messages faster than they are recorded: those about different resources share a transaction', async () => {
    const projectId = await insertProject();
    const sent = Array.from({ length: 30 }, () => quoteSent(projectId));
    const before = transactions;
    await Promise.all(sent.map(({ message }) => handle(message)));
    // The first message does not wait for others.
    expect(transactions - before).toBe(2);
    const quotes = sent.map(({ quoteId }) => quoteId).sort();
    expect(
      await database.query(
        `select e.resource_id as id, s.state, s.version from events e join sales_records s on s.id = e.resource_id
         where s.project_id = $1 order by 1`,
        [projectId],
      ),
    ).toEqual(quotes.map((id) => ({ id, state: 'SENT', version: 1 })));
  });

  test('sends a bad message among others: it alone is dead-lettered, the others take effect in their order [PLATFORM-6]', async () => {
    const [projectId, jobId, missing] = [await insertProject(), newId('job'), newId('prj')];
    const job = jobCreatedMessage({ jobId, sellingCompanyId: seller });
    const [known, early] = [quoteSent(projectId), quoteSent(missing)];
    const company = await insertCompany(database, 'INSTALLER');
    const outcomes = await Promise.all(
      [
        quoteSent(projectId).message,
        job,
        { ...quoteSent(projectId).message, messageId: 'U+0000: \u0000' },
        jobAssignedMessage({ jobId, installerCompanyId: company, version: 2 }),
        quoteSent(projectId, known.quoteId, 2).message,
        jobAssignedMessage({ jobId, installerCompanyId: seller, version: 3 }),
        known.message,
        job,
        early.message,
        jobAssignedMessage({ jobId, installerCompanyId: one, version: 4 }),
      ].map(handle),
    );
    expect(outcomes.flatMap((outcome, index) => (outcome.kind === 'dead' ? [index] : []))).toEqual([2, 5]);
    expect(outcomes[2]).toMatchObject({ reason: expect.stringContaining('U+0000') });
    expect(await eventsOf(jobId)).toEqual([
      `install.job_assigned ${company}`,
      `install.job_unassigned ${company}`,
      `install.job_assigned ${one}`,
    ]);
    expect(await eventsOf(known.quoteId)).toEqual([`quote.sent ${seller}`, `quote.sent ${seller}`]);
    expect(await inboxOf(early.message)).toEqual({ prerequisite_id: missing, settled: false, kept: true });
  });

  test('sends a message about a locked job among others: it alone waits for the lock', async () => {
    const projectId = await insertProject();
    const jobId = await insertAssignedJob(database, seller, one);
    const assigned = jobAssignedMessage({ jobId, installerCompanyId: two, version: 3 });
    await database.transaction(async (tx) => {
      await tx.query('select from jobs where id = $1 for update', [jobId]);
      const others = [quoteSent(projectId), quoteSent(projectId), quoteSent(projectId)];
      const [first, second, third] = others.map(({ message }) => message);
      const outcomes = await Promise.allSettled(
        [first, second, assigned, third].flatMap((message) => message ?? []).map(handle),
      );
      const done = { value: { kind: 'done' } };
      const refused = { reason: { reason: 'unavailable' } };
      expect(outcomes).toMatchObject([done, done, refused, done]);
    });
    expect(await handle(assigned)).toEqual({ kind: 'done' });
    expect((await eventsOf(jobId)).at(-1)).toBe(`install.job_assigned ${two}`);
  });
});

describe('a platform that sends messages out of order', () => {
  test('sends a message before its prerequisite: its event continues its own trace', async () => {
    const jobId = newId('job');
    const traced = (message: IncomingMessage) =>
      withSpan({ name: 'test', kind: 'CONSUMER' }, async (span) => {
        await handle(message);
        return span.spanContext().traceId;
      });
    const traceId = await traced(jobAssignedMessage({ jobId, installerCompanyId: one }));
    await traced(jobCreatedMessage({ jobId, sellingCompanyId: seller }));
    const events = await database.query('select trace_parent from events where resource_id = $1', [jobId]);
    expect(events).toEqual([{ trace_parent: expect.stringContaining(traceId) }]);
    expect(traceId).not.toMatch(/^0+$/);
  });

  test('sends many assignments before a job: only the newest adds a feed entry', async () => {
    const jobId = newId('job');
    for (const version of [2, 5, 3, 4])
      await handle(jobAssignedMessage({ jobId, installerCompanyId: version % 2 === 0 ? two : one, version }));
    await handle(jobCreatedMessage({ jobId, sellingCompanyId: seller }));
    expect(await eventsOf(jobId)).toEqual([`install.job_assigned ${one}`]);
  });

  test('gets the reason for a dead message that is malformed, has no id or contradicts recorded data [PLATFORM-6, PLATFORM-13]', async () => {
    const jobId = await insertAssignedJob(database, seller, one);
    await database.query(`update jobs set status = 'COMPLETE' where id = $1`, [jobId]);
    const cases: readonly [IncomingMessage, string][] = [
      [incoming('partner.platform.v1.Unheard', new Uint8Array()), 'unknown message type'],
      [{ ...jobAssignedMessage({ jobId, installerCompanyId: one }), messageId: '' }, 'has no id'],
      [jobAssignedMessage({ jobId, installerCompanyId: seller, version: 3 }), 'is not an installer company'],
      [jobCreatedMessage({ jobId: newId('job'), sellingCompanyId: one }), 'is not a sales company'],
      [jobAssignedMessage({ jobId, installerCompanyId: two, version: 3 }), 'is COMPLETE'],
    ];
    for (const [message, reason] of cases) {
      expect(await handle(message)).toEqual({ kind: 'dead', reason: expect.stringContaining(reason) });
    }
  });

  test('can send a refused message again, which is recorded once its cause is fixed', async () => {
    const [sellingCompanyId, jobId] = [await insertCompany(database, 'INSTALLER'), newId('job')];
    const created = jobCreatedMessage({ jobId, sellingCompanyId });
    expect(await handle(created)).toMatchObject({ kind: 'dead' });
    await database.query(`update companies set class = 'SALES' where id = $1`, [sellingCompanyId]);
    expect(await handle(created)).toEqual({ kind: 'done' });
    expect(await database.query('select from jobs where id = $1', [jobId])).toHaveLength(1);
  });
});
