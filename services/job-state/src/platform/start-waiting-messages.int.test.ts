import { beforeAll, describe, expect, test } from '@jest/globals';
import type { OutgoingMessage } from '@partner/kernel/amqp/publisher';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { newId } from '@partner/kernel/process/ids';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { eventually } from '@partner/test-kit/eventually';
import { Registry } from 'prom-client';
import { getJob } from '../testing/partner-calls.js';
import { insertCompany, TEST_NOW } from '../testing/test-jobs.js';
import { createPlatformMessageHandler } from './handle-platform-message.js';
import { startWaitingMessages } from './start-waiting-messages.js';
import { sent } from './testing/messages.js';
import { database } from '../testing/file-database.js';

const HOUR_MS = 3_600_000;

let seller: string;
let installer: string;
let now = TEST_NOW;
let isBrokerAway = false;
const published: OutgoingMessage[] = [];
const metrics = new Registry();
let handle: ReturnType<typeof createPlatformMessageHandler>;

beforeAll(async () => {
  seller = await insertCompany(database, 'SALES');
  installer = await insertCompany(database, 'INSTALLER');
  handle = createPlatformMessageHandler({ database, clock: () => now, logger: silentLogger, metrics });
});

/** Runs the loop until the condition holds. */
async function sweepUntil(
  what: string,
  isDone: () => Promise<boolean>,
  registry = new Registry(),
): Promise<void> {
  const loop = startWaitingMessages({
    database,
    publisher: {
      async publish(message) {
        if (isBrokerAway) throw new Error('the broker is away');
        published.push(message);
        return Promise.resolve();
      },
    },
    deadLetterQueue: 'test.dead',
    clock: () => now,
    logger: silentLogger,
    metrics: registry,
    intervalMs: 5,
  });
  try {
    await eventually(what, isDone);
  } finally {
    await loop.stop();
  }
}

async function rowOf({ messageId }: IncomingMessage): Promise<unknown> {
  const [row] = await database.query(
    'select prerequisite_id, dead_reason, settled_at is not null as settled, body is not null as kept from inbox where message_id = $1',
    [messageId],
  );
  return row;
}

async function insertCompanyAs(id: string, companyClass: string): Promise<void> {
  await database.query('insert into companies (id, name, class) values ($1, $1, $2)', [id, companyClass]);
}

const isSettled = (message: IncomingMessage) => async () =>
  JSON.stringify(await rowOf(message)).includes('"settled":true');

describe('a message that waits', () => {
  test('for companies is recorded once they exist, with the messages that waited for it in turn [PLATFORM-6]', async () => {
    const [sales, company, jobId] = [newId('cmp'), newId('cmp'), newId('job')];
    const created = sent.jobCreated({ jobId, sellingCompanyId: sales });
    const assigned = sent.jobAssigned({ jobId, installerCompanyId: company });
    for (const message of [assigned, created]) expect(await handle(message)).toEqual({ kind: 'done' });
    expect(await rowOf(created)).toMatchObject({ prerequisite_id: sales });
    expect(await rowOf(assigned)).toMatchObject({ prerequisite_id: jobId });

    await insertCompanyAs(sales, 'SALES');
    await sweepUntil('the job', isSettled(created));
    expect(await rowOf(assigned)).toMatchObject({ prerequisite_id: company });
    await insertCompanyAs(company, 'INSTALLER');
    await sweepUntil('the assignment', isSettled(assigned));
    expect(JSON.parse(await getJob(database, company, jobId))).toMatchObject({
      id: jobId,
    });
    expect(await rowOf(assigned)).toEqual({
      prerequisite_id: null,
      dead_reason: null,
      settled: true,
      kept: false,
    });
  });

  test.each([
    [
      'project',
      (projectId: string) => sent.projectStageChanged({ projectId }),
      'insert into projects (id, company_id) values ($1, $2)',
    ],
    [
      'lead',
      (leadId: string) => sent.appointmentScheduled({ leadId }),
      `insert into leads (id, company_id, full_name, email, phone, address) values ($1, $2, '', '', '', '')`,
    ],
  ])(
    'for a %s that a partner’s request creates is recorded once it exists',
    async (what, message, insert) => {
      const id = newId(what === 'lead' ? 'lead' : 'prj');
      const early = message(id);
      expect(await handle(early)).toEqual({ kind: 'done' });
      expect(await rowOf(early)).toMatchObject({ prerequisite_id: id });
      await database.query(insert, [id, seller]);
      await sweepUntil('the effect', isSettled(early));
    },
  );

  test('is counted, with the age of the oldest one', async () => {
    const assigned = sent.jobAssigned({ jobId: newId('job'), installerCompanyId: installer });
    await handle(assigned);
    now = new Date(TEST_NOW.getTime() + HOUR_MS);
    try {
      const registry = new Registry();
      await sweepUntil('a run', () => Promise.resolve(true), registry);
      const text = await registry.metrics();
      expect(text).toContain('\npartner_platform_waiting_messages 1\n');
      expect(text).toContain('\npartner_platform_waiting_oldest_age_seconds 3600\n');
    } finally {
      now = TEST_NOW;
      await database.query('delete from inbox where message_id = $1', [assigned.messageId]);
    }
  });

  test('is given up after 24 h: it goes to the dead-letter queue with the reason, and sent again it counts as new [PLATFORM-6]', async () => {
    const jobId = newId('job');
    const assigned = sent.jobAssigned({ jobId, installerCompanyId: installer });
    const later = sent.jobAssigned({ jobId: newId('job'), installerCompanyId: installer });
    await handle(assigned);
    try {
      now = new Date(TEST_NOW.getTime() + 1);
      await handle(later);
      now = new Date(TEST_NOW.getTime() + 12 * HOUR_MS);
      await handle({ ...assigned, redelivered: true });
      now = new Date(TEST_NOW.getTime() + 24 * HOUR_MS);

      isBrokerAway = true;
      await sweepUntil('the end of its time', async () =>
        JSON.stringify(await rowOf(assigned)).includes('within 24 h'),
      );
      expect(await rowOf(assigned)).toMatchObject({ prerequisite_id: null, settled: false, kept: true });
      isBrokerAway = false;
      await sweepUntil('the dead letter', () =>
        Promise.resolve(published.some(({ messageId }) => messageId === assigned.messageId)),
      );
      expect(published).toMatchObject([
        {
          routingKey: 'test.dead',
          messageId: assigned.messageId,
          type: assigned.type,
          headers: {
            'x-dead-reason': `there was no ${jobId} within 24 h`,
            'x-died-at': now.toISOString(),
          },
        },
      ]);
      expect(Buffer.from(published[0]?.body ?? []).equals(Buffer.from(assigned.body))).toBe(true);
      expect(await rowOf(assigned)).toEqual({
        prerequisite_id: null,
        dead_reason: null,
        settled: false,
        kept: false,
      });
      expect(await rowOf(later)).toMatchObject({ dead_reason: null, kept: true });

      await handle(assigned);
      expect(await rowOf(assigned)).toMatchObject({ prerequisite_id: jobId });
      await sweepUntil('a run', () => Promise.resolve(true));
      expect(await rowOf(assigned)).toMatchObject({ prerequisite_id: jobId });
      await handle(sent.jobCreated({ jobId, sellingCompanyId: seller }));
      expect(await rowOf(assigned)).toMatchObject({ settled: true });
      expect(published).toHaveLength(1);
    } finally {
      now = TEST_NOW;
      isBrokerAway = false;
    }
  });
});

describe('a waiting message', () => {
  test('for an address that another owner keeps is given up after 24 h, with a reason that does not name it [PLATFORM-20]', async () => {
    const [first, second] = [newId('mem'), newId('mem')];
    const wanting = (membershipId: string) =>
      sent.membershipChanged({ membershipId, companyId: installer, email: `${first}@owners.example` });
    const message = wanting(second);
    for (const each of [wanting(first), message]) expect(await handle(each)).toEqual({ kind: 'done' });
    expect(await rowOf(message)).toMatchObject({ prerequisite_id: first });
    try {
      now = new Date(TEST_NOW.getTime() + 24 * HOUR_MS);
      await sweepUntil('the dead letter', () =>
        Promise.resolve(published.some(({ messageId }) => messageId === message.messageId)),
      );
      expect(published.at(-1)?.headers?.['x-dead-reason']).toBe(
        `the email address of membership ${second} was in use for 24 h`,
      );
    } finally {
      now = TEST_NOW;
    }
  });

  test('never waits behind other messages, not even a hundred that fail each time', async () => {
    const [failing, good] = [newId('cmp'), newId('cmp')];
    const created = (sellingCompanyId: string) => sent.jobCreated({ jobId: newId('job'), sellingCompanyId });
    for (let count = 0; count < 100; count += 1) await handle(created(failing));
    const last = created(good);
    now = new Date(TEST_NOW.getTime() + 1);
    await handle(last);
    now = TEST_NOW;
    await database.query(
      `create function fail() returns trigger language plpgsql as $$ begin raise 'failed by the test'; end $$`,
    );
    await database.query(
      `create trigger fail before insert on jobs for each row when (new.selling_company_id = '${failing}')
       execute function fail()`,
    );
    try {
      for (const id of [failing, good]) await insertCompanyAs(id, 'SALES');
      await sweepUntil('the one behind them', isSettled(last));
      expect(await database.query('select from inbox where prerequisite_id = $1', [failing])).toHaveLength(
        100,
      );
    } finally {
      await database.query('drop function fail cascade');
    }
    now = new Date(TEST_NOW.getTime() + 60_000);
    try {
      await sweepUntil('the others', async () => {
        const waiting = await database.query('select from inbox where prerequisite_id = $1', [failing]);
        return waiting.length === 0;
      });
    } finally {
      now = TEST_NOW;
    }
  });

  test('waits for the next round if too many depend on one message: the rest is recorded later', async () => {
    const [sales, projects] = [newId('cmp'), Array.from({ length: 40 }, () => newId('prj'))];
    const early = projects.flatMap((projectId) => [
      sent.projectCreated({ projectId, sellingCompanyId: sales }),
      ...Array.from({ length: 26 }, (_, index) =>
        sent.projectStageChanged({ projectId, version: index + 2 }),
      ),
    ]);
    // As many concurrently as a consumer takes: more would exceed the timeout of the pool for a connection.
    for (let begin = 0; begin < early.length; begin += 20)
      await Promise.all(early.slice(begin, begin + 20).map(handle));
    await handle(sent.companyChanged({ companyId: sales }));
    const waiting = () =>
      database.query('select from inbox where prerequisite_id = any($1::text[])', [[sales, ...projects]]);
    expect(await waiting()).toHaveLength(early.length - 1_000);
    await sweepUntil('the rest', async () => (await waiting()).length === 0);
  });

  test('that is finally refused goes to the dead-letter queue, and the job that it waited for exists', async () => {
    const jobId = newId('job');
    const refused = sent.jobAssigned({
      jobId,
      installerCompanyId: seller,
      version: 3,
    });
    const good = sent.jobAssigned({ jobId, installerCompanyId: installer });
    for (const message of [refused, good, sent.jobCreated({ jobId, sellingCompanyId: seller })])
      expect(await handle(message)).toEqual({ kind: 'done' });
    expect(JSON.parse(await getJob(database, installer, jobId))).toMatchObject({
      id: jobId,
    });
    expect(await rowOf(refused)).toMatchObject({
      dead_reason: `company ${seller} is not an installer company`,
      kept: true,
    });
    await sweepUntil('the dead letter', () =>
      Promise.resolve(published.some(({ messageId }) => messageId === refused.messageId)),
    );
  });
});
