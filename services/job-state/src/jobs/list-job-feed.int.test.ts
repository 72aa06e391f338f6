import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { eventually } from '@partner/test-kit/eventually';
import { SEED, seededRandom } from '@partner/test-kit/seeded-random';
import type { QueryResultRow } from 'pg';
import { z } from 'zod';
import { recordStatusEvent } from '../testing/partner-calls.js';
import { textOf } from '../testing/statement-text.js';
import type { Database, Queryable } from '../database/database.js';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import {
  binding,
  insertAssignedJob,
  insertCompany,
  jobAssignedMessage,
  recordForTest,
} from '../testing/test-jobs.js';
import { readFeed } from './feed.js';
import { listAssignedJobs } from './list-job-feed.js';

let testDatabase: TestDatabase;
let database: Database;
let seller: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase({ poolSize: 40 });
  ({ database } = testDatabase);
  seller = await insertCompany(database, 'SALES');
});

afterAll(() => testDatabase.drop());

const insertInstaller = () => insertCompany(database, 'INSTALLER');

/** Assigns a job to a company with a newer version than the previous assignment. */
let assignments = 0;
async function assign(to: string, jobId: string, within: Pick<Database, 'transaction'> = database) {
  assignments += 1;
  const occurredAt = new Date(Date.UTC(2026, 9, 2) + assignments);
  const version = 2 + assignments;
  const message = jobAssignedMessage({ jobId, installerCompanyId: to, version, occurredAt });
  await within.transaction((tx) => recordForTest(tx, message, occurredAt));
}

/** Changes a job's status at the given version; resolves to the error, if any. */
async function move(
  companyId: string,
  job: { readonly id: string; readonly version: number; readonly status: string },
  within: Pick<Database, 'transaction'> = database,
): Promise<unknown> {
  const isBlocking = job.status !== 'BLOCKED';
  const write = {
    ...{ companyId, jobId: job.id, binding: binding(newId('evt')) },
    ...(isBlocking ? { status: 'BLOCKED', blockerCode: 'WEATHER' } : { status: 'ACKNOWLEDGED' }),
    ...{ occurredAt: new Date(), expectedVersion: job.version },
  };
  return recordStatusEvent({ database: within, clock: () => new Date() }, write).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('the jobs of a company', () => {
  const read = async (companyId: string, limit: number, afterJobId?: string) => {
    const page = await listAssignedJobs(database, { companyId, afterJobId, limit });
    const { jobs, hasMore, feedSequence } = page;
    return [jobs.map(({ jobId }) => jobId), hasMore, feedSequence];
  };

  test('are read page by page in order of their ids, with the newest sequence of the feed', async () => {
    const [companyId, other] = [await insertInstaller(), await insertInstaller()];
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      ids.push(await insertAssignedJob(database, seller, companyId));
      await insertAssignedJob(database, seller, other);
    }
    const [one = '', two = '', three = '', four = '', five = ''] = [...ids].sort();
    // A changed job is stored behind the others.
    expect(await move(companyId, { id: one, version: 1, status: 'ASSIGNED' })).toBeUndefined();
    expect(await read(companyId, 2)).toEqual([[one, two], true, '6']);
    expect(await read(companyId, 2, two)).toEqual([[three, four], true, '6']);
    expect(await read(companyId, 2, four)).toEqual([[five], false, '6']);
    expect(await read(companyId, 1, four)).toEqual([[five], false, '6']);
    expect(await read(companyId, 2, five)).toEqual([[], false, '6']);

    const withoutIndex = await database.transaction(async (tx) => {
      await tx.query('set local enable_indexscan = off');
      await tx.query('set local enable_bitmapscan = off');
      return listAssignedJobs(tx, { companyId, afterJobId: undefined, limit: 2 });
    });
    expect(withoutIndex.jobs.map(({ jobId }) => jobId)).toEqual([one, two]);
  });

  test('are found without reading the jobs of others', async () => {
    const companyId = await insertInstaller();
    const others = await Promise.all(Array.from({ length: 20 }, insertInstaller));
    // Their jobs are the oldest, as of a company without new ones: after its last job only those of others follow.
    await database.query(
      `insert into jobs (id, selling_company_id, installer_company_id, version, status, assigned_at, customer, scope,
         projection, created_at, updated_at, last_updated_at)
       select 'job_' || lpad(i::text, 26, '0'), $1, case when i <= 2000 then $2 else ($3::text[])[1 + i % 20] end, 1, 'ASSIGNED',
         now(), '{}', '{}', repeat('x', 2000), now(), now(), now()
       from generate_series(1, 20000) as i`,
      [seller, companyId, others],
    );
    await database.query('analyze jobs');
    const plans: unknown[] = [];
    const explaining: Queryable = {
      async query<Row extends QueryResultRow>(...[statement, values]: Parameters<Queryable['query']>) {
        plans.push(...(await database.query(`explain (analyze, format json) ${textOf(statement)}`, values)));
        return database.query<Row>(statement, values);
      },
    };
    const afterJobId = `job_${'1990'.padStart(26, '0')}`;
    const { jobs } = await listAssignedJobs(explaining, { companyId, afterJobId, limit: 50 });
    expect(jobs).toHaveLength(10);
    expect(plans).toHaveLength(1);
    const plan = JSON.stringify(plans);
    expect(plan).toContain('"Index Name":"jobs_open_installer_company_id_idx"');
    const removed = [...plan.matchAll(/"Rows Removed by Filter":(\d+)/g)].map(([, rows]) => Number(rows));
    expect(Math.max(0, ...removed)).toBeLessThan(100);
  });

  test('are consistent with the sequence: a concurrent commit is in neither or has a higher sequence', async () => {
    const companyId = await insertInstaller();
    const id = await insertAssignedJob(database, seller, companyId);
    let version = 1;
    const change = async () => {
      const status = version % 2 === 1 ? 'ASSIGNED' : 'BLOCKED';
      expect(await move(companyId, { id, version, status })).toBeUndefined();
      version += 1;
    };
    /** Commits a change of the job right before and right after each statement. */
    const between: Queryable = {
      async query<Row extends QueryResultRow>(...[text, values]: Parameters<Queryable['query']>) {
        await change();
        const rows = await database.query<Row>(text, values);
        await change();
        return rows;
      },
    };
    const page = { companyId, afterJobId: undefined, limit: 1 };
    const { jobs, feedSequence } = await listAssignedJobs(between, page);
    // The feed of this company has one entry for each version of its one job.
    expect(versionIn(jobs[0]?.resource ?? '')).toBeGreaterThanOrEqual(Number(feedSequence));
    expect(feedSequence).toBe('2');
  });
});

const projection = z.object({ id: z.string(), version: z.int(), status: z.string() });
const versionIn = (resource: string) => projection.parse(JSON.parse(resource)).version;

interface Reader {
  /** The newest state that the reader received of each job, in order of arrival. */
  readonly picture: Map<string, string>;
  readonly snapshots: number;
}

/** Walks a snapshot as the API does, then tails the feed until the writers have finished and it is drained. */
async function walkAndTail(companyId: string, limit: number, isOver: () => boolean): Promise<Reader> {
  const picture = new Map<string, string>();
  let pages = 0;
  let began: string | undefined;
  for (let afterJobId: string | undefined, hasMore = true; hasMore;) {
    const page = await listAssignedJobs(database, { companyId, afterJobId, limit });
    began ??= page.feedSequence;
    for (const { jobId, resource } of page.jobs) picture.set(jobId, resource);
    afterJobId = page.jobs.at(-1)?.jobId ?? afterJobId;
    hasMore = page.hasMore;
    pages += 1;
  }
  for (let after = began ?? '0'; ;) {
    const wasOver = isOver();
    const position = { companyId, afterSequence: after, limit, includeUnassigned: true };
    const { entries, unassigned } = await readFeed(database, position);
    invariant(entries.length + unassigned.length <= limit, 'both kinds together keep to the limit');
    for (const list of [unassigned, entries]) {
      const places = [after, ...list.map(({ sequence }) => sequence)].map(Number);
      invariant(
        places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0)),
        'each kind is read in ascending order',
      );
    }
    for (const { jobId } of unassigned) picture.delete(jobId);
    for (const { resource } of entries) picture.set(projection.parse(JSON.parse(resource)).id, resource);
    const isEmpty = entries.length + unassigned.length === 0;
    after = String(
      Math.max(...[...entries, ...unassigned].map(({ sequence }) => Number(sequence)), Number(after)),
    );
    if (isEmpty) {
      if (wasOver) return { picture, snapshots: pages };
      await delay(1);
    }
  }
}

describe('a reader that walks a snapshot and then tails the feed', () => {
  const JOBS = 24;
  const WRITERS = 12;
  const CHANGES_PER_WRITER = 25;
  const READERS = 16;

  test('has exactly the present jobs after any concurrent changes and assignments [FEED-10]', async () => {
    const companyId = await insertInstaller();
    const other = await insertInstaller();
    const owners = Array.from({ length: JOBS }, (_, index) => (index % 2 === 0 ? companyId : other));
    const ids = await Promise.all(owners.map((owner) => insertAssignedJob(database, seller, owner)));
    const random = seededRandom(SEED);
    let running = WRITERS;
    let changes = 0;
    const paused: Pick<Database, 'transaction'> = {
      transaction: (work, limits) =>
        database.transaction(async (tx) => {
          const result = await work(tx);
          await delay(random() * 6);
          return result;
        }, limits),
    };
    const changeSomething = async () => {
      const id = ids[Math.floor(random() * ids.length)];
      invariant(id, 'there are jobs');
      const [job] = await database.query<{ version: number; status: string; owner: string }>(
        'select version, status, installer_company_id as owner from jobs where id = $1',
        [id],
      );
      invariant(job, 'the job is there');
      if (random() < 0.15) ids.push(await insertAssignedJob(paused, seller, companyId));
      else if (random() < 0.4) await assign(job.owner === other ? companyId : other, id, paused);
      else await move(job.owner, { id, ...job }, paused);
      changes += 1;
    };
    const write = async () => {
      for (let count = 0; count < CHANGES_PER_WRITER; count += 1) await changeSomething();
      running -= 1;
    };
    const writers = Array.from({ length: WRITERS }, write);
    const readers: Promise<Reader>[] = [];
    // Readers start at different times, with pages so small that writes continue during the snapshot.
    while (readers.length < READERS) {
      const due = (readers.length * WRITERS * CHANGES_PER_WRITER) / READERS;
      await eventually(`${due} changes`, () => changes >= due, { everyMs: 1 });
      readers.push(walkAndTail(companyId, 1 + (readers.length % 4), () => running === 0));
    }
    await Promise.all(writers);

    const present = 'select id, projection from jobs where installer_company_id = $1';
    const truth = await database.query<{ id: string; projection: string }>(present, [companyId]);
    const left = await database.query('select from unassigned_jobs where company_id = $1', [companyId]);
    expect(truth.length).toBeGreaterThan(0);
    expect(left.length).toBeGreaterThan(0);
    const expected = Object.fromEntries(truth.map(({ id, projection: text }) => [id, text]));
    for (const { picture, snapshots } of await Promise.all(readers)) {
      expect(snapshots).toBeGreaterThan(1);
      expect(Object.fromEntries(picture)).toEqual(expected);
    }
  });
});
