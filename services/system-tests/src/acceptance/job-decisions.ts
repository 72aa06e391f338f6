import { expect, test } from '@jest/globals';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  JobAssignedSchema,
  JobUnassignedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import { contractorJobsResponse } from '@partner/proto-contracts/public-api/contractor-job';
import { jobResponse } from '@partner/proto-contracts/public-api/installer-job';
import { leadCreated, leadMerged } from '@partner/proto-contracts/public-api/lead';
import { newId } from '@partner/kernel/ids';
import { eventually } from '@partner/test-kit/eventually';
import { addCompany } from '../support/limited-company.js';
import { assignNewJob } from '../support/platform-job.js';
import { expectError, type WireRequest } from '../surfaces/send.js';
import { addKey } from '../surfaces/surface-side.js';
import type { AcceptanceWorld } from './acceptance-world.js';

/** What the decisions say of jobs that move on: to another company, or to their end. */
export function describeJobDecisions(world: () => AcceptanceWorld): void {
  /** A job of the world's companies, as the platform assigns it. */
  async function newJob(): Promise<string> {
    const { stack, side } = world();
    const job = await assignNewJob(stack, {
      sellingCompanyId: side.sellerId,
      installerCompanyId: side.installerId,
      installerKey: side.keys['installer-company'],
    });
    return job.id;
  }

  const asInstaller = (request: Pick<WireRequest, 'method' | 'path' | 'json'>, key = newId('evt')) =>
    world().send({
      ...request,
      headers: { 'x-api-key': world().side.keys['installer-company'], 'idempotency-key': key },
    });

  const leaveNote = (jobId: string, note: string, key = newId('evt')) =>
    world().send({
      method: 'POST',
      path: `/inbound/jobs/${jobId}/status`,
      headers: { 'x-api-key': world().side.keys['installer-contractor'], 'idempotency-key': key },
      json: { note },
    });

  const statusEvent = (jobId: string, status: string, expectedVersion: number) => ({
    method: 'POST',
    path: `/partner/v1/jobs/${jobId}/status-events`,
    json: { status, occurredAt: new Date().toISOString(), expectedVersion },
  });

  /** The platform takes the job from the installer, and gives it back with version 4. */
  async function takeAway(jobId: string): Promise<void> {
    await world().stack.publishFromPlatform(JobUnassignedSchema, {
      jobId,
      version: 3,
      occurredAt: timestampFromDate(new Date()),
    });
    await eventually('the job has left the installer', async () => {
      const answer = await asInstaller({ method: 'GET', path: `/partner/v1/jobs/${jobId}` });
      return answer.status === 404;
    });
  }

  async function giveBack(jobId: string): Promise<void> {
    const { stack, side } = world();
    await stack.publishFromPlatform(JobAssignedSchema, {
      jobId,
      version: 4,
      installerCompanyId: side.installerId,
      occurredAt: timestampFromDate(new Date()),
    });
    await eventually('the job is back', async () => {
      const answer = await asInstaller({ method: 'GET', path: `/partner/v1/jobs/${jobId}` });
      return answer.status === 200;
    });
  }

  test('the notes of a job begin anew with each installer company that gets it [CONTRACTOR-4]', async () => {
    const { stack, side } = world();
    const [jobId, next] = [
      await newJob(),
      await addCompany(stack.database, { class: 'INSTALLER', keys: [] }),
    ];
    const nextKey = await addKey(stack, {
      companyId: side.sellerId,
      kind: 'installer-contractor',
      boundCompanyId: next.id,
    });
    const listed = async (key: string) => {
      const answer = await world().send({
        method: 'GET',
        path: '/inbound/jobs?take=200',
        headers: { 'x-api-key': key },
      });
      return contractorJobsResponse.parse(answer.json).jobs.find(({ id }) => id === jobId);
    };
    expect((await leaveNote(jobId, 'Gate code 4711')).status).toBe(200);
    expect((await listed(side.keys['installer-contractor']))?.installerNote).toBe('Gate code 4711');

    await stack.publishFromPlatform(JobAssignedSchema, {
      jobId,
      version: 3,
      installerCompanyId: next.id,
      occurredAt: timestampFromDate(new Date()),
    });
    const handedOver = await eventually('the next installer has the job', () => listed(nextKey));
    expect(handedOver.installerNote).toBeNull();
    expect(await listed(side.keys['installer-contractor'])).toBeUndefined();
  });

  const schedule = (jobId: string, expectedVersion: number) => ({
    method: 'PUT',
    path: `/partner/v1/jobs/${jobId}/schedule`,
    json: {
      status: 'CONFIRMED',
      startsAt: '2026-12-01T15:00:00Z',
      endsAt: '2026-12-01T19:00:00Z',
      timeZone: 'America/Chicago',
      expectedVersion,
    },
  });

  const assignments = (jobId: string, expectedVersion: number) => ({
    method: 'PUT',
    path: `/partner/v1/jobs/${jobId}/assignments`,
    json: { membershipIds: world().side.technicianIds.slice(0, 2), expectedVersion },
  });

  test('a closed job takes no more writes, and says so [STATUS-6]', async () => {
    const jobId = await newJob();
    let version = 1;
    for (const status of ['ACKNOWLEDGED', 'ON_SITE', 'IN_PROGRESS', 'COMPLETE']) {
      expect((await asInstaller(statusEvent(jobId, status, version))).status).toBe(201);
      version += 1;
    }
    for (const [request, what] of [
      [statusEvent(jobId, 'BLOCKED', version), 'status events'],
      [schedule(jobId, version), 'schedules'],
      [assignments(jobId, version), 'assignments'],
    ] as const) {
      const json = what === 'status events' ? { ...request.json, blockerCode: 'WEATHER' } : request.json;
      const refusal = expectError(await asInstaller({ ...request, json }), 422, 'transition_not_allowed');
      expect(refusal).toMatchObject({
        error: `the job is COMPLETE: it takes no more ${what}`,
        currentStatus: 'COMPLETE',
        allowed: [],
      });
    }
  });

  test('a schedule or a set of technicians written again makes a version [JOB-4]', async () => {
    const jobId = await newJob();
    for (const request of [schedule, assignments]) {
      const job = jobResponse.parse(
        (await asInstaller({ method: 'GET', path: `/partner/v1/jobs/${jobId}` })).json,
      );
      const { version } = job.resource;
      const first = jobResponse.parse((await asInstaller(request(jobId, version))).json);
      const second = jobResponse.parse((await asInstaller(request(jobId, version + 1))).json);
      expect([first.resource.version, second.resource.version]).toEqual([version + 1, version + 2]);
      const { version: _, updatedAt: __, ...same } = first.resource;
      expect(second.resource).toMatchObject(same);
    }
  });

  test('a repeat of a write is 404 while the job is not the company’s, and the write stays recorded [IDEM-6]', async () => {
    const jobId = await newJob();
    const [reported, noted] = [newId('evt'), newId('evt')];
    const report = statusEvent(jobId, 'ACKNOWLEDGED', 1);
    const first = await asInstaller(report, reported);
    expect(first.status).toBe(201);
    const note = await leaveNote(jobId, 'Gate code 4711', noted);
    expect(note.status).toBe(200);

    await takeAway(jobId);
    expectError(await asInstaller(report, reported), 404, 'not_found');
    expectError(await leaveNote(jobId, 'Gate code 4711', noted), 404, 'not_found');

    await giveBack(jobId);
    const replay = await asInstaller(report, reported);
    expect([replay.status, replay.headers.get('idempotency-replayed'), replay.text]).toEqual([
      201,
      'true',
      first.text,
    ]);
    expect((await leaveNote(jobId, 'Gate code 4711', noted)).text).toBe(note.text);
  });

  async function postLead(address: string) {
    const answer = await world().send({
      method: 'POST',
      path: '/inbound/leads',
      headers: { 'x-api-key': world().side.keys.general },
      json: { fullName: 'Ada Quill', email: 'ada@example.com', phone: '512-555-0100', address },
    });
    return leadCreated.or(leadMerged).parse(answer.json);
  }

  test('a lead merges with an address that is surely the same, and with no other [LEAD-5]', async () => {
    const house = newId('evt');
    const street = (rest: string) => `${house} ${rest}`;
    const { leadId } = await postLead(street('Martin Luther King Blvd, Austin, TX 78701'));
    for (const same of ['MLK Blvd, Austin, TX 78701', 'M.L.K.\nBoulevard, Austin, TX 78701']) {
      expect(await postLead(street(same))).toMatchObject({ status: 'merged', leadId });
    }
    for (const other of ['MLK Blvd, Austin, TX', 'MLK Jr Blvd, Austin, TX 78701']) {
      expect(await postLead(street(other))).toMatchObject({ status: 'created' });
    }
  });

  test('an appointment is not about the project of another lead [APPT-5]', async () => {
    const address = `${newId('evt')} Main Street, Austin, TX 78701`;
    await postLead(address);
    const { leadId, projectId } = leadMerged.parse(await postLead(address));
    const idempotencyKey = newId('evt');
    const book = (of: string) =>
      world().send({
        method: 'POST',
        path: '/inbound/appointments',
        headers: { 'x-api-key': world().side.keys.general },
        json: {
          leadId: of,
          projectId,
          startsAt: '2026-12-02T15:00:00Z',
          endsAt: '2026-12-02T16:00:00Z',
          idempotencyKey,
        },
      });
    const refused = expectError(await book(world().side.leadId), 400, 'invalid_argument');
    expect(refused.error).toMatch(/^projectId: belongs to another lead than leadId/);
    expect((await book(leadId)).status).toBe(201);
  });
}
