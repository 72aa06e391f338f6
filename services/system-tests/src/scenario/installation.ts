import { create } from '@bufbuild/protobuf';
import {
  CustomerSchema,
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
  ScopeItemSchema,
  ScopeSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import { type InstallerJob, jobResponse } from '@partner/proto-contracts/resources/job/job';
import { newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import { eventually } from '@partner/test-kit/eventually';
import { expectStatus } from './company.js';
import {
  aboutJob,
  anInstant,
  asInstaller,
  asSeller,
  ENDS,
  forbiddenTexts,
  jobAt,
  type Stage,
  stamp,
  STARTS,
} from './stage.js';
import { withUnknownFields } from './unknown-fields.js';

const TIMES = { startsAt: STARTS, endsAt: ENDS };

function scope(stage: Stage, which: string, scopeVersion: number) {
  const shown = (what: string) => stage.word(`${what} of the ${which} scope`, stage.at.installer);
  const unknown = (what: string) =>
    forbiddenTexts(stage, `${what} of the ${which} scope of side ${stage.side}`);
  return withUnknownFields(
    create(ScopeSchema, {
      packageName: `Heat pump ${shown('package')}`,
      systemType: 'HVAC',
      equipment: [
        withUnknownFields(
          create(ScopeItemSchema, { name: shown('equipment'), model: shown('model'), quantity: 1 }),
          unknown('the equipment'),
        ),
      ],
      accessories: [{ name: shown('accessory'), quantity: 2 }],
      supplierSources: [{ name: shown('supplier'), reference: shown('reference') }],
      scopeVersion,
    }),
    unknown('all'),
  );
}

/** Fields that an installer never sees, as they would be in the database if they were stored. */
function storedFields({ deps, side }: Stage, where: string): string {
  const word = (field: string) =>
    deps.canaries.word(`stored ${field} in ${where} of side ${side}`, 'database');
  const amount = (field: string) =>
    deps.canaries.amount(`stored ${field} in ${where} of side ${side}`, 'database');
  return JSON.stringify({
    email: `${word('email')}@customers.example`,
    price: amount('price'),
    cost: amount('cost'),
    margin: word('margin'),
    financing: { lender: word('financing') },
    payments: [{ amount: amount('payment') }],
    signature: word('signature'),
  });
}

/** The seller sells a job, and the platform gives it to the installer company. */
export async function sellJob(stage: Stage, key: string, projectId: string): Promise<string> {
  const { deps, word, tell, at, seller, side } = stage;
  const id = newId('job');
  const created = create(JobCreatedSchema, {
    jobId: id,
    version: 1,
    sellingCompanyId: seller.id,
    projectId,
    workOrderNo: word('work order', at.seller),
    customer: withUnknownFields(
      create(CustomerSchema, {
        name: `Grace ${word('name of the customer', at.installer)}`,
        phone: word('phone of the customer', at.installer),
        line1: `7 ${word('address of the customer', at.installer, at.seller)} Street`,
        city: word('city of the customer', at.installer, at.seller),
        state: 'TX',
        zip: '78701',
      }),
      forbiddenTexts(stage, `the customer of side ${side}`),
    ),
    scope: scope(stage, 'first', 1),
    occurredAt: anInstant().occurredAt,
  });
  const sent = await tell(
    JobCreatedSchema,
    withUnknownFields(created, forbiddenTexts(stage, `the job of side ${side}`)),
  );
  await deps.stack.messagesAreSettled([sent]);
  // As if the service stored what the contract does not have.
  const stored = await deps.stack.database.query<{ row: string }>(
    `update jobs set customer = customer || $2::jsonb,
       scope = scope || $3::jsonb || jsonb_build_object('equipment',
         (select jsonb_agg(item || $4::jsonb) from jsonb_array_elements(scope -> 'equipment') as item))
     where id = $1 returning to_jsonb(jobs)::text as row`,
    [
      id,
      storedFields(stage, 'the customer'),
      storedFields(stage, 'the scope'),
      storedFields(stage, 'the equipment'),
    ],
  );
  deps.recorder.keep('database', 'the job', stored.rows[0]?.row ?? '');
  await assign(stage, key, id);
  return id;
}

async function assign({ tell, installer, ...stage }: Stage, key: string, jobId: string): Promise<void> {
  const { occurredAt } = anInstant();
  await tell(JobAssignedSchema, { jobId, version: 2, installerCompanyId: installer.id, occurredAt });
  const job = await jobAt({ tell, installer, ...stage }, key, jobId, 1);
  installer.expectEvent('install.job_assigned', aboutJob(job), { jobId, status: 'ASSIGNED' });
}

/** The seller's side changes a job in every way. */
export async function changeJob(stage: Stage, key: string, jobId: string): Promise<void> {
  const { tell, installer, side } = stage;
  const at = (version: number) => ({ jobId, version, occurredAt: anInstant().occurredAt });

  const readiness = { ready: false, blockerCodes: ['PERMIT'] };
  await tell(JobReadinessChangedSchema, { ...at(3), ...readiness });
  const unready = aboutJob(await jobAt(stage, key, jobId, 2));
  installer.expectEvent('install.readiness_changed', unready, { jobId, ...readiness });

  const status = JobScheduleStatus.TENTATIVE;
  const timeZone = 'America/Chicago';
  await tell(JobScheduledSchema, {
    ...at(4),
    status,
    startsAt: stamp(STARTS),
    endsAt: stamp(ENDS),
    timeZone,
  });
  const scheduled = aboutJob(await jobAt(stage, key, jobId, 3));
  const schedule = { status: 'TENTATIVE', ...TIMES, timeZone } as const;
  const change = { changedBy: 'seller', previousStatus: 'UNSCHEDULED', schedule } as const;
  installer.expectEvent('install.schedule_changed', scheduled, { jobId, ...change });

  const available = anInstant();
  const document = { id: newId('doc'), category: 'PERMIT', mime: 'application/pdf' } as const;
  await tell(JobDocumentAvailableSchema, {
    jobId,
    version: 5,
    documentId: document.id,
    category: DocumentCategory.PERMIT,
    mime: document.mime,
    occurredAt: available.occurredAt,
  });
  const { resource } = aboutJob(await jobAt(stage, key, jobId, 4));
  const shown = { ...document, availableAt: available.shown };
  installer.expectEvent(
    'install.document_available',
    { occurredAt: available.shown, resource },
    { jobId, document: shown },
  );

  const changed = create(JobScopeChangedSchema, { ...at(6), scope: scope(stage, 'second', 2) });
  await tell(
    JobScopeChangedSchema,
    withUnknownFields(changed, forbiddenTexts(stage, `the change of scope of side ${side}`)),
  );
  const rescoped = aboutJob(await jobAt(stage, key, jobId, 5));
  const versions = { scopeVersion: 2, previousScopeVersion: 1 };
  installer.expectEvent('install.scope_acknowledgement_required', rescoped, { jobId, ...versions });
}

/** The installer company does the job to its end, with some writes that are refused. */
export async function doJob(stage: Stage, key: string, jobId: string, technicianId: string): Promise<void> {
  const { installer, at, word, tell } = stage;
  let job = await jobAt(stage, key, jobId, 5);
  const send = (method: string, path: string, body: object) =>
    asInstaller(stage, key, method, `/jobs/${jobId}/${path}`, { expectedVersion: job.version, ...body });
  const write = async (method: string, path: string, body: object) => {
    job = jobResponse.parse((await send(method, path, body)).json).resource;
  };
  const report = async (
    status: InstallerJob['status'],
    note: string | null = null,
    blockerCode: 'WEATHER' | null = null,
  ) => {
    const { status: previousStatus, readiness } = job;
    const occurredAt = anInstant().shown;
    await write('POST', 'status-events', {
      status,
      occurredAt,
      ...(note === null ? {} : { note }),
      ...(blockerCode === null ? {} : { blockerCode }),
    });
    const event = { previousStatus, status, occurredAt, note, blockerCode };
    installer.expectEvent('install.status_changed', aboutJob(job), { jobId, ...event });
    const isOther = JSON.stringify(readiness) !== JSON.stringify(job.readiness);
    if (isOther)
      installer.expectEvent('install.readiness_changed', aboutJob(job), { jobId, ...job.readiness });
  };
  const note = (what: string) => word(`note ${what}`, ...at.installerReceives, 'platform');
  await report('ACKNOWLEDGED', note('on the acknowledgement'));
  await report('BLOCKED', note('on the blocker'), 'WEATHER');
  invariant(job.readiness.blockerCodes.includes('WEATHER'), 'a blocked job shows its blocker');
  await report('EN_ROUTE');
  const schedule = { status: 'CONFIRMED', ...TIMES, timeZone: 'America/Denver' } as const;
  await write('PUT', 'schedule', schedule);
  const change = { changedBy: 'installer', previousStatus: 'TENTATIVE', schedule } as const;
  installer.expectEvent('install.schedule_changed', aboutJob(job), { jobId, ...change });
  await write('PUT', 'assignments', { membershipIds: [technicianId] });
  await report('ON_SITE');
  await report('IN_PROGRESS');
  await report('COMPLETE');
  const accepted = anInstant();
  await tell(JobCompletionAcceptedSchema, { jobId, version: 7, occurredAt: accepted.occurredAt });
  const { resource } = aboutJob(job);
  const acceptance = { jobId, acceptedAt: accepted.shown };
  installer.expectEvent('install.completion_received', { occurredAt: accepted.shown, resource }, acceptance);

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
  const { tell, installer } = stage;
  const about = (jobId: string) => ({ jobId, version: 3, ...anInstant() });
  const lost = (jobId: string) => {
    const resource = { type: 'install_job', id: jobId, version: 2 };
    installer.expectEvent('install.job_unassigned', { occurredAt: undefined, resource }, { jobId });
  };

  const unassigned = await newJob(stage, key, 'unassigned');
  await tell(JobUnassignedSchema, about(unassigned));
  lost(unassigned);

  const moved = await newJob(stage, key, 'moved');
  await tell(JobAssignedSchema, { ...about(moved), installerCompanyId: otherInstallerId });
  lost(moved);
  for (const id of [unassigned, moved]) {
    await eventually(
      'the job has left the company',
      async () => (await asInstaller(stage, key, 'GET', `/jobs/${id}`)).status === 404,
    );
  }

  const jobId = await newJob(stage, key, 'cancelled');
  const { shown, ...cancellation } = about(jobId);
  await tell(JobCancelledSchema, cancellation);
  const cancelled = aboutJob(await jobAt(stage, key, jobId, 2));
  const previousStatus = 'ASSIGNED';
  installer.expectEvent('install.job_cancelled', cancelled, { jobId, previousStatus });
  const status = {
    previousStatus,
    status: 'CANCELLED',
    occurredAt: shown,
    note: null,
    blockerCode: null,
  } as const;
  installer.expectEvent('install.status_changed', cancelled, { jobId, ...status });
}

async function newJob(stage: Stage, key: string, which: string): Promise<string> {
  const { tell, word, at, seller } = stage;
  const jobId = newId('job');
  const customer = {
    name: word(`name of the customer of the ${which} job`, at.installer),
    phone: word(`phone of the customer of the ${which} job`, at.installer),
    line1: '8 Harbor Street',
    city: 'Austin',
    state: 'TX',
    zip: '78701',
  };
  const { occurredAt } = anInstant();
  const created = { jobId, version: 1, sellingCompanyId: seller.id, customer, occurredAt };
  await tell(JobCreatedSchema, { ...created, scope: scope(stage, `${which} job's`, 1) });
  await assign(stage, key, jobId);
  return jobId;
}
