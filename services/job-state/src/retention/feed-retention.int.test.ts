import { describe, expect, test } from '@jest/globals';
import { ServiceError } from '@partner/kernel/process/service-error';
import { eventually } from '@partner/test-kit/eventually';
import { makePartitionsAhead } from './run-retention.js';
import { at, database, run } from './testing/retention-fixture.js';
import { readFeed } from '../jobs/feed.js';
import { listAssignedJobs } from '../jobs/list-job-feed.js';
import { beforeStatement } from '../testing/before-statement.js';
import { insertAssignedJob, insertCompany } from '../testing/test-jobs.js';

describe('the feed', () => {
  async function append(companyId: string, sequence: number, changedAt: Date): Promise<void> {
    await database.query(
      `with head as (
         insert into feed_heads (company_id, last) values ($1, $2)
         on conflict (company_id) do update set last = excluded.last
       )
       insert into feed_entries (company_id, sequence, job_id, changed_at, resource) values ($1, $2, 'job_1', $3, '{}')`,
      [companyId, sequence, changedAt],
    );
  }
  const read = async (companyId: string, afterSequence: string | undefined) =>
    (await readFeed(database, { companyId, afterSequence, limit: 100 })).entries.map(
      ({ sequence }) => sequence,
    );
  const reasonOf = (error: unknown) => ServiceError.from(error).reason;
  const message = 'cursor: is too old: the feed is kept for 400 days; begin again with view=snapshot';
  const tooOld = { reason: 'cursor_invalid', message, attributes: { details: [{ path: 'cursor' }] } };
  const dropsAt = at(430);
  const newInstaller = () => insertCompany(database, 'INSTALLER');

  test.each([
    ['in partitions of 30 days', true],
    ['in the default partition', false],
  ])(
    'is kept for 400 days, and no reader can skip a purged part: %s [FEED-8]',
    async (_where, isPartitioned) => {
      // Adjacent partitions of 30 days from 2024-12-13 on.
      if (isPartitioned) await makePartitionsAhead(database, () => at(4));
      const [long, quiet, young] = [await newInstaller(), await newInstaller(), await newInstaller()];
      for (const [sequence, day] of [5, 10, 40, 20, 45].entries()) await append(long, sequence + 1, at(day));
      await append(quiet, 1, at(6));
      await append(young, 1, at(41));

      await run(at(4 + 400));
      expect(await read(long, '0')).toEqual(['1', '2', '3', '4', '5']);
      await run(isPartitioned ? at(4 + 30 + 400) : at(425));
      // The third is younger than the fourth, which is purged: to show it would hide a gap.
      expect(await read(long, '0')).toEqual(['5']);
      expect(await read(long, undefined)).toEqual(['5']);
      expect(await read(long, '4')).toEqual(['5']);
      for (const cursor of ['1', '2', '3']) await expect(read(long, cursor)).rejects.toMatchObject(tooOld);
      expect(await read(quiet, '0')).toEqual([]);
      expect(await read(quiet, '1')).toEqual([]);
      expect(await read(young, '0')).toEqual(['1']);
    },
  );

  test('that is purged leaves a snapshot of every job, from which a reader continues [FEED-8]', async () => {
    const seller = await insertCompany(database, 'SALES');
    const companyId = await newInstaller();
    const newJob = () => insertAssignedJob(database, seller, companyId);
    const jobs = [await newJob(), await newJob()];
    await database.query('update feed_entries set changed_at = $1', [at(0)]);
    await run(dropsAt);
    await expect(read(companyId, '1')).rejects.toMatchObject(tooOld);
    const snapshot = await listAssignedJobs(database, { companyId, afterJobId: undefined, limit: 10 });
    expect(snapshot.jobs.map(({ jobId }) => jobId)).toEqual(jobs);
    expect(await read(companyId, snapshot.feedSequence)).toEqual([]);
  });

  test('returns all entries after the cursor or refuses it, whenever the partition is dropped [FEED-8]', async () => {
    await makePartitionsAhead(database, () => at(4));
    const companyId = await insertCompany(database, 'INSTALLER');
    for (let sequence = 1; sequence <= 4; sequence += 1) {
      await append(companyId, sequence, sequence <= 2 ? at(5) : at(40));
    }
    const readOutcome = () => read(companyId, '1').then(String, reasonOf);
    let isOver = false;
    const readers = Array.from({ length: 4 }, async () => {
      const seen = new Set<string>();
      while (!isOver) seen.add(await readOutcome());
      return seen;
    });
    // The table may be locked for too long: then the next run drops the partition.
    const isDropped = async () => {
      await run(at(4 + 30 + 400)).catch(() => undefined);
      const [left] = await database.query<{ name: string | null }>(
        `select to_regclass('feed_entries_p20241213')::text as name`,
      );
      return left?.name === null;
    };
    await eventually('the partition is dropped', isDropped).finally(() => {
      isOver = true;
    });
    for (const seen of await Promise.all(readers)) {
      expect([...seen].filter((text) => !['2,3,4', 'cursor_invalid'].includes(text))).toEqual([]);
    }
    expect(await readOutcome()).toBe('cursor_invalid');
  });

  test('is not dropped without its mark', async () => {
    await makePartitionsAhead(database, () => at(4));
    const companyId = await insertCompany(database, 'INSTALLER');
    await append(companyId, 1, at(5));
    const failing = beforeStatement(database, (text) => {
      if (text.startsWith('select drop_partition')) throw new Error('crashed');
    });
    await expect(run(at(600), failing)).rejects.toThrow('crashed');
    expect(await read(companyId, '0')).toEqual(['1']);
  });
});
