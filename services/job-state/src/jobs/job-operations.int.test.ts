import { beforeAll, describe, expect, test } from '@jest/globals';
import type { OperationCall } from '@partner/proto-contracts/call';
import { listJobFeedOperation } from '@partner/proto-contracts/resources/feed-entry/operations';
import {
  getJobOperation,
  recordStatusEventOperation,
  replaceAssignmentsOperation,
  setScheduleOperation,
} from '@partner/proto-contracts/resources/job/operations';
import { listTechniciansOperation } from '@partner/proto-contracts/resources/technician/operations';
import { technician } from '@partner/proto-contracts/resources/technician/technician';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import { newId } from '@partner/kernel/process/ids';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { RELEASE_0_1_0 } from '@partner/test-kit/release-0-1-0';
import { z } from 'zod';
import { installerKey } from '../testing/callers.js';
import { insertCompany, TEST_NOW } from '../testing/test-jobs.js';
import { leaveFeed } from './feed.js';
import { jobOperations } from './job-operations.js';
import { fixture } from './testing/file-jobs.js';

let operations: OperationClient;

beforeAll(() => {
  const { database } = fixture;
  operations = inProcessOperations({
    implementations: jobOperations({
      database,
      clock: () => TEST_NOW,
      logger: silentLogger,
      feedDays: 400,
    }),
    callers: ['key'],
  });
});

const EXPIRES_AT = new Date(TEST_NOW.getTime() + 45 * 24 * 3_600_000);

/** A call of the installer about a job, with a new idempotency key. */
function write(jobId: string, body: object): OperationCall {
  return {
    caller: installerKey(fixture.installer),
    params: { id: jobId },
    body: { expectedVersion: 1, ...body },
    idempotencyKey: { key: newId('evt'), request: 'PUT /jobs', bodySha256: '00'.repeat(32) },
  };
}

const statusEvent = { status: 'ACKNOWLEDGED', occurredAt: TEST_NOW.toISOString() };
const schedule = {
  status: 'TENTATIVE',
  startsAt: '2026-10-05T15:00:00Z',
  endsAt: '2026-10-05T19:00:00.5Z',
  timeZone: 'America/Denver',
};

describe('a write to a job', () => {
  test.each([
    ['recordStatusEvent', recordStatusEventOperation, () => statusEvent, { status: 'ACKNOWLEDGED' }],
    [
      'setSchedule',
      setScheduleOperation,
      () => schedule,
      {
        schedule: {
          ...schedule,
          startsAt: '2026-10-05T15:00:00.000Z',
          endsAt: '2026-10-05T19:00:00.500Z',
        },
      },
    ],
    [
      'replaceAssignments',
      replaceAssignmentsOperation,
      (membershipId: string) => ({ membershipIds: [membershipId] }),
      { technicianAssignments: [{ assignedAt: TEST_NOW.toISOString() }] },
    ],
  ])('%s returns the job, and until when the key can be replayed', async (_id, operation, body, shown) => {
    const jobId = await fixture.job();
    const call = write(jobId, body(await fixture.technician()));
    const reply = await operations.call(operation, call);
    expect(JSON.parse(reply.json)).toMatchObject({ resource: { id: jobId, version: 2, ...shown } });
    expect(reply.idempotency).toEqual({ replayed: false, expiresAt: EXPIRES_AT });
    const again = await operations.call(operation, call);
    expect(again).toEqual({ ...reply, idempotency: { replayed: true, expiresAt: EXPIRES_AT } });
    const read = { ...call, body: undefined, idempotencyKey: undefined };
    expect((await operations.call(getJobOperation, read)).json).toBe(reply.json);
  });

  test('keeps the note and the blocker code of a status event', async () => {
    const jobId = await fixture.job();
    const blocked = { ...statusEvent, status: 'BLOCKED', blockerCode: 'PERMIT', note: 'Closed' };
    await operations.call(recordStatusEventOperation, write(jobId, blocked));
    const [event] = await fixture.database.query(
      'select status, blocker_code, note from job_status_events where job_id = $1 order by version desc limit 1',
      [jobId],
    );
    expect(event).toEqual({ status: 'BLOCKED', blocker_code: 'PERMIT', note: 'Closed' });
  });

  test.each([
    ['status', recordStatusEventOperation, { ...statusEvent, status: 'ASSIGNED' }],
    ['blockerCode', recordStatusEventOperation, { ...statusEvent, status: 'BLOCKED' }],
    ['expectedVersion', recordStatusEventOperation, { ...statusEvent, expectedVersion: undefined }],
    ['status', setScheduleOperation, { ...schedule, status: 'UNSCHEDULED' }],
    ['timeZone', setScheduleOperation, { ...schedule, timeZone: undefined }],
    ['membershipIds', replaceAssignmentsOperation, { membershipIds: ['mem_1', 'mem_2', 'mem_1'] }],
    ['membershipIds', replaceAssignmentsOperation, { membershipIds: Array.from({ length: 21 }, String) }],
  ])('requires a valid %s, as its gateway does', async (field, operation, body) => {
    await expect(operations.call(operation, write('job_1', body))).rejects.toMatchObject({
      reason: 'invalid_argument',
      message: expect.stringContaining(field),
    });
  });

  test('returns the outcome that release 0.1.0 stored under its key, byte for byte [IDEM-2]', async () => {
    const { call, storedOutcome: stored } = RELEASE_0_1_0;
    const jobId = await fixture.job();
    await fixture.database.query(
      `insert into idempotency_keys (company_id, key, operation, body_sha256, outcome, created_at, expires_at)
       values ($1, $2, $3, decode($4, 'hex'), $5, $6, $7)`,
      [
        ...[fixture.installer, call.idempotencyKey, stored.operation, stored.bodySha256, stored.outcome],
        ...[TEST_NOW, EXPIRES_AT],
      ],
    );
    const { operation: request, bodySha256 } = stored;
    const repeated = {
      ...write(jobId, z.looseObject({}).parse(JSON.parse(call.body))),
      idempotencyKey: { key: call.idempotencyKey, request, bodySha256 },
    };
    expect(await operations.call(recordStatusEventOperation, repeated)).toEqual({
      json: `{"resource":${stored.resource}}`,
      idempotency: { replayed: true, expiresAt: EXPIRES_AT },
    });
    const other = { ...repeated.idempotencyKey, bodySha256: '00'.repeat(32) };
    await expect(
      operations.call(recordStatusEventOperation, { ...repeated, idempotencyKey: other }),
    ).rejects.toMatchObject({ reason: 'idempotency_mismatch' });
  });

  test('requires an Idempotency-Key', async () => {
    const call = { ...write('job_1', statusEvent), idempotencyKey: undefined };
    await expect(operations.call(recordStatusEventOperation, call)).rejects.toMatchObject({
      message: 'Idempotency-Key: is required',
    });
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
    const [job] = await fixture.database.query<{ projection: string; updated_at: Date }>(
      'select projection, updated_at from jobs where id = any($1)',
      [ids],
    );
    const { json } = await read(companyId, {});
    expect(json).toBe(
      `{"resources":[{"sequence":1,"changedAt":"${job?.updated_at.toISOString()}","resource":${job?.projection}}]}`,
    );
  });

  test('is read from its oldest entry, or after a position, page by page [FEED-5]', async () => {
    const { companyId, ids } = await companyWith(3);
    const first = await read(companyId, { from: 'start', limit: '2' });
    expect(first).toMatchObject({
      entries: [
        [1, ids[0]],
        [2, ids[1]],
      ],
      next: '2',
      hasMore: true,
    });
    const second = await read(companyId, { from: 'start', limit: '2' }, first.next);
    expect(second).toMatchObject({ entries: [[3, ids[2]]], next: '3', hasMore: false });
    expect(await read(companyId, {}, '3')).toMatchObject({ entries: [], next: undefined, hasMore: false });
    expect(await read(companyId, { limit: '1' })).toMatchObject({ entries: [[3, ids[2]]], hasMore: false });
  });

  test('begins after a snapshot of all jobs, whose entries have the sequence of its start [FEED-5, FEED-6]', async () => {
    const { companyId, ids } = await companyWith(3);
    const first = await read(companyId, { view: 'snapshot', limit: '2' });
    expect(first).toMatchObject({
      entries: [
        [3, ids[0]],
        [3, ids[1]],
      ],
      next: `3:${ids[1]}`,
      hasMore: true,
    });
    const later = await fixture.job(companyId);
    const second = await read(companyId, { view: 'snapshot' }, first.next);
    expect(second).toMatchObject({
      entries: [
        [3, ids[2]],
        [3, later],
      ],
      next: '3',
      hasMore: false,
    });
    expect(await read(companyId, { view: 'snapshot' }, second.next)).toMatchObject({ entries: [[4, later]] });
  });

  test('of a company that has never had an entry has no position', async () => {
    const { companyId } = await companyWith(0);
    expect(await read(companyId, {})).toMatchObject({ entries: [], next: undefined, hasMore: false });
    expect(await read(companyId, { view: 'snapshot' })).toMatchObject({ entries: [], next: undefined });
  });

  test('names the jobs that left to a reader who asks, and continues after the later of both [FEED-10]', async () => {
    const { companyId, ids } = await companyWith(2);
    const [gone = '', kept = ''] = ids;
    await fixture.database.transaction(async (tx) => {
      leaveFeed(tx, { companyId, jobId: gone, changedAt: TEST_NOW });
    });
    const asked = { include: 'unassigned' };
    expect(await read(companyId, asked, '0')).toMatchObject({
      entries: [[2, kept]],
      unassigned: [[3, gone]],
      next: '3',
    });
    expect(await read(companyId, asked, '2')).toMatchObject({
      entries: [],
      unassigned: [[3, gone]],
      next: '3',
    });
    expect(await read(companyId, {}, '0')).toMatchObject({
      entries: [[2, kept]],
      unassigned: undefined,
      next: '2',
    });
    expect(await read(companyId, { ...asked, view: 'snapshot' })).toMatchObject({ unassigned: [] });
  });
});

describe('listTechnicians', () => {
  const body = z.object({ technicians: z.array(technician) });

  async function pageOf({
    companyId,
    after,
    limit,
  }: {
    readonly companyId: string;
    readonly after?: string | undefined;
    readonly limit?: number;
  }) {
    const { json, next } = await operations.call(listTechniciansOperation, {
      caller: installerKey(companyId),
      query: limit === undefined ? {} : { limit: String(limit) },
      ...(after !== undefined && { after }),
    });
    return { ...body.parse(JSON.parse(json)), next };
  }

  test('returns only the technicians of the company, active ones first, then by name ignoring case, then by id [TECH-3]', async () => {
    const companyId = fixture.otherInstaller;
    const member = async (
      displayName: string,
      active = true,
      role: 'OWNER' | 'TECHNICIAN' = 'TECHNICIAN',
    ) => ({
      membershipId: await fixture.technician({ companyId, displayName, active, role }),
      displayName,
      active,
    });
    const zoe = await member('Zoe Adams');
    const gone = await member('Abe Able', false);
    const bob = await member('bob Brown');
    const sameName = await member('Zoe Adams');
    const ada = await member('Ada Cole');
    await member('Ann Owner', true, 'OWNER');
    await fixture.technician({ displayName: 'Aaron Elsewhere' });
    const { technicians } = await pageOf({ companyId });
    const zoes = zoe.membershipId < sameName.membershipId ? [zoe, sameName] : [sameName, zoe];
    expect(technicians).toEqual([ada, bob, ...zoes, gone]);
  });

  test('returns at most 2,000 [TECH-3]', async () => {
    const companyId = fixture.seller;
    await fixture.database.query(
      `insert into memberships (id, company_id, role, display_name)
       select 'mem_many_' || n, $1, 'TECHNICIAN', 'Sam Reyes' from generate_series(1, 2001) as n`,
      [companyId],
    );
    const { technicians, next } = await pageOf({ companyId });
    expect(technicians).toHaveLength(2_000);
    const rest = await pageOf({ companyId, after: next });
    expect([rest.technicians.length, rest.next]).toEqual([1, undefined]);
  });

  /** Reads the pages of a company, at most four; `between` runs after each. */
  async function readPages(companyId: string, between: () => Promise<unknown>): Promise<string[]> {
    const read: string[] = [];
    let after: string | undefined;
    for (let page = 1; page <= 4; page += 1) {
      const { technicians, next } = await pageOf({ companyId, after, limit: 2 });
      read.push(...technicians.map(({ displayName }) => displayName));
      if (next === undefined) break;
      after = next;
      await between();
    }
    return read;
  }

  test('pages through all technicians, each once, in the order of the whole list [TECH-3]', async () => {
    const companyId = await insertCompany(fixture.database, 'INSTALLER');
    for (const [displayName, active] of [
      ['Zoe Adams', true],
      ['Zoe Adams', true],
      ['zoe adams', true],
      ['bob Brown', true],
      ['Ada Cole', true],
      ['Zoe Adams', false],
      ['Abe Able', false],
    ] as const) {
      await fixture.technician({ companyId, displayName, active });
    }
    const whole = await pageOf({ companyId });
    const names = whole.technicians.map(({ displayName }) => displayName);
    expect(names).toHaveLength(7);
    expect(await readPages(companyId, () => Promise.resolve())).toEqual(names);
  });

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

  test.each([
    ['limit', { limit: 0 }],
    ['limit', { limit: 2_001 }],
    ['after', { after: '' }],
    ['after', { after: '[true,"Ada Cole"]' }],
  ])('requires a valid %s: not %j', async (field, part) => {
    await expect(pageOf({ companyId: fixture.seller, ...part })).rejects.toMatchObject({
      reason: 'invalid_argument',
      message: expect.stringContaining(field),
    });
  });

  test('returns an empty list for a company without any', async () => {
    expect(await pageOf({ companyId: 'cmp_unknown' })).toEqual({ technicians: [], next: undefined });
  });
});
