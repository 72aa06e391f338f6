import { afterEach, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { attemptOnce } from '@partner/kernel/testing/attempt-once';
import { createDatabase, type Database } from '../database/database.js';
import { migrateDatabase } from '../database/migrations/migrate-database.js';
import { appendFeedEntry, readFeed } from '../jobs/feed.js';
import { type ArchivedPostgres, startArchivedPostgres } from '../testing/archived-postgres.js';
import { connectOperators } from '../testing/public-clients.js';
import { failureOf } from '../testing/subscription-fixture.js';
import { insertCompany } from '../testing/test-jobs.js';
import { webhookRows } from '../testing/webhook-fixture.js';
import { readEventFeed } from '../webhooks/events/event-feed.js';
import { recordEvent } from '../webhooks/events/record-event.js';
import { declareRestore } from './restore.js';
import { fixture } from '../testing/file-webhooks.js';

const NOW = new Date('2026-11-26T12:00:00Z');
const LATER = new Date('2026-11-26T13:00:00Z');
const baseOf = (declaredAt: Date) => declaredAt.getTime() * 1_000;

/** Commits a change of a job with its event. */
function write(database: Pick<Database, 'transaction'>, companyId: string): Promise<void> {
  return database.transaction((tx) => {
    const jobId = newId('job');
    appendFeedEntry(tx, { companyId, jobId, changedAt: NOW, resource: '{}' });
    recordEvent(tx, {
      ...{ companyId, event: 'install.job_unassigned', occurredAt: NOW, now: new Date() },
      ...{ resource: { type: 'install_job', id: jobId, version: 1 }, data: { jobId } },
    });
    return Promise.resolve();
  });
}

const feedAfter = async (database: Database, companyId: string, after: number) => {
  const { entries } = await readFeed(database, { companyId, afterSequence: String(after), limit: 10 });
  return entries.map(({ sequence }) => Number(sequence));
};

const eventsAfter = async (database: Database, companyId: string, after: number) => {
  const query = { companyId, after: String(after), limit: 10, event: undefined, resourceId: undefined };
  const { events } = await readEventFeed(database, query);
  return events.map(({ sequence }) => Number(sequence));
};

/** Whether a position is refused in the feed and in the events, with what to do. */
async function expectLost(database: Database, companyId: string, after: number): Promise<void> {
  const failures = [
    await failureOf(feedAfter(database, companyId, after)),
    await failureOf(eventsAfter(database, companyId, after)),
  ];
  expect(failures.map(({ reason, message }) => [reason, message])).toEqual([
    ['cursor_invalid', expect.stringMatching(/restored from a backup; begin again with view=snapshot$/)],
    ['cursor_invalid', expect.stringMatching(/restored from a backup; begin again without a cursor$/)],
  ]);
}

test('a restore continues all numbers at its time, once, and refuses positions that it has lost, also of an earlier restore [RESTORE-1, RESTORE-2]', async () => {
  const { database } = fixture;
  const [companyId, idle] = [await fixture.company(), await fixture.company()];
  const subscriptionId = await fixture.subscription({ companyId });
  await write(database, companyId);
  expect(await declareRestore(database, NOW, NOW)).toBe(true);
  expect(await declareRestore(database, NOW, LATER)).toBe(false);
  await write(database, companyId);
  const first = baseOf(NOW) + 1;
  for (const read of [feedAfter, eventsAfter]) {
    expect(await read(database, companyId, 0)).toEqual([1, first]);
    expect(await read(database, companyId, 1)).toEqual([first]);
    expect(await read(database, companyId, baseOf(NOW))).toEqual([first]);
    expect(await read(database, companyId, first)).toEqual([]);
  }
  const numbers =
    'select number::double precision from all_deliveries where subscription_id = $1 order by id';
  expect(await database.query(numbers, [subscriptionId])).toEqual([{ number: 1 }, { number: first }]);
  for (const lost of [2, baseOf(NOW) - 1]) await expectLost(database, companyId, lost);
  await expectLost(database, idle, 1);

  expect(await declareRestore(database, LATER, LATER)).toBe(true);
  for (const lost of [2, first + 1]) await expectLost(database, companyId, lost);
  for (const read of [feedAfter, eventsAfter]) {
    expect(await read(database, companyId, first)).toEqual([]);
    expect(await read(database, companyId, baseOf(LATER))).toEqual([]);
  }
});

const drill: { server?: ArchivedPostgres; database?: Database } = {};

afterEach(async () => {
  await drill.database?.end();
  await drill.server?.remove();
});

test('a drill: restored from a backup and the WAL to a point between two writes, no reader skips an entry, and the check shows what is lost and left to do [RESTORE-1, RESTORE-2, RESTORE-4]', async () => {
  const server = await startArchivedPostgres();
  drill.server = server;
  await migrateDatabase({ url: server.url, waitFor: attemptOnce });
  const original = createDatabase({ url: server.url, poolSize: 2, logger: silentLogger });
  drill.database = original;
  const companyId = await insertCompany(original, 'INSTALLER');
  const webhook = await webhookRows(original).subscription({ companyId });
  await write(original, companyId);
  await server.backUp();
  await write(original, companyId);
  await server.mark('between');
  const restoredTo = new Date();
  await write(original, companyId);
  expect(await feedAfter(original, companyId, 0)).toEqual([1, 2, 3]);
  const lostMs = Date.now() - restoredTo.getTime();
  await original.end();

  const startedAt = Date.now();
  const url = await server.restoreTo('between');
  const restored = createDatabase({ url, poolSize: 2, logger: silentLogger });
  drill.database = restored;
  const declaredAt = new Date();
  await declareRestore(restored, restoredTo, declaredAt);
  expect(await feedAfter(restored, companyId, 2)).toEqual([]);
  process.stdout.write(`restore: served after ${Date.now() - startedAt} ms, ${lostMs} ms of writes lost\n`);
  await expectLost(restored, companyId, 3);
  await write(restored, companyId);
  for (const read of [feedAfter, eventsAfter]) {
    const [next = 0, ...others] = await read(restored, companyId, 2);
    expect(others).toEqual([]);
    expect(next).toBeGreaterThan(1e15);
  }
  for (const after of [3, 4, 3]) await expectLost(restored, companyId, after);
  const lost = { kept: 2, seen: 4 };
  const operators = connectOperators({ database: restored });
  const checked = async () => {
    const { companies, ...page } = await operators.checkRestore({ limit: 1 });
    const instants = { restoredTo: restoredTo.toISOString(), declaredAt: declaredAt.toISOString() };
    expect(page).toEqual({ ...instants, hasMore: false });
    return companies;
  };
  const shown = { id: companyId, name: expect.any(String), feed: lost, events: lost };
  const deliveries = { id: webhook, unfinished: 2, deadLettered: 0, oldest: null };
  expect(await checked()).toEqual([{ ...shown, webhooks: [deliveries] }]);
  await restored.query(
    `with gone as (delete from deliveries where created_at < $1 returning *)
     insert into finished_deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, state,
       attempts, created_at, finished_at)
     select id, subscription_id, company_id, event_id, event, resource_type, resource_id, false, 'dead_lettered', 8, created_at, now()
     from gone`,
    [declaredAt],
  );
  const dead = { ...deliveries, unfinished: 0, deadLettered: 2, oldest: expect.any(String) };
  expect(await checked()).toEqual([{ ...shown, webhooks: [dead] }]);
});
