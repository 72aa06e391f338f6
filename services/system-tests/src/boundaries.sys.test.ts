import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  JobAssignedSchema,
  JobCreatedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import {
  type ContractorJob,
  contractorJobsResponse,
} from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import { type InstallerJob, jobResponse } from '@partner/proto-contracts/resources/job/job';
import { jobFeedResponse } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import { techniciansResponse } from '@partner/proto-contracts/resources/technician/technician';
import { appointmentBooked } from '@partner/proto-contracts/resources/appointment/appointment';
import { leadCreated } from '@partner/proto-contracts/resources/lead/lead';
import { newId } from '@partner/kernel/ids';
import { eventually } from '@partner/test-kit/eventually';
import { createActiveSubscription, readDeliveries, signIn } from './support/owner-session.js';
import { assignNewJob, jobCreated } from './support/platform-job.js';
import {
  expectError,
  expectSuccess as expectSuccessAt,
  send as sendTo,
  type WireRequest,
} from './surfaces/send.js';
import { isOnJob, operationOf, SURFACE_OPERATIONS } from './surfaces/surface-operations.js';
import { addKey } from './support/companies.js';
import { createSurfaceSide, type SurfaceSide } from './surfaces/surface-side.js';
import { readJob, validRequest } from './surfaces/valid-request.js';
import { startTestStack, type TestStack } from './support/test-stack.js';

const ON_A_JOB = SURFACE_OPERATIONS.filter(isOnJob);
const CONDITIONAL = SURFACE_OPERATIONS.filter(({ conditional }) => conditional === true);

let stack: TestStack;
/** Two sides that have nothing to do with each other. */
let own: SurfaceSide;
let other: SurfaceSide;

beforeAll(async () => {
  stack = await startTestStack({});
  own = await createSurfaceSide(stack);
  other = await createSurfaceSide(stack);
});

afterAll(async () => {
  await stack.stop();
});

const send = (request: WireRequest) => sendTo(stack.baseUrl, request);
const expectSuccess = (request: WireRequest) => expectSuccessAt(stack.baseUrl, request);
const get = (path: string, key: string) => send({ method: 'GET', path, headers: { 'x-api-key': key } });

/** A new job that one side's seller has sold and one side's installer performs. */
const newJob = (seller = own, installer = seller): Promise<InstallerJob> =>
  assignNewJob(stack, {
    sellingCompanyId: seller.sellerId,
    installerCompanyId: installer.installerId,
    installerKey: installer.keys['installer-company'],
  });

/** A write of the own installer that has to expectSuccess. */
async function write(
  method: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<InstallerJob> {
  const headers = { 'x-api-key': own.keys['installer-company'], 'idempotency-key': newId('evt') };
  return jobResponse.parse((await expectSuccess({ method, path, headers, json: body })).json).resource;
}

const report = (job: InstallerJob, event: Readonly<Record<string, unknown>>) =>
  write('POST', `/partner/v1/jobs/${job.id}/status-events`, {
    occurredAt: new Date().toISOString(),
    expectedVersion: job.version,
    ...event,
  });

const schedule = (job: InstallerJob, given: Readonly<Record<string, unknown>>) =>
  write('PUT', `/partner/v1/jobs/${job.id}/schedule`, {
    startsAt: '2026-10-02T15:00:00Z',
    endsAt: '2026-10-02T19:00:00.5Z',
    timeZone: 'America/Chicago',
    expectedVersion: job.version,
    ...given,
  });

const contractorJobs = async (key = own.keys['installer-contractor']): Promise<readonly ContractorJob[]> =>
  contractorJobsResponse.parse((await get('/inbound/jobs?take=200', key)).json).jobs;

const contractorJobOf = async (jobId: string): Promise<ContractorJob | undefined> =>
  (await contractorJobs()).find(({ id }) => id === jobId);

const readFeed = async (side: SurfaceSide, query: string) =>
  jobFeedResponse.parse((await get(`/partner/v1/jobs${query}`, side.keys['installer-company'])).json);

const readJobOf = async (side: SurfaceSide, jobId: string): Promise<InstallerJob> =>
  jobResponse.parse((await get(`/partner/v1/jobs/${jobId}`, side.keys['installer-company'])).json).resource;

describe('a resource', () => {
  const text: unknown = expect.any(String);
  const dateTime: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

  test('InstallerJob has exactly the fields of the specification, with nothing of the customer but name, phone and address [JOB-1, JOB-2, SERVICE-6, TENANT-2]', async () => {
    const job = await newJob();
    const path = `/partner/v1/jobs/${job.id}`;
    await write('PUT', `${path}/assignments`, {
      membershipIds: own.technicianIds.slice(0, 1),
      expectedVersion: 1,
    });
    const answer = await get(path, own.keys['installer-company']);
    expect(answer.json).toEqual({
      apiVersion: '2026-08-26',
      resource: {
        id: job.id,
        version: 2,
        status: 'ASSIGNED',
        company: { id: own.sellerId, name: text },
        customer: { name: text, phone: text, address: { line1: text, city: text, state: text, zip: text } },
        scope: {
          packageName: text,
          systemType: text,
          equipment: [expect.any(Object)],
          accessories: [expect.any(Object)],
          supplierSources: [expect.any(Object)],
          scopeVersion: 1,
        },
        schedule: { status: 'UNSCHEDULED', startsAt: null, endsAt: null, timeZone: null },
        readiness: { ready: true, blockerCodes: [] },
        documents: [],
        technicianAssignments: [{ membershipId: own.technicianIds[0], assignedAt: dateTime }],
        updatedAt: dateTime,
      },
    });
  });

  test('ContractorJob has exactly the fields of the specification [CONTRACTOR-1]', async () => {
    const { id } = await newJob();
    expect(await contractorJobOf(id)).toEqual({
      id,
      workOrderNo: 'WO-1001',
      address: '7 Harbor Street',
      city: 'Austin',
      state: 'TX',
      zip: '78701',
      stage: 'SOLD',
      installerNote: null,
      lastUpdated: dateTime,
    });
  });

  test('Technician has exactly the fields of the specification, and the list is that of the company [SERVICE-3, TECH-1, TECH-2]', async () => {
    const answer = await get('/partner/v1/technicians', own.keys['installer-company']);
    const { technicians } = techniciansResponse.parse(answer.json);
    const inactive = own.technicianIds.at(-1);
    expect(technicians).toEqual(
      own.technicianIds.map((membershipId) => ({
        membershipId,
        displayName: text,
        active: membershipId !== inactive,
      })),
    );
  });

  test('a feed entry has its number, the instant of the change and the whole job as of the change [FEED-1, FEED-2, FEED-3, FEED-4]', async () => {
    const job = await newJob();
    const moved = await report(job, { status: 'ACKNOWLEDGED' });
    const answer = await get('/partner/v1/jobs?limit=2', own.keys['installer-company']);
    const sequence = jobFeedResponse.parse(answer.json).resources[0]?.sequence ?? 0;
    expect(sequence).toBeGreaterThan(0);
    expect(answer.json).toEqual({
      apiVersion: '2026-08-26',
      resources: [
        { sequence, changedAt: job.updatedAt, resource: job },
        { sequence: sequence + 1, changedAt: moved.updatedAt, resource: moved },
      ],
      nextCursor: text,
      hasMore: false,
    });
  });

  test('a lead is answered with exactly the fields of LeadCreated, then of LeadMerged [LEAD-2, LEAD-3, LEAD-5]', async () => {
    const { headers: _headers, ...lead } = await validRequest(stack, own, operationOf('createLead'));
    const headers = { 'x-api-key': own.keys.general };
    const created = await send({ ...lead, headers });
    expect([created.status, created.json]).toEqual([201, { status: 'created', leadId: text }]);
    const { leadId } = leadCreated.parse(created.json);
    const merged = await send({ ...lead, headers });
    const reason = `address matches lead ${leadId}`;
    expect([merged.status, merged.json]).toEqual([
      200,
      { status: 'merged', leadId, projectId: text, reason },
    ]);
  });
});

test('every id is the prefix of its kind and a part that sorts by time [TENANT-4]', async () => {
  const lead = await validRequest(stack, own, operationOf('createLead'));
  const appointment = await validRequest(stack, own, operationOf('bookAppointment'));
  const job = await readJobOf(own, own.jobId);
  const [company] = stack.companies('INSTALLER');
  if (company === undefined) throw new Error('the sandbox has no installer company');
  const owner = await signIn(stack.baseUrl, company.owner);
  const webhook = await createActiveSubscription(owner, { url: stack.receiverUrl, events: ['install.*'] });
  const [delivered] = (await readDeliveries(owner, webhook.id)).deliveries;
  const [keyId] = own.keys.general.split('.');
  const ids = {
    lead: leadCreated.parse((await expectSuccess(lead)).json).leadId,
    prj: own.projectId,
    appt: appointmentBooked.parse((await expectSuccess(appointment)).json).appointmentId,
    job: job.id,
    mem: own.technicianIds[0],
    evt: delivered?.eventId,
    whk: webhook.id,
    dlv: delivered?.id,
    key: keyId,
    cmp: job.company.id,
  };
  for (const [prefix, id] of Object.entries(ids)) {
    // What is made later sorts later: 48 bits of milliseconds, in digits and letters of one case.
    expect(id).toMatch(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`));
  }
});

describe('a job', () => {
  test('rises by one version with each status event, and every change is in the feed once, in its order [FEED-5, JOB-3, STATUS-1, STATUS-3]', async () => {
    const before = await readFeed(own, '?limit=1');
    let job = await newJob();
    const seen = [job];
    for (const event of [
      { status: 'ACKNOWLEDGED' },
      { status: 'EN_ROUTE' },
      { status: 'ON_SITE', note: 'at the door' },
      { status: 'BLOCKED', blockerCode: 'WEATHER' },
      { status: 'IN_PROGRESS' },
      { status: 'COMPLETE' },
    ]) {
      const moved = await report(job, event);
      expect(moved).toMatchObject({ version: job.version + 1, status: event.status });
      job = moved;
      seen.push(moved);
    }
    const after = await readFeed(own, `?limit=100&cursor=${before.nextCursor ?? ''}`);
    expect(after.resources.map(({ resource }) => resource)).toEqual(seen);
    const last = before.resources[0]?.sequence ?? 0;
    expect(after.resources.map(({ sequence }) => sequence)).toEqual(seen.map((_, index) => last + 1 + index));
    expect(await readFeed(own, `?cursor=${after.nextCursor ?? ''}`)).toMatchObject({
      resources: [],
      nextCursor: after.nextCursor,
      hasMore: false,
    });
  });

  test.each([
    'CUSTOMER_UNAVAILABLE',
    'SITE_NOT_READY',
    'MATERIAL_MISSING',
    'EQUIPMENT_DAMAGED',
    'PERMIT',
    'WEATHER',
    'SAFETY',
    'OTHER',
  ])(
    'that is blocked for %s shows it until it goes on [JOB-1, JOB-3, STATUS-1, STATUS-5]',
    async (blockerCode) => {
      const blocked = await report(await newJob(), { status: 'BLOCKED', blockerCode });
      expect(blocked).toMatchObject({
        status: 'BLOCKED',
        readiness: { ready: false, blockerCodes: [blockerCode] },
      });
      expect(await report(blocked, { status: 'EN_ROUTE' })).toMatchObject({
        readiness: { ready: true, blockerCodes: [] },
      });
    },
  );

  test('has its schedule set, confirmed and cancelled, one version each, with times in UTC and the IANA zone [HTTP-3, SCHED-2, SCHED-3, SCHED-4]', async () => {
    const tentative = await schedule(await newJob(), { status: 'TENTATIVE' });
    expect(tentative).toMatchObject({
      version: 2,
      schedule: {
        status: 'TENTATIVE',
        startsAt: '2026-10-02T15:00:00.000Z',
        endsAt: '2026-10-02T19:00:00.500Z',
        timeZone: 'America/Chicago',
      },
    });
    const confirmed = await schedule(tentative, { status: 'CONFIRMED' });
    expect(confirmed).toMatchObject({ version: 3, schedule: { status: 'CONFIRMED' } });
    const cancelled = await schedule(confirmed, { status: 'CANCELLED', startsAt: null, endsAt: null });
    expect(cancelled).toMatchObject({
      version: 4,
      schedule: { status: 'CANCELLED', startsAt: null, endsAt: null },
    });
  });

  test('has its technicians replaced as a whole, in the order given [ASSIGN-1, ASSIGN-2, JOB-3, SERVICE-3]', async () => {
    const job = await newJob();
    const [one = '', two = '', three = ''] = own.technicianIds;
    const path = `/partner/v1/jobs/${job.id}/assignments`;
    const shown = (answered: InstallerJob) =>
      answered.technicianAssignments.map(({ membershipId }) => membershipId);
    const first = await write('PUT', path, { membershipIds: [three, one], expectedVersion: 1 });
    expect([first.version, shown(first)]).toEqual([2, [three, one]]);
    const second = await write('PUT', path, { membershipIds: [two, three], expectedVersion: 2 });
    expect([second.version, shown(second)]).toEqual([3, [two, three]]);
  });

  test('gets notes on new lines, which move lastUpdated and the place in the list but no version [CONTRACTOR-1, CONTRACTOR-3, CONTRACTOR-4, SERVICE-2]', async () => {
    const { id } = await newJob();
    await newJob();
    const before = await contractorJobOf(id);
    const note = (text: string) =>
      expectSuccess({
        method: 'POST',
        path: `/inbound/jobs/${id}/status`,
        headers: { 'x-api-key': own.keys['installer-contractor'] },
        json: { note: text },
      });
    await note('gate code 4711');
    const answer = await note('dog in the yard');
    const [newest] = await contractorJobs();
    expect(answer.json).toEqual(newest);
    expect(newest).toMatchObject({ id, installerNote: 'gate code 4711\ndog in the yard' });
    expect(Date.parse(newest?.lastUpdated ?? '')).toBeGreaterThan(Date.parse(before?.lastUpdated ?? ''));
    const { json } = await get(`/partner/v1/jobs/${id}`, own.keys['installer-company']);
    expect(jobResponse.parse(json).resource).toMatchObject({ version: 1 });
  });

  test.each(CONDITIONAL)(
    'is answered with 304 to $id when nothing is new, and in full as soon as something is [FEED-5]',
    async (operation) => {
      const job = await newJob();
      const request = await validRequest(stack, { ...own, jobId: job.id }, operation);
      const ask = (tag: string) =>
        send({ ...request, headers: { ...request.headers, 'if-none-match': tag } });
      const tag = (await expectSuccess(request)).headers.get('etag') ?? '';
      expect(tag).not.toBe('');
      const unchanged = await ask(tag);
      expect([unchanged.status, unchanged.text, unchanged.headers.get('etag')]).toEqual([304, '', tag]);
      await report(job, { status: 'ACKNOWLEDGED' });
      const changed = await ask(tag);
      expect(changed.status).toBe(200);
      expect(changed.headers.get('etag')).not.toBe(tag);
    },
  );

  test('is found by a reader without a cursor: from the start of the feed, or in a snapshot that ends in the cursor to go on from [FEED-5]', async () => {
    const fresh = await createSurfaceSide(stack);
    const jobs = [await readJobOf(fresh, fresh.jobId), await newJob(fresh), await newJob(fresh)];
    const start = await readFeed(fresh, '?from=start&limit=2');
    expect(start.resources.map(({ sequence, resource }) => [sequence, resource])).toEqual([
      [1, jobs[0]],
      [2, jobs[1]],
    ]);
    expect(start.hasMore).toBe(true);

    const seen: InstallerJob[] = [];
    let page = await readFeed(fresh, '?view=snapshot&limit=2');
    expect(page.resources).toHaveLength(2);
    seen.push(...page.resources.map(({ resource }) => resource));
    const later = await newJob(fresh);
    while (page.hasMore) {
      page = await readFeed(fresh, `?limit=2&cursor=${page.nextCursor ?? ''}`);
      seen.push(...page.resources.map(({ resource }) => resource));
    }
    expect(seen.slice(0, 3)).toEqual(expect.arrayContaining(jobs));
    const tail = await readFeed(fresh, `?cursor=${page.nextCursor ?? ''}`);
    expect(tail.resources).toMatchObject([{ sequence: 4, resource: later }]);
  });

  test('is at the stage of ContractorJob that its status and schedule say [CONTRACTOR-1, CONTRACTOR-5]', async () => {
    const job = await newJob();
    const stages = [(await contractorJobOf(job.id))?.stage];
    let present = await schedule(job, { status: 'CONFIRMED' });
    stages.push((await contractorJobOf(job.id))?.stage);
    for (const event of [
      { status: 'BLOCKED', blockerCode: 'PERMIT' },
      { status: 'ON_SITE' },
      { status: 'IN_PROGRESS' },
      { status: 'COMPLETE' },
    ]) {
      present = await report(present, event);
      stages.push((await contractorJobOf(job.id))?.stage);
    }
    expect(stages).toEqual(['SOLD', 'SCHEDULED', 'BLOCKED', 'IN_PROGRESS', 'IN_PROGRESS', 'COMPLETE']);
  });
});

describe('what belongs to another company', () => {
  test.each(ON_A_JOB)(
    '$id: a job is 404 in the same words as one that does not exist, and stays as it is [AUTH-8, CONTRACTOR-4, ERROR-6, JOB-2]',
    async (operation) => {
      const before = await readJob(stack, other.jobId);
      const messages: string[] = [];
      for (const jobId of [other.jobId, newId('job'), 'job', '%F0%9F%8F%A0']) {
        const request = await validRequest(stack, { ...own, jobId }, operation, before);
        messages.push(expectError(await send(request), 404, 'not_found').error);
      }
      expect(new Set(messages).size).toBe(1);
      expect(await readJob(stack, other.jobId)).toEqual(before);
    },
  );

  test('never is in the feed, and its cursor is not valid [AUTH-8, FEED-5]', async () => {
    const theirs = await newJob(other);
    const { resources } = await readFeed(own, '?limit=100');
    expect(resources.map(({ resource }) => resource.company.id)).not.toContain(other.sellerId);
    const { nextCursor, resources: foreign } = await readFeed(other, '?limit=1');
    expect(foreign.map(({ resource }) => resource.id)).toEqual([theirs.id]);
    const tampered = `${nextCursor?.slice(0, -1) ?? ''}${nextCursor?.endsWith('A') === true ? 'B' : 'A'}`;
    for (const cursor of [nextCursor ?? '', tampered, 'x']) {
      const answer = await get(`/partner/v1/jobs?cursor=${cursor}`, own.keys['installer-company']);
      expectError(answer, 400, 'cursor_invalid');
    }
  });

  test('as a technician cannot be assigned, in the same words as one that does not exist or is not active [ASSIGN-2, ERROR-8]', async () => {
    const job = await newJob();
    const messages: string[] = [];
    for (const membershipId of [other.technicianIds[0], newId('mem'), own.technicianIds.at(-1)]) {
      const answer = await send({
        method: 'PUT',
        path: `/partner/v1/jobs/${job.id}/assignments`,
        headers: { 'x-api-key': own.keys['installer-company'], 'idempotency-key': newId('evt') },
        json: { membershipIds: [own.technicianIds[0], membershipId], expectedVersion: job.version },
      });
      messages.push(expectError(answer, 422, 'technician_not_assignable').error);
    }
    expect(new Set(messages).size).toBe(1);
    expect(await readJob(stack, job.id)).toMatchObject({ version: 1 });
  });

  test('as a lead or project cannot get an appointment: 403, whether it exists or not [APPT-3, APPT-4, AUTH-4, ERROR-5]', async () => {
    const book = async (fields: Readonly<Record<string, unknown>>) => {
      const request = await validRequest(stack, own, operationOf('bookAppointment'));
      return send({ ...request, json: { ...request.json, ...fields } });
    };
    expect((await book({ projectId: own.projectId })).status).toBe(201);
    const ofLead = [await book({ leadId: other.leadId }), await book({ leadId: newId('lead') })];
    const ofProject = [await book({ projectId: other.projectId }), await book({ projectId: newId('prj') })];
    for (const answers of [ofLead, ofProject]) {
      const messages = answers.map((answer) => expectError(answer, 403, 'permission_denied').error);
      expect(new Set(messages).size).toBe(1);
    }
  });

  test('as a lead at the same address is no reason to merge [LEAD-4, LEAD-5]', async () => {
    const { json } = await validRequest(stack, own, operationOf('createLead'));
    const post = (key: string) =>
      send({ method: 'POST', path: '/inbound/leads', headers: { 'x-api-key': key }, json });
    const [mine, theirs] = [await post(own.keys.general), await post(other.keys.general)];
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(leadCreated.parse(mine.json).leadId).not.toBe(leadCreated.parse(theirs.json).leadId);
  });

  test('is not seen by an installer-contractor key: neither what another seller sold nor what another installer performs [AUTH-8, CONTRACTOR-2, CONTRACTOR-4, ERROR-6]', async () => {
    const ours = await newJob();
    const soldByOther = await newJob(other, own);
    const performedByOther = await newJob(own, other);
    const jobId = newId('job');
    await stack.publishFromPlatform(JobCreatedSchema, jobCreated(jobId, own.sellerId));
    await eventually('the job that is not assigned', async () => {
      const found = await stack.database.query('select 1 from jobs where id = $1', [jobId]);
      return found.rowCount === 1;
    });
    const seen = (await contractorJobs()).map(({ id }) => id);
    expect(seen).toContain(ours.id);
    for (const hidden of [soldByOther.id, performedByOther.id, other.jobId, jobId]) {
      expect(seen).not.toContain(hidden);
      const answer = await send({
        method: 'POST',
        path: `/inbound/jobs/${hidden}/status`,
        headers: { 'x-api-key': own.keys['installer-contractor'] },
        json: { note: 'not mine' },
      });
      expectError(answer, 404, 'not_found');
    }
    const bound = await addKey(stack, {
      companyId: own.sellerId,
      kind: 'installer-contractor',
      boundCompanyId: other.installerId,
    });
    expect((await contractorJobs(bound)).map(({ id }) => id)).toEqual([performedByOther.id]);
  });

  test('was ours until it was given away: the job is 404, its entries have left the feed, and their numbers stay unused [EVENT-4, FEED-7, TENANT-2]', async () => {
    const before = await readFeed(own, '?limit=1');
    const leaving = await newJob();
    await report(leaving, { status: 'ACKNOWLEDGED' });
    await stack.publishFromPlatform(JobAssignedSchema, {
      jobId: leaving.id,
      version: 3,
      installerCompanyId: other.installerId,
      occurredAt: timestampFromDate(new Date()),
    });
    const path = `/partner/v1/jobs/${leaving.id}`;
    const gone = await eventually('the job leaves', async () => {
      const answer = await get(path, own.keys['installer-company']);
      return answer.status !== 200 && answer;
    });
    expectError(gone, 404, 'not_found');
    const staying = await newJob();
    const last = before.resources[0]?.sequence ?? 0;
    const { resources } = await readFeed(own, `?cursor=${before.nextCursor ?? ''}`);
    expect(resources.map(({ sequence, resource }) => [sequence, resource.id])).toEqual([
      [last + 3, staying.id],
    ]);
    const theirs = jobResponse.parse((await get(path, other.keys['installer-company'])).json).resource;
    expect(theirs).toMatchObject({ id: leaving.id, status: 'ASSIGNED' });
    const events = await stack.database.query<{ name: string; company_id: string }>(
      `select name, company_id from events where resource_id = $1 and name like 'install.job_%' order by id`,
      [leaving.id],
    );
    expect(events.rows).toContainEqual({ name: 'install.job_unassigned', company_id: own.installerId });
  });
});
