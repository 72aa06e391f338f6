import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { OutgoingMessage } from '@partner/kernel/amqp/publisher';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { eventually } from '@partner/test-kit/eventually';
import { Registry } from 'prom-client';
import { getJob } from '../testing/partner-calls.js';
import { insertCompany, TEST_NOW } from '../testing/test-jobs.js';
import { createPlatformMessageHandler } from './handle-platform-message.js';
import { readPlatformMessage } from './platform-messages.js';
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

afterEach(() => {
  now = TEST_NOW;
  isBrokerAway = false;
});

/** Runs the loop until the condition holds. */
async function sweepUntil(
  what: string,
  isDone: () => Promise<boolean> | boolean,
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

const waitingFor = (...ids: readonly string[]) =>
  database.query('select from inbox where prerequisite_id = any($1::text[])', [ids]);

/** Stores messages as the handler stores those that wait. */
async function storeWaiting(messages: readonly IncomingMessage[], prerequisiteOf: (place: number) => string) {
  const rows = messages.map(({ messageId, type, body }, place) => {
    const read = readPlatformMessage(type, body, now);
    invariant(read.kind === 'whole', 'the messages are valid');
    const { resourceId, version } = read.message;
    return [messageId, prerequisiteOf(place), resourceId, version, type, Buffer.from(body)];
  });
  await database.query(
    `insert into inbox (message_id, prerequisite_id, resource_id, resource_version, type, body, received_at)
     select *, $7::timestamptz from unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::text[], $6::bytea[])`,
    [...[0, 1, 2, 3, 4, 5].map((column) => rows.map((row) => row[column])), now],
  );
}

async function insertCompanyAs(id: string, companyClass: string): Promise<void> {
  await database.query('insert into companies (id, name, class) values ($1, $1, $2)', [id, companyClass]);
}

const isSettled = (message: IncomingMessage) => async () =>
  JSON.stringify(await rowOf(message)).includes('"settled":true');

const isPublished =
  ({ messageId }: IncomingMessage) =>
  () =>
    published.some((message) => message.messageId === messageId);

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
    expect(JSON.parse(await getJob(database, company, jobId))).toMatchObject({ id: jobId });
    const done = { prerequisite_id: null, dead_reason: null, settled: true, kept: false };
    expect(await rowOf(assigned)).toEqual(done);
  });

  test.each([
    [
      'prj',
      (projectId: string) => sent.projectStageChanged({ projectId }),
      'projects (id, company_id) values ($1, $2)',
    ],
    [
      'lead',
      (leadId: string) => sent.appointmentScheduled({ leadId }),
      `leads (id, company_id, full_name, email, phone, address) values ($1, $2, '', '', '', '')`,
    ],
  ] as const)(
    'for a %s that a partner’s request creates is recorded once it exists',
    async (prefix, message, insert) => {
      const id = newId(prefix);
      const early = message(id);
      expect(await handle(early)).toEqual({ kind: 'done' });
      expect(await rowOf(early)).toMatchObject({ prerequisite_id: id });
      await database.query(`insert into ${insert}`, [id, seller]);
      await sweepUntil('the effect', isSettled(early));
    },
  );

  test('is counted, with the age of the oldest one', async () => {
    const assigned = sent.jobAssigned({ jobId: newId('job'), installerCompanyId: installer });
    await handle(assigned);
    now = new Date(TEST_NOW.getTime() + HOUR_MS);
    const registry = new Registry();
    await sweepUntil('a run', () => true, registry);
    const text = await registry.metrics();
    expect(text).toContain('\npartner_platform_waiting_messages 1\n');
    expect(text).toContain('\npartner_platform_waiting_oldest_age_seconds 3600\n');
    await database.query('delete from inbox where message_id = $1', [assigned.messageId]);
  });

  test('is given up after 24 h: it goes to the dead-letter queue with the reason, and sent again it counts as new [PLATFORM-6]', async () => {
    const jobId = newId('job');
    const assigned = sent.jobAssigned({ jobId, installerCompanyId: installer });
    const later = sent.jobAssigned({ jobId: newId('job'), installerCompanyId: installer });
    await handle(assigned);
    now = new Date(TEST_NOW.getTime() + 1);
    await handle(later);
    now = new Date(TEST_NOW.getTime() + 12 * HOUR_MS);
    await handle({ ...assigned, redelivered: true });
    now = new Date(TEST_NOW.getTime() + 24 * HOUR_MS);

    isBrokerAway = true;
    const reason = `there was no ${jobId} within 24 h`;
    await sweepUntil('the end of its time', async () =>
      JSON.stringify(await rowOf(assigned)).includes(reason),
    );
    expect(await rowOf(assigned)).toMatchObject({ prerequisite_id: null, settled: false, kept: true });
    isBrokerAway = false;
    await sweepUntil('the dead letter', isPublished(assigned));
    const { messageId, type } = assigned;
    const headers = { 'x-dead-reason': reason, 'x-died-at': now.toISOString() };
    expect(published).toMatchObject([{ routingKey: 'test.dead', messageId, type, headers }]);
    expect(Buffer.from(published[0]?.body ?? []).equals(Buffer.from(assigned.body))).toBe(true);
    const over = { prerequisite_id: null, dead_reason: null, settled: false, kept: false };
    expect(await rowOf(assigned)).toEqual(over);
    expect(await rowOf(later)).toMatchObject({ dead_reason: null, kept: true });

    await handle(assigned);
    await sweepUntil('a run', () => true);
    expect(await rowOf(assigned)).toMatchObject({ prerequisite_id: jobId });
    await handle(sent.jobCreated({ jobId, sellingCompanyId: seller }));
    expect(await rowOf(assigned)).toMatchObject({ settled: true });
    expect(published).toHaveLength(1);
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
    now = new Date(TEST_NOW.getTime() + 24 * HOUR_MS);
    await sweepUntil('the dead letter', isPublished(message));
    expect(published.at(-1)?.headers?.['x-dead-reason']).toBe(
      `the email address of membership ${second} was in use for 24 h`,
    );
  });

  test('never waits behind other messages, not even a hundred that fail each time', async () => {
    const [failing, good] = [newId('cmp'), newId('cmp')];
    const created = (sellingCompanyId: string) => sent.jobCreated({ jobId: newId('job'), sellingCompanyId });
    const hundred = Array.from({ length: 100 }, () => created(failing));
    await storeWaiting(hundred, () => failing);
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
      expect(await waitingFor(failing)).toHaveLength(100);
    } finally {
      await database.query('drop function fail cascade');
    }
    now = new Date(TEST_NOW.getTime() + 60_000);
    await sweepUntil('the others', async () => (await waitingFor(failing)).length === 0);
  });

  test('waits for the next round if too many depend on one message: the rest is recorded later', async () => {
    const [sales, projects] = [newId('cmp'), Array.from({ length: 40 }, () => newId('prj'))];
    const created = projects.map((projectId) => sent.projectCreated({ projectId, sellingCompanyId: sales }));
    const changed = Array.from({ length: 1_040 }, (_, place) =>
      sent.projectStageChanged({ projectId: projects[place % 40] ?? '', version: place + 2 }),
    );
    await storeWaiting(created, () => sales);
    await storeWaiting(changed, (place) => projects[place % 40] ?? '');
    await handle(sent.companyChanged({ companyId: sales }));
    expect(await waitingFor(sales, ...projects)).toHaveLength(80);
    await sweepUntil('the rest', async () => (await waitingFor(sales, ...projects)).length === 0);
  });

  test('that is finally refused goes to the dead-letter queue, and the job that it waited for exists', async () => {
    const jobId = newId('job');
    const refused = sent.jobAssigned({ jobId, installerCompanyId: seller, version: 3 });
    const good = sent.jobAssigned({ jobId, installerCompanyId: installer });
    for (const message of [refused, good, sent.jobCreated({ jobId, sellingCompanyId: seller })])
      expect(await handle(message)).toEqual({ kind: 'done' });
    expect(JSON.parse(await getJob(database, installer, jobId))).toMatchObject({ id: jobId });
    expect(await rowOf(refused)).toMatchObject({
      dead_reason: `company ${seller} is not an installer company`,
      kept: true,
    });
    await sweepUntil('the dead letter', isPublished(refused));
  });
});
