import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { SEED, seededRandom } from '@partner/test-kit/seeded-random';
import { makePartitionsAhead } from '../retention/run-retention.js';
import { database } from '../testing/file-database.js';
import { insertCompany } from '../testing/test-jobs.js';
import { appendFeedEntry, leaveFeed, readFeed } from './feed.js';

const random = seededRandom(SEED);

const WRITERS = 16;
const ENTRIES_OF_EACH = 4;

/** Follows a company's feed from its start until it has seen a number of entries, each page after the one before. */
async function follow(companyId: string, until: number, limit: number): Promise<readonly number[]> {
  const seen: number[] = [];
  while (seen.length < until) {
    const page = await readFeed(database, { companyId, afterSequence: String(seen.at(-1) ?? 0), limit });
    seen.push(...page.entries.map(({ sequence }) => Number(sequence)));
    if (page.entries.length === 0) await delay(1);
  }
  return seen;
}

describe('the feed', () => {
  test('shows every reader 1 to N without a gap or repeat while writers of 2 companies commit in any order [FEED-5]', async () => {
    const companies = [
      await insertCompany(database, 'INSTALLER'),
      await insertCompany(database, 'INSTALLER'),
    ];
    const expected = (WRITERS * ENTRIES_OF_EACH) / companies.length;
    const readers = companies.flatMap((companyId) =>
      [3, 100].map((limit) => follow(companyId, expected, limit)),
    );
    const writers = Array.from({ length: WRITERS }, async (_, index) => {
      const companyId = companies[index % companies.length] ?? '';
      for (let n = 0; n < ENTRIES_OF_EACH; n += 1)
        await database.transaction(async (tx) => {
          await delay(random() * 10);
          appendFeedEntry(tx, { companyId, jobId: `job_${index}`, changedAt: new Date(), resource: '{}' });
          await delay(random() * 10);
        });
    });
    await Promise.all(writers);
    for (const seen of await Promise.all(readers))
      expect(seen).toEqual(Array.from({ length: expected }, (_, index) => index + 1));
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
