import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Client, createClient } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  JobService,
  type ListTechniciansRequestSchema,
  type ReplaceAssignmentsRequestSchema,
  ScheduleStatus,
  type SetScheduleRequestSchema,
} from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { technician } from '@partner/proto-contracts/resources/technician/technician';
import { readResource } from '@partner/proto-contracts/resource-json';
import { rpcService } from '@partner/kernel/amqp/rpc-service';
import { newId } from '@partner/kernel/ids';
import { silentLogger } from '@partner/kernel/logger';
import { createInMemoryTransport } from '@partner/kernel/testing/in-memory-transport';
import { z } from 'zod';
import { binding, insertCompany, TEST_NOW } from '../testing/test-jobs.js';
import { createJobService } from './job-service.js';
import { type JobWriteFixture, openJobWriteFixture, TEST_SCHEDULE } from './testing/job-write-fixture.js';

let fixture: JobWriteFixture;
let client: Client<typeof JobService>;

beforeAll(async () => {
  fixture = await openJobWriteFixture({ poolSize: 4 });
  const { database } = fixture;
  const service = createJobService({ database, clock: () => TEST_NOW, logger: silentLogger, feedDays: 400 });
  client = createClient(JobService, createInMemoryTransport([rpcService(JobService, service)]));
});

afterAll(() => fixture.close());

const write = (jobId: string) => ({
  companyId: fixture.installer,
  jobId,
  idempotencyKey: binding(newId('evt')),
  expectedVersion: 1,
});

const times = {
  startsAt: timestampFromDate(TEST_SCHEDULE.startsAt),
  endsAt: timestampFromDate(TEST_SCHEDULE.endsAt),
};

const EXPIRES_AT = timestampFromDate(new Date(TEST_NOW.getTime() + 45 * 24 * 3_600_000));

describe('SetSchedule', () => {
  test('returns the job and the outcome of the key', async () => {
    const jobId = await fixture.job();
    const request = {
      ...write(jobId),
      ...times,
      status: ScheduleStatus.TENTATIVE,
      timeZone: 'America/Denver',
    };
    const response = await client.setSchedule(request);
    expect(JSON.parse(response.resourceJson ?? '')).toMatchObject({
      version: 2,
      schedule: {
        status: 'TENTATIVE',
        startsAt: '2026-10-05T15:00:00.000Z',
        endsAt: '2026-10-05T19:00:00.000Z',
        timeZone: 'America/Denver',
      },
    });
    expect(response.idempotency).toMatchObject({ replayed: false, expiresAt: EXPIRES_AT });
    const again = await client.setSchedule(request);
    expect(again.resourceJson).toBe(response.resourceJson);
    expect(again.idempotency).toMatchObject({ replayed: true, expiresAt: EXPIRES_AT });
  });

  test('reads missing times as none', async () => {
    const jobId = await fixture.job();
    await fixture.schedule({ jobId });
    const response = await client.setSchedule({
      ...write(jobId),
      status: ScheduleStatus.CANCELLED,
      timeZone: 'America/Denver',
      expectedVersion: 2,
    });
    expect(JSON.parse(response.resourceJson ?? '')).toMatchObject({
      schedule: { status: 'CANCELLED', startsAt: null, endsAt: null },
    });
  });

  test.each([
    ['company_id', { companyId: undefined }],
    ['job_id', { jobId: undefined }],
    ['idempotency_key', { idempotencyKey: undefined }],
    ['expected_version', { expectedVersion: undefined }],
    ['status', { status: undefined }],
    ['time_zone', { timeZone: undefined }],
    ['status', { status: ScheduleStatus.UNSCHEDULED }],
    ['status', { status: ScheduleStatus.UNSPECIFIED }],
  ] satisfies [string, Partial<MessageInitShape<typeof SetScheduleRequestSchema>>][])(
    'requires a valid %s: not %j',
    async (field, part) => {
      const request = {
        ...write('job_1'),
        ...times,
        status: ScheduleStatus.CONFIRMED,
        timeZone: 'America/Denver',
        ...part,
      };
      await expect(client.setSchedule(request)).rejects.toMatchObject({
        reason: 'invalid_argument',
        message: expect.stringContaining(field),
      });
    },
  );
});

describe('ReplaceAssignments', () => {
  test('returns the job and the outcome of the key', async () => {
    const jobId = await fixture.job();
    const membershipId = await fixture.technician();
    const request = { ...write(jobId), membershipIds: [membershipId] };
    const response = await client.replaceAssignments(request);
    expect(JSON.parse(response.resourceJson ?? '')).toMatchObject({
      version: 2,
      technicianAssignments: [{ membershipId, assignedAt: TEST_NOW.toISOString() }],
    });
    expect(response.idempotency).toMatchObject({ replayed: false, expiresAt: EXPIRES_AT });
    expect((await client.replaceAssignments(request)).idempotency).toMatchObject({ replayed: true });
  });

  test.each([
    ['company_id', { companyId: undefined }],
    ['job_id', { jobId: undefined }],
    ['idempotency_key', { idempotencyKey: undefined }],
    ['expected_version', { expectedVersion: undefined }],
    ['membershipIds', { membershipIds: ['mem_1', 'mem_2', 'mem_1'] }],
    ['membershipIds', { membershipIds: Array.from({ length: 21 }, (_, index) => `mem_${index}`) }],
  ] satisfies [string, Partial<MessageInitShape<typeof ReplaceAssignmentsRequestSchema>>][])(
    'requires a valid %s: not %j',
    async (field, part) => {
      await expect(client.replaceAssignments({ ...write('job_1'), ...part })).rejects.toMatchObject({
        reason: 'invalid_argument',
        message: expect.stringContaining(field),
      });
    },
  );
});

describe('ListTechnicians', () => {
  async function pageOf(request: MessageInitShape<typeof ListTechniciansRequestSchema>) {
    const page = await client.listTechnicians(request);
    return { technicians: readResource(z.array(technician), page), next: page.next };
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
    await expect(client.listTechnicians({ companyId: fixture.seller, ...part })).rejects.toMatchObject({
      reason: 'invalid_argument',
      message: expect.stringContaining(field),
    });
  });

  test('returns an empty list for a company without any, and requires the company', async () => {
    expect(await pageOf({ companyId: 'cmp_unknown' })).toEqual({ technicians: [], next: undefined });
    await expect(client.listTechnicians({})).rejects.toMatchObject({
      reason: 'invalid_argument',
      message: expect.stringContaining('company_id'),
    });
  });
});
