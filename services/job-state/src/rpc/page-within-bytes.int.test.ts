import { beforeAll, describe, expect, test } from '@jest/globals';
import { listJobFeedOperation } from '@partner/proto-contracts/resources/feed-entry/operations';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { MAX_MESSAGE_BYTES } from '@partner/kernel/amqp/message-size';
import { newId } from '@partner/kernel/process/ids';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { appendFeedEntry } from '../jobs/feed.js';
import { listJobFeed } from '../jobs/list-job-feed.js';
import { installerKey } from '../testing/callers.js';
import { listContractorJobs } from '../testing/partner-calls.js';
import { z } from 'zod';
import { insertAssignedJob, insertCompany, TEST_NOW } from '../testing/test-jobs.js';
import { database } from '../testing/file-database.js';

/** More than the largest projection: a scope of 600 items, each text of 200 characters that JSON escapes, and 1,000 documents. */
const LARGEST_PROJECTION = JSON.stringify('x'.repeat(2_000_000));
const JOBS = 12;

let seller: string;
let installer: string;
let jobIds: readonly string[];

beforeAll(async () => {
  seller = await insertCompany(database, 'SALES');
  installer = await insertCompany(database, 'INSTALLER');
  const ids: string[] = [];
  for (let job = 0; job < JOBS; job += 1) ids.push(await insertAssignedJob(database, seller, installer));
  jobIds = ids.toSorted();
  await database.query('update jobs set projection = $1', [LARGEST_PROJECTION]);
  await database.transaction((tx) => {
    for (const jobId of jobIds) {
      appendFeedEntry(tx, { companyId: installer, jobId, changedAt: TEST_NOW, resource: LARGEST_PROJECTION });
    }
  });
});

/** Reads a page of the installer's feed; a call fails whose reply is more than a message may hold. */
const feed = async (query: Readonly<Record<string, string>>, after?: string) => {
  const implementations = [listJobFeed({ database, feedDays: 400 })];
  const { call } = inProcessOperations({ implementations, callers: ['key'] });
  const reply = await call(listJobFeedOperation, {
    caller: installerKey(installer),
    query: { limit: '100', ...query },
    ...(after !== undefined && { after }),
  });
  return { ...page.parse(JSON.parse(reply.json)), ...reply };
};
const page = z.object({ resources: z.array(z.object({ sequence: z.int(), resource: z.unknown() })) });

describe('a page of the largest rows', () => {
  test('of the feed is cut at 8 MiB, and hasMore leads to the rest [FEED-9, LIMIT-7]', async () => {
    const seen: number[] = [];
    let next: string | undefined = '0';
    let pages = 0;
    for (let hasMore: boolean | undefined = true; hasMore === true; pages += 1) {
      const page = await feed({}, next);
      seen.push(...page.resources.map(({ sequence }) => sequence));
      ({ next, hasMore } = page);
    }
    // The assignments made the first entries.
    expect(seen).toEqual(Array.from({ length: 2 * JOBS }, (_, index) => index + 1));
    expect(pages).toBe(3);
  });

  test('of the newest entries has as many of the newest as fit [FEED-5, FEED-9]', async () => {
    const { resources, hasMore } = await feed({});
    expect(resources.map(({ sequence }) => sequence)).toEqual([21, 22, 23, 24]);
    expect(hasMore).toBe(false);
  });

  test('of a snapshot is cut at 8 MiB, and hasMore leads to the rest [FEED-9, LIMIT-7]', async () => {
    const lasts: (string | undefined)[] = [];
    let page = await feed({ view: 'snapshot' });
    let count = page.resources.length;
    for (; page.hasMore === true; count += page.resources.length) {
      lasts.push(page.next);
      page = await feed({}, page.next);
    }
    expect(count).toBe(JOBS);
    expect(lasts.length).toBeGreaterThan(0);
    expect(lasts.every((last) => jobIds.some((jobId) => last === `24:${jobId}`))).toBe(true);
    expect(page.next).toBe('24');
  });

  test('of sold jobs is cut at 8 MiB, and hasMore says so [CONTRACTOR-6, LIMIT-7]', async () => {
    const buyer = await insertCompany(database, 'INSTALLER');
    await database.query(
      `insert into jobs (id, selling_company_id, installer_company_id, version, status, customer, scope, assigned_at,
         projection, installer_note, created_at, updated_at, last_updated_at)
       select id, $2, $3, 1, 'ASSIGNED', '{"line1": "", "city": "", "state": "", "zip": ""}', '{}', $4, '', $5, $4, $4, $4
       from unnest($1::text[]) as id`,
      [
        ...[Array.from({ length: 100 }, () => newId('job')), seller, buyer, TEST_NOW],
        '\u0001'.repeat(LIMITS.installerNoteLength),
      ],
    );
    const key = { companyId: seller, installerCompanyId: buyer };
    const list = (take: number) => listContractorJobs({ database }, { ...key, take });
    const page = await list(200);
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
    expect(page.jobs).toHaveLength(69);
    expect(page.hasMore).toBe(true);
    expect(await list(69)).toEqual(page);
  });
});
