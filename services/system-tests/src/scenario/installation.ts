import { create } from '@bufbuild/protobuf';
import {
  DocumentCategory,
  JobAssignedSchema,
  JobCancelledSchema,
  JobCompletionAcceptedSchema,
  JobCreatedSchema,
  JobDocumentAvailableSchema,
  JobReadinessChangedSchema,
  JobScheduledSchema,
  JobScheduleStatus,
  JobScopeChangedSchema,
  JobUnassignedSchema,
  ScopeSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import { type InstallerJob, jobResponse } from '@partner/proto-contracts/resources/job/job';
import { newId } from '@partner/kernel/process/ids';
import { eventually } from '@partner/test-kit/eventually';
import { expectStatus } from '../support/http-call.js';
import { anInstant, asInstaller, asSeller, ENDS, jobAt, type Stage, stamp, STARTS } from './stage.js';

function scope(stage: Stage, which: string, scopeVersion: number) {
  const shown = (what: string) => stage.word(`${what} of the ${which} scope`, stage.at.installer);
  return create(ScopeSchema, {
    packageName: `Heat pump ${shown('package')}`,
    systemType: 'HVAC',
    equipment: [{ name: shown('equipment'), model: shown('model'), quantity: 1 }],
    accessories: [{ name: shown('accessory'), quantity: 2 }],
    supplierSources: [{ name: shown('supplier'), reference: shown('reference') }],
    scopeVersion,
  });
}

/** The seller sells a job, and the platform gives it to the installer company. */
export async function sellJob(stage: Stage, key: string, projectId: string): Promise<string> {
  const { deps, word, publish, at, seller } = stage;
  const [, installerConsole = ''] = at.installerReceives;
  const id = newId('job');
  const sent = await publish(JobCreatedSchema, {
    jobId: id,
    version: 1,
    sellingCompanyId: seller.id,
    projectId,
    workOrderNo: word('work order', at.seller, installerConsole),
    customer: {
      name: `Grace ${word('name of the customer', at.installer)}`,
      phone: word('phone of the customer', at.installer),
      line1: `7 ${word('address of the customer', at.installer, at.seller)} Street`,
      city: word('city of the customer', at.installer, at.seller),
      state: 'TX',
      zip: '78701',
    },
    scope: scope(stage, 'first', 1),
    occurredAt: anInstant(),
  });
  await deps.stack.messagesAreSettled([sent]);
  await assign(stage, key, id);
  return id;
}

async function assign(stage: Stage, key: string, jobId: string): Promise<void> {
  const assigned = { jobId, version: 2, installerCompanyId: stage.installer.id, occurredAt: anInstant() };
  await stage.publish(JobAssignedSchema, assigned);
  await jobAt(stage, key, jobId, 1);
}

/** The seller's side changes a job in every way. */
export async function changeJob(stage: Stage, key: string, jobId: string): Promise<void> {
  const { publish } = stage;
  const at = (version: number) => ({ jobId, version, occurredAt: anInstant() });
  await publish(JobReadinessChangedSchema, { ...at(3), ready: false, blockerCodes: ['PERMIT'] });
  await jobAt(stage, key, jobId, 2);
  await publish(JobScheduledSchema, {
    ...at(4),
    status: JobScheduleStatus.TENTATIVE,
    startsAt: stamp(STARTS),
    endsAt: stamp(ENDS),
    timeZone: 'America/Chicago',
  });
  await jobAt(stage, key, jobId, 3);
  await publish(JobDocumentAvailableSchema, {
    ...at(5),
    documentId: newId('doc'),
    category: DocumentCategory.PERMIT,
    mime: 'application/pdf',
  });
  await jobAt(stage, key, jobId, 4);
  await publish(JobScopeChangedSchema, { ...at(6), scope: scope(stage, 'second', 2) });
}

/** The installer company completes the job, with some writes that are refused. */
export async function doJob(stage: Stage, key: string, jobId: string, technicianId: string): Promise<void> {
  const { at, word, publish } = stage;
  let { version } = await jobAt(stage, key, jobId, 5);
  const send = (method: string, path: string, body: object) =>
    asInstaller(stage, key, method, `/jobs/${jobId}/${path}`, { expectedVersion: version, ...body });
  const write = async (method: string, path: string, body: object) => {
    ({ version } = jobResponse.parse((await send(method, path, body)).json).resource);
  };
  const report = (status: InstallerJob['status'], rest: object = {}) =>
    write('POST', 'status-events', { status, occurredAt: new Date().toISOString(), ...rest });
  const note = (what: string) => word(`note ${what}`, ...at.installerReceives, 'platform');
  await report('ACKNOWLEDGED', { note: note('on the acknowledgement') });
  await report('BLOCKED', { note: note('on the blocker'), blockerCode: 'WEATHER' });
  await report('EN_ROUTE');
  await write('PUT', 'schedule', {
    status: 'CONFIRMED',
    startsAt: STARTS,
    endsAt: ENDS,
    timeZone: 'America/Denver',
  });
  await write('PUT', 'assignments', { membershipIds: [technicianId] });
  await report('ON_SITE');
  await report('IN_PROGRESS');
  await report('COMPLETE');
  await publish(JobCompletionAcceptedSchema, { jobId, version: 7, occurredAt: anInstant() });

  const refused = (status: number, body: object) =>
    expectStatus(
      status,
      send('POST', 'status-events', {
        status: 'ACKNOWLEDGED',
        occurredAt: new Date().toISOString(),
        ...body,
      }),
    );
  const kept = (what: string) => word(what, 'requests');
  await refused(422, { note: kept('note on a move that is not allowed') });
  await refused(409, { expectedVersion: 1, note: kept('note on an old version') });
  await refused(400, { note: kept('note that is too long').repeat(200) });
  await refused(400, { status: kept('unknown status') });
}

/** The seller leaves a note on the job, and some that are refused. */
export async function noteOnJob(stage: Stage, key: string, jobId: string): Promise<void> {
  const { word, at } = stage;
  const post = (status: number, id: string, note: string) =>
    expectStatus(status, asSeller(stage, key, 'POST', `/inbound/jobs/${id}/status`, { note }));
  await post(200, jobId, word('note of the contractor', at.seller, 'platform'));
  await post(400, jobId, word('too long note', 'requests').repeat(200));
  await post(404, newId('job'), word('note on no job', 'requests'));
}

/** The installer company loses three jobs: without a successor, to another company, and by a cancellation. */
export async function loseJobs(stage: Stage, key: string, otherInstallerId: string): Promise<void> {
  const { publish } = stage;
  const about = (jobId: string) => ({ jobId, version: 3, occurredAt: anInstant() });
  const unassigned = await newJob(stage, key, 'unassigned');
  await publish(JobUnassignedSchema, about(unassigned));
  const moved = await newJob(stage, key, 'moved');
  await publish(JobAssignedSchema, { ...about(moved), installerCompanyId: otherInstallerId });
  for (const id of [unassigned, moved]) {
    await eventually(
      'the job has left the company',
      async () => (await asInstaller(stage, key, 'GET', `/jobs/${id}`)).status === 404,
    );
  }
  const cancelled = await newJob(stage, key, 'cancelled');
  await publish(JobCancelledSchema, about(cancelled));
  await jobAt(stage, key, cancelled, 2);
}

async function newJob(stage: Stage, key: string, which: string): Promise<string> {
  const { publish, word, at, seller } = stage;
  const jobId = newId('job');
  const customer = {
    name: word(`name of the customer of the ${which} job`, at.installer),
    phone: word(`phone of the customer of the ${which} job`, at.installer),
    line1: '8 Harbor Street',
    city: 'Austin',
    state: 'TX',
    zip: '78701',
  };
  const created = { jobId, version: 1, sellingCompanyId: seller.id, customer, occurredAt: anInstant() };
  await publish(JobCreatedSchema, { ...created, scope: scope(stage, `${which} job's`, 1) });
  await assign(stage, key, jobId);
  return jobId;
}
