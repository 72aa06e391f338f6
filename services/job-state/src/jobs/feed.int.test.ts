import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { SEED, seededRandom } from '@partner/test-kit/seeded-random';
import type { Database } from '../database/database.js';
import { makePartitionsAhead } from '../retention/run-retention.js';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { recordStatusEvent } from '../testing/partner-calls.js';
import { binding, insertAssignedJob, insertCompany } from '../testing/test-jobs.js';
import { appendFeedEntry, leaveFeed, readFeed } from './feed.js';

const WRITERS = 32;
const EVENTS_PER_WRITER = 12;

const random = seededRandom(SEED);

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase({ poolSize: 48 });
  ({ database } = testDatabase);
});

afterAll(() => testDatabase.drop());

/** The same database, with a random delay between the statements and the commit of each transaction. */
function withPauses(): Pick<Database, 'transaction'> {
  return {
    transaction: (work, limits) =>
      database.transaction(async (tx) => {
        if (random() < 0.3) await delay(random() * 20);
        const result = await work(tx);
        await delay(random() * 8);
        return result;
      }, limits),
  };
}

/** Follows a company's feed from its start until it has seen a number of entries. */
async function follow(companyId: string, until: number, limit: number): Promise<readonly number[]> {
  const seen: number[] = [];
  let cursor = '0';
  while (seen.length < until) {
    const page = await readFeed(database, { companyId, afterSequence: cursor, limit });
    seen.push(...page.entries.map(({ sequence }) => Number(sequence)));
    cursor = page.entries.at(-1)?.sequence ?? cursor;
    if (page.entries.length === 0) await delay(1);
    const isGapless = seen.every((sequence, index) => sequence === index + 1);
    invariant(isGapless, `a reader saw ${seen.slice(-limit - 1).join(', ')}`);
  }
  return seen;
}

describe('the feed', () => {
  test('shows every reader 1 to N without a gap or repeat while 32 writers of 2 companies commit in any order [FEED-5]', async () => {
    const seller = await insertCompany(database, 'SALES');
    const companies = [
      await insertCompany(database, 'INSTALLER'),
      await insertCompany(database, 'INSTALLER'),
    ];
    const paused = withPauses();
    const jobs = await Promise.all(
      Array.from({ length: WRITERS }, async (_, index) => {
        const companyId = companies[index % companies.length];
        invariant(companyId, 'there are two companies');
        return { companyId, jobId: await insertAssignedJob(database, seller, companyId) };
      }),
    );
    const expected = (WRITERS / companies.length) * (EVENTS_PER_WRITER + 1);
    const readers = companies.flatMap((companyId) =>
      [3, 100].map((limit) => follow(companyId, expected, limit)),
    );
    const writers = jobs.map(async ({ companyId, jobId }) => {
      for (let version = 1; version <= EVENTS_PER_WRITER; version += 1) {
        const isBlocking = version % 2 === 0;
        await recordStatusEvent(
          { database: paused, clock: () => new Date() },
          {
            ...{ companyId, jobId, binding: binding(newId('evt')) },
            ...(isBlocking ? { status: 'BLOCKED', blockerCode: 'WEATHER' } : { status: 'ACKNOWLEDGED' }),
            ...{ occurredAt: new Date(), expectedVersion: version },
          },
        );
      }
    });
    await Promise.all(writers);
    for (const seen of await Promise.all(readers)) {
      expect(seen).toEqual(Array.from({ length: expected }, (_, index) => index + 1));
    }
  });

  test('accepts concurrent transactions with entries of the same two companies without a deadlock', async () => {
    const one = await insertCompany(database, 'INSTALLER');
    const two = await insertCompany(database, 'INSTALLER');
    const entry = (companyId: string) => ({ companyId, jobId: 'job', changedAt: new Date(), resource: '{}' });
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        database.transaction(async (tx) => {
          for (const companyId of index % 2 === 0 ? [one, two] : [two, one]) {
            appendFeedEntry(tx, entry(companyId));
          }
          // A job that leaves one company for the other.
          const [from, to] = index % 2 === 0 ? [one, two] : [two, one];
          leaveFeed(tx, { companyId: from, jobId: `job_${index}`, changedAt: new Date() });
          appendFeedEntry(tx, { ...entry(to), jobId: `job_${index}` });
          await delay(random() * 3);
        }),
      ),
    );
    const page = await readFeed(database, { companyId: two, afterSequence: '0', limit: 100 });
    expect(page.entries).toHaveLength(60);
  });

  test('uses no sequence in a transaction that is rolled back', async () => {
    const companyId = await insertCompany(database, 'INSTALLER');
    const append = (resource: string, fails: boolean) =>
      database.transaction(async (tx) => {
        appendFeedEntry(tx, { companyId, jobId: 'job', changedAt: new Date(), resource });
        if (fails) throw new Error('undone');
      });
    await append('{"n":1}', false);
    await expect(append('{"n":0}', true)).rejects.toThrow('undone');
    await append('{"n":2}', false);
    const page = await readFeed(database, { companyId, afterSequence: '0', limit: 10 });
    expect(page.entries.map(({ sequence, resource }) => [sequence, resource])).toEqual([
      ['1', '{"n":1}'],
      ['2', '{"n":2}'],
    ]);
  });

  test('is one sequence over its partitions, and withdraws a job from all of them', async () => {
    const companyId = await insertCompany(database, 'INSTALLER');
    await makePartitionsAhead(database, () => new Date('2025-03-01T00:00:00.000Z'));
    const months = ['2025-04-01', '2025-03-01', '2024-01-01', '2025-03-02'];
    for (const [index, day] of months.entries()) {
      const jobId = index === 3 ? 'stays' : 'leaves';
      await database.transaction((tx) =>
        appendFeedEntry(tx, { companyId, jobId, changedAt: new Date(day), resource: '{}' }),
      );
    }
    const read = async () =>
      (await readFeed(database, { companyId, afterSequence: '0', limit: 10 })).entries.map(
        ({ sequence }) => sequence,
      );
    expect(await read()).toEqual(['1', '2', '3', '4']);
    await database.transaction((tx) => leaveFeed(tx, { companyId, jobId: 'leaves', changedAt: new Date() }));
    expect(await read()).toEqual(['4']);
  });
});
