import { randomBytes, randomUUID } from 'node:crypto';
import { JobStatus, ScheduleStatus } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import {
  DocumentCategory,
  JobAssignedSchema,
  JobCancelledSchema,
  JobCreatedSchema,
  JobDocumentAvailableSchema,
  JobReadinessChangedSchema,
  JobScheduledSchema,
  JobScheduleStatus,
  JobScopeChangedSchema,
  JobUnassignedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import {
  BLOCKER_CODES,
  installerJob,
  type InstallerJob,
  type JobStatusName,
} from '@partner/proto-contracts/resources/job/job';
import {
  JOB_STATUS_MOVES,
  type ReportableStatus,
} from '@partner/proto-contracts/resources/job/job-status-moves';
import { serviceErrorFrom } from '@partner/kernel/amqp/rpc-error';
import { newId } from '@partner/kernel/ids';
import type { SaleState } from './sale-state.js';
import type { SandboxCompany } from './sandbox-companies.js';

/** So many moves in a row a sale waits for what it has told to show, before it is given up. */
const PATIENCE = 100;
/** The installer's usual next step. */
const FORWARD: Readonly<Partial<Record<JobStatusName, ReportableStatus>>> = {
  ASSIGNED: 'ACKNOWLEDGED',
  ACKNOWLEDGED: 'EN_ROUTE',
  EN_ROUTE: 'ON_SITE',
  ON_SITE: 'IN_PROGRESS',
  IN_PROGRESS: 'COMPLETE',
};

/** The job of a sale, and which company installs it now. */
export interface SimulatedJob {
  readonly id: string;
  installer: SandboxCompany;
  /** As the platform last said. */
  isReady: boolean;
}

/** The platform creates the job of the sale and assigns it to an installer company. */
export async function* soldJob(sale: SaleState): AsyncGenerator<string, SimulatedJob, undefined> {
  const { world, next, pick, now } = sale;
  const jobId = newId('job');
  await world.tell(JobCreatedSchema, {
    jobId,
    version: next(jobId),
    sellingCompanyId: sale.seller.id,
    projectId: sale.projectId,
    workOrderNo: `WO-${jobId.slice(-6).toUpperCase()}`,
    customer: {
      name: pick(['Jordan Ellis', 'Maria Santos', 'Peter Novak', 'Aisha Khan']),
      phone: '+1 555 0142',
      line1: `${1 + Math.floor(world.random() * 9_999)} ${pick(['Maple Street', 'Oak Avenue', 'Cedar Lane'])}`,
      city: 'Boulder',
      state: 'CO',
      zip: '80302',
    },
    scope: scopeOf(1),
    occurredAt: now(),
  });
  yield 'job_created';
  const installer = pick(world.installers);
  await world.tell(JobAssignedSchema, {
    jobId,
    version: next(jobId),
    installerCompanyId: installer.id,
    occurredAt: now(),
  });
  yield 'job_assigned';
  return { id: jobId, installer, isReady: true };
}

function scopeOf(scopeVersion: number) {
  return {
    packageName: 'Heat Pump Essential',
    systemType: 'HVAC',
    equipment: [{ name: 'Air-source heat pump', model: 'HP-36K', quantity: scopeVersion }],
    accessories: [{ name: 'Mounting kit', quantity: 1 }],
    supplierSources: [{ name: 'Central Supply' }],
    scopeVersion,
  };
}

/**
 * Plays the installation until the job is complete or cancelled. Gives up if the job never shows what was published, or after
 * 100 refused moves.
 */
export async function* installed(
  sale: SaleState,
  job: SimulatedJob,
): AsyncGenerator<string, 'complete' | 'cancelled' | 'given_up', undefined> {
  const { world, next, chance, now } = sale;
  let refused = 0;
  if (!(yield* shown(sale, job, 0))) return 'given_up';
  while (refused < PATIENCE) {
    const current = await seen(sale, job);
    if (current === undefined) {
      refused += 1;
      yield 'waited';
      continue;
    }
    if (current.status === 'COMPLETE') return 'complete';
    // A partner who plays along may have done anything to it but this.
    if (current.status === 'CANCELLED') return 'given_up';
    // What is nearly done is left to the installer: no message can come after the end then.
    const isEarly = ['ASSIGNED', 'ACKNOWLEDGED', 'BLOCKED'].includes(current.status);
    if (isEarly && chance(0.03)) {
      await world.tell(JobCancelledSchema, { jobId: job.id, version: next(job.id), occurredAt: now() });
      yield 'job_cancelled';
      return 'cancelled';
    }
    if (isEarly && chance(0.04)) {
      yield* movedToAnother(sale, job);
      if (!(yield* shown(sale, job, 0))) return 'given_up';
      continue;
    }
    if (isEarly && chance(0.35)) {
      yield* changedBySeller(sale, job, current);
      if (!(yield* shown(sale, job, current.version))) return 'given_up';
      continue;
    }
    const move = await installerMove(sale, job, current);
    if (move === 'refused') refused += 1;
    yield move;
  }
  return 'given_up';
}

/** The job as its installer company sees it; undefined when it does not, or that is unknown now. */
async function seen(
  { world }: SaleState,
  { id: jobId, installer }: SimulatedJob,
): Promise<InstallerJob | undefined> {
  try {
    const { resourceJson } = await world.jobs.getJob({ companyId: installer.id, jobId });
    const resource: unknown = JSON.parse(resourceJson ?? '');
    return installerJob.parse(resource);
  } catch (error) {
    serviceErrorFrom(error);
    return undefined;
  }
}

/** Waits until the job shows a newer version than before; false: given up. */
async function* shown(
  sale: SaleState,
  job: SimulatedJob,
  before: number,
): AsyncGenerator<string, boolean, undefined> {
  for (let turn = 0; turn < PATIENCE; turn += 1) {
    const current = await seen(sale, job);
    if (current !== undefined && current.version > before) return true;
    yield 'waited';
  }
  return false;
}

/** The platform takes the job from its installer company and assigns it anew. */
async function* movedToAnother({ world, next, pick, now }: SaleState, job: SimulatedJob) {
  await world.tell(JobUnassignedSchema, { jobId: job.id, version: next(job.id), occurredAt: now() });
  yield 'job_unassigned';
  job.installer = pick(world.installers);
  await world.tell(JobAssignedSchema, {
    jobId: job.id,
    version: next(job.id),
    installerCompanyId: job.installer.id,
    occurredAt: now(),
  });
  yield 'job_assigned';
}

/** Something that changes what the installer sees. */
async function* changedBySeller(sale: SaleState, job: SimulatedJob, current: InstallerJob) {
  const { pick, inHours } = sale;
  const { tell } = sale.world;
  const about = () => ({ jobId: job.id, version: sale.next(job.id), occurredAt: sale.now() });
  switch (pick(['document', 'readiness', 'schedule', 'scope'] as const)) {
    case 'document':
      await tell(JobDocumentAvailableSchema, {
        ...about(),
        documentId: newId('doc'),
        category: pick([DocumentCategory.SCOPE, DocumentCategory.PERMIT, DocumentCategory.MANUAL]),
        mime: 'application/pdf',
      });
      yield 'job_document_available';
      break;
    case 'readiness':
      job.isReady = !job.isReady;
      await tell(JobReadinessChangedSchema, {
        ...about(),
        ready: job.isReady,
        // One that no installer reports here, so that the projection changes.
        blockerCodes: job.isReady ? [] : ['WEATHER'],
      });
      yield 'job_readiness_changed';
      break;
    case 'schedule': {
      // An hour of its own each time, so that the projection changes.
      const hours = 24 + sale.version(job.id);
      await tell(JobScheduledSchema, {
        ...about(),
        status: pick([JobScheduleStatus.TENTATIVE, JobScheduleStatus.CONFIRMED]),
        startsAt: inHours(hours),
        endsAt: inHours(hours + 4),
        timeZone: 'America/Denver',
      });
      yield 'job_scheduled';
      break;
    }
    case 'scope':
      await tell(JobScopeChangedSchema, { ...about(), scope: scopeOf(current.scope.scopeVersion + 1) });
      yield 'job_scope_changed';
      break;
  }
}

/** One move of the installer company, by name; `refused` if job-state refuses it or its outcome is unknown. */
async function installerMove(
  { world, pick, chance, now, inHours }: SaleState,
  job: SimulatedJob,
  current: InstallerJob,
): Promise<string> {
  const { jobs } = world;
  const write = {
    companyId: job.installer.id,
    jobId: job.id,
    idempotencyKey: { key: randomUUID(), operation: 'simulated', bodySha256: randomBytes(32) },
    expectedVersion: current.version,
  };
  try {
    const active = job.installer.technicians.filter((technician) => technician.active);
    if (current.technicianAssignments.length === 0 && active.length > 0 && chance(0.4)) {
      await jobs.replaceAssignments({ ...write, membershipIds: [pick(active).membershipId] });
      return 'technicians_assigned';
    }
    if (current.schedule.status !== 'CONFIRMED' && chance(0.3)) {
      await jobs.setSchedule({
        ...write,
        status: ScheduleStatus.CONFIRMED,
        startsAt: inHours(24),
        endsAt: inHours(28),
        timeZone: 'America/Denver',
      });
      return 'schedule_set';
    }
    const allowed = JOB_STATUS_MOVES[current.status];
    const usual = FORWARD[current.status] ?? pick(allowed.filter((status) => status !== 'BLOCKED'));
    const status = allowed.includes('BLOCKED') && chance(0.08) ? 'BLOCKED' : usual;
    await jobs.recordStatusEvent({
      ...write,
      status: JobStatus[status],
      occurredAt: now(),
      ...(status === 'BLOCKED' && {
        blockerCode: pick(BLOCKER_CODES.filter((code) => code !== 'WEATHER')),
      }),
    });
    return 'status_reported';
  } catch (error) {
    // Refused, or unknown: the next move begins with what has become of the job.
    serviceErrorFrom(error);
    return 'refused';
  }
}
