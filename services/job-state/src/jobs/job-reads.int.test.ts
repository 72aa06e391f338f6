import { beforeAll, describe, expect, test } from '@jest/globals';
import { operatorJob } from '@partner/proto-contracts/resources/operator-job/operator-job';
import { listJobFeedOperation } from '@partner/proto-contracts/resources/feed-entry/operations';
import { listTechniciansOperation } from '@partner/proto-contracts/resources/technician/operations';
import { technician } from '@partner/proto-contracts/resources/technician/technician';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import { newId } from '@partner/kernel/process/ids';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { z } from 'zod';
import { getOperatorJob } from '../operator/get-job.js';
import { installerKey } from '../testing/callers.js';
import { insertCompany, TEST_NOW } from '../testing/test-jobs.js';
import { leaveFeed } from './feed.js';
import { listTechnicians } from './job-reads.js';
import { listJobFeed } from './list-job-feed.js';
import { fixture } from './testing/job-write-fixture.js';

let operations: OperationClient;

beforeAll(() => {
  const { database } = fixture;
  operations = inProcessOperations({
    implementations: [listJobFeed({ database, feedDays: 400 }), listTechnicians({ database })],
    callers: ['key'],
  });
});

describe('the change feed', () => {
  const page = z.object({
    resources: z.array(z.object({ sequence: z.int(), resource: z.object({ id: z.string() }) })),
    unassigned: z.array(z.object({ sequence: z.int(), jobId: z.string() })).optional(),
  });

  async function read(companyId: string, query: Readonly<Record<string, string>>, after?: string) {
    const caller = installerKey(companyId);
    const call = { caller, query, ...(after !== undefined && { after }) };
    const { json, next, hasMore } = await operations.call(listJobFeedOperation, call);
    const { resources, unassigned } = page.parse(JSON.parse(json));
    return {
      json,
      entries: resources.map(({ sequence, resource }) => [sequence, resource.id]),
      unassigned: unassigned?.map(({ sequence, jobId }) => [sequence, jobId]),
      next,
      hasMore,
    };
  }

  /** A new company with this many jobs, in the order of their ids. */
  async function companyWith(count: number) {
    const companyId = await insertCompany(fixture.database, 'INSTALLER');
    const ids: string[] = [];
    for (let job = 0; job < count; job += 1) ids.push(await fixture.job(companyId));
    return { companyId, ids };
  }

  test('holds each stored projection as text, after the sequence and the instant of its change [FEED-3]', async () => {
    const { companyId, ids } = await companyWith(1);
    const stored = 'select projection, updated_at from jobs where id = any($1)';
    const [job] = await fixture.database.query<{ projection: string; updated_at: Date }>(stored, [ids]);
    const { json } = await read(companyId, {});
    expect(json).toBe(
      `{"resources":[{"sequence":1,"changedAt":"${job?.updated_at.toISOString()}","resource":${job?.projection}}]}`,
    );
  });

  test('is read from its oldest entry, or after a position, page by page [FEED-5]', async () => {
    const { companyId, ids } = await companyWith(3);
    const first = await read(companyId, { from: 'start', limit: '2' });
    const [one, two] = [
      [1, ids[0]],
      [2, ids[1]],
    ];
    expect(first).toMatchObject({ entries: [one, two], next: '2', hasMore: true });
    const second = await read(companyId, { from: 'start', limit: '2' }, first.next);
    expect(second).toMatchObject({ entries: [[3, ids[2]]], next: '3', hasMore: false });
    expect(await read(companyId, {}, '3')).toMatchObject({ entries: [], next: undefined, hasMore: false });
    expect(await read(companyId, { limit: '1' })).toMatchObject({ entries: [[3, ids[2]]], hasMore: false });
  });

  test('begins after a snapshot of all jobs, whose entries have the sequence of its start [FEED-5, FEED-6]', async () => {
    const { companyId, ids } = await companyWith(3);
    const first = await read(companyId, { view: 'snapshot', limit: '2' });
    const entry = (id: string | undefined) => [3, id];
    const entries = ids.slice(0, 2).map(entry);
    expect(first).toMatchObject({ entries, next: `3:${ids[1]}`, hasMore: true });
    const later = await fixture.job(companyId);
    const second = await read(companyId, { view: 'snapshot' }, first.next);
    expect(second).toMatchObject({ entries: [ids[2], later].map(entry), next: '3', hasMore: false });
    expect(await read(companyId, { view: 'snapshot' }, second.next)).toMatchObject({ entries: [[4, later]] });
  });

  test('of a company that has never had an entry has no position', async () => {
    const { companyId } = await companyWith(0);
    for (const query of [{}, { view: 'snapshot' }]) {
      expect(await read(companyId, query)).toMatchObject({ entries: [], next: undefined, hasMore: false });
    }
  });

  test('has a job that left at the next place, for readers that ask for it, until it leaves again [FEED-7, FEED-10]', async () => {
    const { companyId, ids } = await companyWith(2);
    const [kept = '', gone = ''] = ids;
    const leave = () =>
      fixture.database.transaction((tx) => leaveFeed(tx, { companyId, jobId: gone, changedAt: TEST_NOW }));
    await leave();
    ids.push(await fixture.job(companyId));
    const [first, left, last] = [
      [1, kept],
      [3, gone],
      [4, ids[2]],
    ];
    const asked = { include: 'unassigned' };
    for (const [query, after, entries, unassigned, next, hasMore] of [
      [{}, '0', [first, last], undefined, '4', false],
      [{}, undefined, [first, last], undefined, '4', false],
      [{ limit: '1' }, '2', [last], undefined, '4', false],
      [asked, '0', [first, last], [left], '4', false],
      [{ ...asked, limit: '2' }, '0', [first], [left], '3', true],
      [{ ...asked, limit: '1' }, '2', [], [left], '3', true],
      [{ ...asked, limit: '2' }, undefined, [last], [left], '4', false],
    ] as const) {
      const page = { entries, unassigned, next, hasMore };
      expect([query, after, await read(companyId, query, after)]).toMatchObject([query, after, page]);
    }
    expect(await read(companyId, { ...asked, view: 'snapshot' })).toMatchObject({ unassigned: [] });
    await leave();
    expect(await read(companyId, asked, '1')).toMatchObject({ entries: [last], unassigned: [[5, gone]] });
    const stranger = await companyWith(0);
    expect(await read(stranger.companyId, asked, '0')).toMatchObject({ entries: [], unassigned: [] });
  });
});

describe('listTechnicians', () => {
  const body = z.object({ technicians: z.array(technician) });

  async function pageOf(companyId: string, query: { readonly limit?: string } = {}, after?: string) {
    const { json, next } = await operations.call(listTechniciansOperation, {
      ...{ caller: installerKey(companyId), query },
      ...(after !== undefined && { after }),
    });
    return { ...body.parse(JSON.parse(json)), next };
  }

  test('returns only the technicians of the company, active ones first, by name ignoring case, then id, in any pages [TECH-3]', async () => {
    const companyId = fixture.otherInstaller;
    const member = async (displayName: string, active = true) => ({
      membershipId: await fixture.technician({ companyId, displayName, active }),
      displayName,
      active,
    });
    const zoe = await member('Zoe Adams');
    const gone = [await member('Abe Able', false), await member('Zoe Adams', false)];
    const bob = await member('bob Brown');
    const sameName = await member('zoe adams');
    const ada = await member('Ada Cole');
    await fixture.technician({ companyId, displayName: 'Ann Owner', role: 'OWNER' });
    await fixture.technician({ displayName: 'Aaron Elsewhere' });
    const { technicians } = await pageOf(companyId);
    const zoes = zoe.membershipId < sameName.membershipId ? [zoe, sameName] : [sameName, zoe];
    expect(technicians).toEqual([ada, bob, ...zoes, ...gone]);
    const names = technicians.map(({ displayName }) => displayName);
    expect(await readPages(companyId, () => Promise.resolve())).toEqual(names);
  });

  /** Reads the pages of a company, at most four; `between` runs after each. */
  async function readPages(companyId: string, between: () => Promise<unknown>): Promise<string[]> {
    const read: string[] = [];
    let after: string | undefined;
    for (let page = 1; page <= 4; page += 1) {
      const { technicians, next } = await pageOf(companyId, { limit: '2' }, after);
      read.push(...technicians.map(({ displayName }) => displayName));
      if (next === undefined) break;
      after = next;
      await between();
    }
    return read;
  }

  test('skips no other technician if the last one of a page is renamed, deactivated or deleted before the next [TECH-3]', async () => {
    for (const change of [
      `update memberships set display_name = 'Zoe Adams' where id = $1`,
      'update memberships set active = false where id = $1',
      'delete from memberships where id = $1',
    ]) {
      const companyId = await insertCompany(fixture.database, 'INSTALLER');
      await fixture.technician({ companyId, displayName: 'Ada Cole' });
      const moving = await fixture.technician({ companyId, displayName: 'Bob Brown' });
      await fixture.technician({ companyId, displayName: 'Cy Dent' });
      await fixture.technician({ companyId, displayName: 'Dee East' });
      const read = await readPages(companyId, () => fixture.database.query(change, [moving]));
      expect(read).toEqual(expect.arrayContaining(['Ada Cole', 'Bob Brown', 'Cy Dent', 'Dee East']));
    }
  });

  test.each(['', '[true,"Ada Cole"]'])('requires the position of an earlier page: not %j', async (after) => {
    await expect(pageOf(fixture.seller, {}, after)).rejects.toMatchObject({
      reason: 'invalid_argument',
      message: expect.stringContaining('after'),
    });
  });
});

test('an operator reads the state and the history of a job, and nothing about its customer [OPERATE-1]', async () => {
  const jobId = await fixture.job();
  await fixture.record({ jobId, note: 'the gate code is 1234' });
  const job = await getOperatorJob(fixture.database, jobId);
  expect(operatorJob.strict().parse(job)).toEqual(job);
  const history = [{ version: 2, previousStatus: 'ASSIGNED', status: 'ACKNOWLEDGED' }];
  const about = { id: jobId, version: 2, status: 'ACKNOWLEDGED', installerCompanyId: fixture.installer };
  expect(job).toMatchObject({ ...about, history });
  expect(JSON.stringify(job)).not.toContain('1234');
  await expect(getOperatorJob(fixture.database, newId('job'))).rejects.toMatchObject({ reason: 'not_found' });
});
