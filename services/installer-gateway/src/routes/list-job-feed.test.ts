import { describe, expect, test } from '@jest/globals';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type {
  ListAssignedJobsRequest,
  ListJobFeedRequest,
  ListJobFeedResponseSchema,
} from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { errorBody } from '@partner/proto-contracts/api/error-body';
import { jobFeedResponse } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import { ServiceError } from '@partner/kernel/service-error';
import request from 'supertest';
import { z } from 'zod';
import { createTestApp, cursors, keys, projectionText } from '../testing/create-test-app.js';

interface Entry {
  readonly jobId: string;
  readonly sequence: number;
}

const page = z.object({
  resources: z.array(
    z.object({ sequence: z.int(), changedAt: z.string(), resource: z.object({ id: z.string() }) }),
  ),
  nextCursor: z.string().nullable(),
  hasMore: z.boolean(),
});

const changedAt = (sequence: number) => `2026-09-01T11:00:${String(sequence).padStart(2, '0')}.000Z`;
const resourceJson = (jobId: string) => projectionText({ id: jobId });
const tail = (sequence: number) => cursors.encode('cmp_1', { kind: 'feed', sequence: String(sequence) });

/** A company `cmp_1` whose feed and jobs a test changes; `cmp_2` has never had a job. */
function createFixture(jobIds: readonly string[] = []) {
  const feed: Entry[] = [];
  const jobs = new Map<string, Entry>();
  const feedRequests: ListJobFeedRequest[] = [];
  const jobRequests: ListAssignedJobsRequest[] = [];
  const change = (jobId: string) => {
    const entry = { jobId, sequence: feed.length + 1 };
    feed.push(entry);
    jobs.set(jobId, entry);
  };
  const leave = (jobId: string) => jobs.delete(jobId);
  for (const jobId of jobIds) change(jobId);

  const app = createTestApp({
    jobs: {
      listJobFeed(queries) {
        feedRequests.push(queries);
        const { companyId, afterSequence, limit = 0 } = queries;
        const after = feed.filter(
          ({ jobId, sequence }) =>
            companyId === 'cmp_1' && jobs.has(jobId) && sequence > Number(afterSequence ?? 0),
        );
        const entries = afterSequence === undefined ? after.slice(-limit) : after.slice(0, limit);
        return {
          entries: entries.map(({ jobId, sequence }) => ({
            sequence: String(sequence),
            changedAt: changedAt(sequence),
            resourceJson: resourceJson(jobId),
          })),
          hasMore: afterSequence !== undefined && after.length > limit,
        };
      },
      listAssignedJobs(queries) {
        jobRequests.push(queries);
        const { companyId, afterJobId = '', limit = 0 } = queries;
        const all = companyId === 'cmp_1' ? [...jobs.values()] : [];
        const after = all
          .filter(({ jobId }) => jobId > afterJobId)
          .sort((a, b) => (a.jobId < b.jobId ? -1 : 1));
        return {
          jobs: after.slice(0, limit).map(({ jobId, sequence }) => ({
            jobId,
            changedAt: changedAt(sequence),
            resourceJson: resourceJson(jobId),
          })),
          hasMore: after.length > limit,
          feedSequence: companyId === 'cmp_1' ? String(feed.length) : '0',
        };
      },
    },
  });
  const get = (query: string, key = keys.installer) =>
    request(app).get(`/partner/v1/jobs?${query}`).set('x-api-key', key.text);
  const read = async (query: string, key = keys.installer) => {
    const response = await get(query, key);
    expect([response.status, response.headers['x-svc-api-version']]).toEqual([200, '2026-08-26']);
    const { resources, nextCursor, hasMore } = page.parse(response.body);
    return {
      entries: resources.map(({ sequence, resource }) => [sequence, resource.id]),
      nextCursor,
      hasMore,
    };
  };
  return { get, read, change, leave, feedRequests, jobRequests };
}

describe('from=start', () => {
  test('reads from the oldest entry on, page by page, even when each page is requested with the first query [FEED-5]', async () => {
    const { read, feedRequests } = createFixture(['job_1', 'job_2', 'job_3']);
    const first = await read('from=start&limit=2');
    expect(first).toEqual({
      entries: [
        [1, 'job_1'],
        [2, 'job_2'],
      ],
      nextCursor: tail(2),
      hasMore: true,
    });
    const second = await read(`from=start&limit=2&cursor=${first.nextCursor}`);
    expect(second).toEqual({ entries: [[3, 'job_3']], nextCursor: tail(3), hasMore: false });
    expect(feedRequests.map(({ afterSequence }) => afterSequence)).toEqual(['0', '2']);
  });

  test('has no cursor only when the company has no entry', async () => {
    const { read } = createFixture(['job_1']);
    const nothing = { entries: [], nextCursor: null, hasMore: false };
    expect(await read('from=start', keys.favoured)).toEqual(nothing);
  });
});

describe('view=snapshot', () => {
  test('pages through the jobs in order of their ids, all with its start sequence, and ends with the cursor of the feed [FEED-5, FEED-6]', async () => {
    const { read, change, jobRequests, feedRequests } = createFixture([
      'job_1',
      'job_2',
      'job_3',
      'job_4',
      'job_5',
    ]);
    const first = await read('view=snapshot&limit=2');
    expect(first).toMatchObject({
      entries: [
        [5, 'job_1'],
        [5, 'job_2'],
      ],
      hasMore: true,
    });
    change('job_4');
    change('job_0');
    const second = await read(`limit=1&cursor=${first.nextCursor}`);
    expect(second).toMatchObject({ entries: [[5, 'job_3']], hasMore: true });
    change('job_3');
    const third = await read(`cursor=${second.nextCursor}`);
    expect(third).toEqual({
      entries: [
        [5, 'job_4'],
        [5, 'job_5'],
      ],
      nextCursor: tail(5),
      hasMore: false,
    });
    expect(jobRequests).toMatchObject([
      { companyId: 'cmp_1', limit: 2 },
      { companyId: 'cmp_1', limit: 1, afterJobId: 'job_2' },
      { companyId: 'cmp_1', limit: 50, afterJobId: 'job_3' },
    ]);
    expect(jobRequests[0]?.afterJobId).toBeUndefined();
    expect(feedRequests).toHaveLength(0);

    expect((await read(`cursor=${third.nextCursor}`)).entries).toEqual([
      [6, 'job_4'],
      [7, 'job_0'],
      [8, 'job_3'],
    ]);
  });

  test('continues after its cursor when each page, and then the feed, is requested with the first query [FEED-6]', async () => {
    const { read, change } = createFixture(['job_1', 'job_2']);
    const first = await read('view=snapshot&limit=1');
    const second = await read(`view=snapshot&limit=1&cursor=${first.nextCursor}`);
    expect(second).toEqual({ entries: [[2, 'job_2']], nextCursor: tail(2), hasMore: false });
    change('job_1');
    const third = await read(`view=snapshot&limit=1&cursor=${second.nextCursor}`);
    expect(third).toEqual({ entries: [[3, 'job_1']], nextCursor: tail(3), hasMore: false });
    for (const rest of ['from=start', 'from=start&view=snapshot']) {
      expect((await read(`${rest}&cursor=${first.nextCursor}`)).entries).toEqual([[2, 'job_2']]);
    }
  });

  test('shows when each job changed last, and its stored projection', async () => {
    const { get } = createFixture(['job_1', 'job_2']);
    const { text } = await get('view=snapshot');
    const entry = (jobId: string, place: number) =>
      `{"sequence":2,"changedAt":"${changedAt(place)}","resource":${resourceJson(jobId)}}`;
    expect(text).toBe(
      `{"apiVersion":"2026-08-26","resources":[${entry('job_1', 1)},${entry('job_2', 2)}],"nextCursor":"${tail(2)}","hasMore":false}`,
    );
  });

  test('ends with the cursor of the feed when the remaining jobs have gone', async () => {
    const { read, leave } = createFixture(['job_1', 'job_2']);
    const first = await read('view=snapshot&limit=1');
    leave('job_2');
    expect(await read(`cursor=${first.nextCursor}`)).toEqual({
      entries: [],
      nextCursor: tail(2),
      hasMore: false,
    });
  });

  test('of a company without jobs is the cursor of the feed, or null if it has never had any', async () => {
    const { read, leave } = createFixture(['job_1', 'job_2']);
    leave('job_1');
    leave('job_2');
    const nothing = { entries: [], hasMore: false };
    expect(await read('view=snapshot')).toEqual({ ...nothing, nextCursor: tail(2) });
    expect(await read('view=snapshot', keys.favoured)).toEqual({ ...nothing, nextCursor: null });
  });

  test('refuses a cursor of another company and a changed one', async () => {
    const { get, read, jobRequests } = createFixture(['job_1', 'job_2']);
    const { nextCursor } = await read('view=snapshot&limit=1');
    const queries = jobRequests.length;
    for (const response of [
      await get(`view=snapshot&cursor=${nextCursor}`, keys.favoured),
      await get(`view=snapshot&cursor=${nextCursor}A`),
      await get('view=snapshot&cursor='),
    ]) {
      expect(response.status).toBe(400);
      expect(errorBody.parse(response.body)).toMatchObject({
        code: 'cursor_invalid',
        details: [{ path: 'cursor' }],
      });
    }
    expect(jobRequests).toHaveLength(queries);
  });
});

describe('include=unassigned', () => {
  const gone = (sequence: string) => ({
    sequence,
    jobId: 'job_1',
    unassignedAt: changedAt(Number(sequence)),
  });
  const entry = (sequence: string) => ({
    sequence,
    changedAt: changedAt(Number(sequence)),
    resourceJson: resourceJson('job_2'),
  });
  const serve = (page: MessageInitShape<typeof ListJobFeedResponseSchema>) => {
    const requests: ListJobFeedRequest[] = [];
    const app = createTestApp({
      jobs: {
        listJobFeed(received) {
          requests.push(received);
          return page;
        },
      },
    });
    const get = (query: string) =>
      request(app).get(`/partner/v1/jobs?${query}`).set('x-api-key', keys.installer.text);
    return { get, requests };
  };

  test.each([
    ['before', '3', '4', '4'],
    ['after', '10', '9', '10'],
  ])(
    'adds the jobs that left %s the last entry, and continues after the later of both [FEED-10]',
    async (_where, left, changed, next) => {
      const { get, requests } = serve({
        entries: [entry(changed)],
        unassigned: [gone(left)],
        hasMore: false,
      });
      const response = await get(`include=unassigned&cursor=${tail(2)}`);
      expect(jobFeedResponse.parse(response.body)).toMatchObject({
        resources: [{ sequence: Number(changed) }],
        unassigned: [{ ...gone(left), sequence: Number(left) }],
        nextCursor: tail(Number(next)),
        hasMore: false,
      });
      expect(requests).toMatchObject([{ afterSequence: '2', includeUnassigned: true }]);
    },
  );

  test('has a cursor for a page of jobs that left alone, and an entity tag that changes with it [FEED-10]', async () => {
    const { get } = serve({ entries: [], unassigned: [gone('5')], hasMore: true });
    const response = await get('include=unassigned');
    expect(response.body).toMatchObject({ resources: [], nextCursor: tail(5), hasMore: true });
    const later = await serve({ entries: [], unassigned: [], hasMore: false })
      .get(`include=unassigned&cursor=${tail(5)}`)
      .set('if-none-match', response.headers['etag'] ?? '');
    expect([later.status, later.body]).toMatchObject([200, { unassigned: [], nextCursor: tail(5) }]);
  });

  test('is what a reader has to ask for: without it a page is as before, and another value is a 400 [FEED-10]', async () => {
    const { get, requests } = serve({ entries: [entry('4')], hasMore: false });
    const { text } = await get(`cursor=${tail(2)}`);
    expect(text).toBe(
      `{"apiVersion":"2026-08-26","resources":[{"sequence":4,"changedAt":"${changedAt(4)}","resource":${resourceJson('job_2')}}],` +
        `"nextCursor":"${tail(4)}","hasMore":false}`,
    );
    expect(requests).toMatchObject([{ includeUnassigned: false }]);
    const refused = await get('include=deleted');
    expect([refused.status, errorBody.parse(refused.body).error]).toEqual([
      400,
      'include: must be unassigned',
    ]);
  });

  test('leaves a snapshot without jobs that left: it ends where they follow [FEED-6, FEED-10]', async () => {
    const { get } = createFixture(['job_1', 'job_2']);
    const response = await get('view=snapshot&include=unassigned&limit=1');
    expect(response.body).toMatchObject({ resources: [{ sequence: 2 }], unassigned: [], hasMore: true });
  });
});

test('a cursor whose entries are no longer stored is 400 cursor_invalid [FEED-8]', async () => {
  const message = 'is too old: the feed is kept for 400 days; begin again with view=snapshot';
  const app = createTestApp({
    jobs: {
      listJobFeed() {
        throw new ServiceError('cursor_invalid', `cursor: ${message}`, {
          details: [{ path: 'cursor', message }],
        });
      },
    },
  });
  const response = await request(app)
    .get(`/partner/v1/jobs?cursor=${tail(3)}`)
    .set('x-api-key', keys.installer.text);
  expect(response.status).toBe(400);
  expect(errorBody.parse(response.body)).toMatchObject({
    error: `cursor: ${message}`,
    code: 'cursor_invalid',
    details: [{ path: 'cursor', message }],
  });
});

test.each([
  ['from=start&view=snapshot', 'from: must not be given together with view'],
  ['from=end', 'from: must be start'],
  ['view=all', 'view: must be snapshot'],
  ['view=snapshot&view=snapshot', 'view: must be snapshot'],
])('the query %s is a 400', async (query, message) => {
  const { get, jobRequests, feedRequests } = createFixture(['job_1']);
  const response = await get(query);
  expect([response.status, errorBody.parse(response.body).error]).toEqual([400, message]);
  expect([...jobRequests, ...feedRequests]).toHaveLength(0);
});
