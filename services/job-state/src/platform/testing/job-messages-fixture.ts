import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { beforeAll, expect } from '@jest/globals';
import {
  DocumentCategory,
  JobScheduleStatus,
} from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import { installerJob, type InstallerJob } from '@partner/proto-contracts/resources/job/job';
import type { ReportableStatus } from '@partner/proto-contracts/resources/job/job-status-moves';
import { webhookEnvelope } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { newId } from '@partner/kernel/process/ids';
import { readFeed } from '../../jobs/feed.js';
import { getJob, listContractorJobs, recordStatusEvent, setSchedule } from '../../testing/partner-calls.js';
import {
  ACKNOWLEDGEMENT,
  binding,
  insertAssignedJob,
  insertCompany,
  jobCreatedMessage,
} from '../../testing/test-jobs.js';
import { sent } from './messages.js';
import { database, DONE, handle, seller, writing } from './platform-fixture.js';

export let one: string;
export let two: string;

beforeAll(async () => {
  one = await insertCompany(database, 'INSTALLER');
  two = await insertCompany(database, 'INSTALLER');
});

/** The instant of the platform's messages. */
export const HAPPENED = new Date('2026-10-01T09:30:00.000Z');
export const STARTS = new Date('2026-10-05T14:00:00.000Z');
export const ENDS = new Date('2026-10-05T18:00:00.000Z');
const happened = timestampFromDate(HAPPENED);
export const dead = (reason: string) => ({ kind: 'dead', reason: expect.stringContaining(reason) });

const about = (jobId: string, version: number) => ({ jobId, version, occurredAt: happened });
export const assigned = (jobId: string, installerCompanyId: string, version: number) =>
  sent.jobAssigned({ jobId, installerCompanyId, version });
export const unassigned = (jobId: string, version: number) => sent.jobUnassigned(about(jobId, version));
export const cancelled = (jobId: string, version: number) => sent.jobCancelled(about(jobId, version));
export const scoped = (jobId: string, version: number, scopeVersion: number) =>
  sent.jobScopeChanged({
    ...about(jobId, version),
    scope: { packageName: `Package ${scopeVersion}`, systemType: 'HVAC', scopeVersion },
  });
export const readiness = (jobId: string, version: number, ...blockerCodes: string[]) =>
  sent.jobReadinessChanged({ ...about(jobId, version), ready: blockerCodes.length === 0, blockerCodes });
export const scheduled = (jobId: string, version: number, hours = 0, occurredAt = HAPPENED) =>
  sent.jobScheduled({
    jobId,
    version,
    occurredAt: timestampFromDate(occurredAt),
    startsAt: timestampFromDate(new Date(STARTS.getTime() + hours * 3_600_000)),
    endsAt: timestampFromDate(new Date(ENDS.getTime() + hours * 3_600_000)),
  });
export const calledOff = (jobId: string, version: number) =>
  sent.jobScheduled({ ...about(jobId, version), status: JobScheduleStatus.CANCELLED });
export const documented = (
  jobId: string,
  version: number,
  documentId: string,
  category = DocumentCategory.PERMIT,
  mime = 'application/pdf',
) => sent.jobDocumentAvailable({ ...about(jobId, version), documentId, category, mime });
export const accepted = (jobId: string, version: number) => sent.jobCompletionAccepted(about(jobId, version));

export async function deliver(...messages: readonly IncomingMessage[]): Promise<void> {
  for (const message of messages) expect(await handle(message)).toEqual(DONE);
}

/** Repeats a message: under the same message id and under another one. */
export async function deliverAgain(...messages: readonly IncomingMessage[]): Promise<void> {
  for (const message of messages) {
    await deliver({ ...message, redelivered: true }, { ...message, messageId: newId('evt') });
  }
}

export const newJob = () => insertAssignedJob(database, seller, one);

export async function newUnassignedJob(): Promise<string> {
  const jobId = newId('job');
  await deliver(jobCreatedMessage({ jobId, sellingCompanyId: seller }));
  return jobId;
}

export async function shown(jobId: string, companyId = one): Promise<InstallerJob> {
  return installerJob.parse(JSON.parse(await getJob(database, companyId, jobId)));
}

export async function feedOf(jobId: string, companyId = one): Promise<readonly number[]> {
  const { entries } = await readFeed(database, { companyId, afterSequence: '0', limit: 1_000 });
  const jobs = entries
    .map(({ resource }) => installerJob.parse(JSON.parse(resource)))
    .filter(({ id }) => id === jobId);
  expect(jobs.at(-1)).toEqual(await shown(jobId, companyId));
  return jobs.map(({ version }) => version);
}

/** The notes on a job that the seller's keys for an installer company read. */
export async function notesOf(jobId: string, installerCompanyId: string): Promise<string | null | undefined> {
  const key = { companyId: seller, installerCompanyId };
  const { jobs } = await listContractorJobs({ database }, { ...key, take: 200 });
  return jobs.find(({ id }) => id === jobId)?.installerNote;
}

export async function eventsOf(jobId: string, companyId = one) {
  const rows = await database.query<{ body: Buffer }>(
    'select body from events where resource_id = $1 and company_id = $2 order by id',
    [jobId, companyId],
  );
  return rows
    .map(({ body }) => webhookEnvelope.parse(JSON.parse(body.toString())))
    .map(({ event, occurredAt: at, resource, data }) => ({ event, at, version: resource.version, data }));
}

/** What the latest event about a job names as changed. */
export async function latestChange(jobId: string): Promise<readonly string[] | undefined> {
  const [row] = await database.query<{ body: Buffer }>(
    'select body from events where resource_id = $1 order by id desc limit 1',
    [jobId],
  );
  return webhookEnvelope.parse(JSON.parse(row?.body.toString() ?? '')).changed;
}

export const namesOf = async (jobId: string, companyId = one) =>
  (await eventsOf(jobId, companyId)).map(({ event, version }) => `${event} ${version}`);

export async function report(jobId: string, status: ReportableStatus, expectedVersion: number) {
  const blockerCode = status === 'BLOCKED' ? 'PERMIT' : undefined;
  const write = { companyId: one, jobId, binding: binding(newId('evt')), expectedVersion };
  await recordStatusEvent(writing(), { ...ACKNOWLEDGEMENT, ...write, status, blockerCode });
}

/** Sets a schedule as the company, at `TEST_NOW`. */
export async function setTentative(jobId: string, expectedVersion: number): Promise<void> {
  await setSchedule(writing(), {
    ...{ companyId: one, jobId, binding: binding(newId('evt')), expectedVersion },
    ...{ status: 'TENTATIVE', startsAt: STARTS, endsAt: ENDS, timeZone: 'America/Denver' },
  });
}

/** A job that its company has completed at `TEST_NOW`. */
export async function completedJob(): Promise<string> {
  const jobId = await newJob();
  const statuses = ['ACKNOWLEDGED', 'EN_ROUTE', 'ON_SITE', 'IN_PROGRESS', 'COMPLETE'] as const;
  for (const [index, status] of statuses.entries()) await report(jobId, status, index + 1);
  return jobId;
}
