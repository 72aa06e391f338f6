import { randomBytes, randomUUID } from 'node:crypto';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
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
} from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import {
  getJobOperation,
  recordStatusEventOperation,
  replaceAssignmentsOperation,
  setScheduleOperation,
} from '@partner/proto-contracts/resources/job/operations';
import type { OperationCall } from '@partner/proto-contracts/call';
import {
  BLOCKER_CODES,
  type InstallerJob,
  jobResponse,
  type JobStatusName,
} from '@partner/proto-contracts/resources/job/job';
import {
  JOB_STATUS_MOVES,
  type ReportableStatus,
} from '@partner/proto-contracts/resources/job/job-status-moves';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { newId } from '@partner/kernel/process/ids';
import type { SaleState } from './sale-state.js';
import type { SandboxCompany } from './sandbox-companies.js';

/** A sale is given up after this many waits for one published change, or this many refused moves. */
const MAX_TRIES = 100;
/** Usual next status that an installer reports. */
const FORWARD: Readonly<Partial<Record<JobStatusName, ReportableStatus>>> = {
  ASSIGNED: 'ACKNOWLEDGED',
  ACKNOWLEDGED: 'EN_ROUTE',
  EN_ROUTE: 'ON_SITE',
  ON_SITE: 'IN_PROGRESS',
  IN_PROGRESS: 'COMPLETE',
};

export interface SimulatedJob {
  readonly id: string;
  installer: SandboxCompany;
  /** Readiness that the platform published last. */
  isReady: boolean;
}

export async function* createJob(sale: SaleState): AsyncGenerator<string, SimulatedJob, undefined> {
  const { world, seller, projectId, next, publish, pick } = sale;
  const jobId = newId('job');
  yield* publish('job_created', JobCreatedSchema, {
    ...{ jobId, ...next(jobId), projectId, sellingCompanyId: seller.id, scope: scopeOf(1) },
    workOrderNo: `WO-${jobId.slice(-6).toUpperCase()}`,
    customer: {
      name: pick(['Jordan Ellis', 'Maria Santos', 'Peter Novak', 'Aisha Khan']),
      phone: '+1 555 0142',
      line1: `${1 + Math.floor(world.random() * 9_999)} ${pick(['Maple Street', 'Oak Avenue', 'Cedar Lane'])}`,
      city: 'Boulder',
      state: 'CO',
      zip: '80302',
    },
  });
  const job = { id: jobId, installer: pick(world.installers), isReady: true };
  yield* assignJob(sale, job);
  return job;
}

function assignJob({ next, publish }: SaleState, { id: jobId, installer }: SimulatedJob) {
  const assignment = { jobId, ...next(jobId), installerCompanyId: installer.id };
  return publish('job_assigned', JobAssignedSchema, assignment);
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
 * Simulates the installation until the job is complete or cancelled. Gives up if a published change does not become visible or
 * after `MAX_TRIES` refused moves.
 */
export async function* simulateInstallation(
  sale: SaleState,
  job: SimulatedJob,
): AsyncGenerator<string, 'complete' | 'cancelled' | 'given_up', undefined> {
  const { next, publish, chance } = sale;
  let refused = 0;
  if (!(yield* waitForVersion(sale, job, 0))) return 'given_up';
  while (refused < MAX_TRIES) {
    const current = await readJob(sale, job);
    if (current === undefined) {
      refused += 1;
      yield 'waited';
      continue;
    }
    if (current.status === 'COMPLETE') return 'complete';
    // Another publisher cancelled the job; partners cannot.
    if (current.status === 'CANCELLED') return 'given_up';
    // From EN_ROUTE on only the installer acts, so no platform message can follow the job's end.
    const isEarly = ['ASSIGNED', 'ACKNOWLEDGED', 'BLOCKED'].includes(current.status);
    if (isEarly && chance(0.03)) {
      yield* publish('job_cancelled', JobCancelledSchema, { jobId: job.id, ...next(job.id) });
      return 'cancelled';
    }
    if (isEarly && chance(0.04)) {
      yield* publish('job_unassigned', JobUnassignedSchema, { jobId: job.id, ...next(job.id) });
      job.installer = sale.pick(sale.world.installers);
      yield* assignJob(sale, job);
      if (!(yield* waitForVersion(sale, job, 0))) return 'given_up';
      continue;
    }
    if (isEarly && chance(0.35)) {
      yield* changeJob(sale, job, current);
      if (!(yield* waitForVersion(sale, job, current.version))) return 'given_up';
      continue;
    }
    const move = await installerMove(sale, job, current);
    if (move === 'refused') refused += 1;
    yield move;
  }
  return 'given_up';
}

/** Reads the job as its installer company; undefined if the company cannot see it or the call fails. */
async function readJob(
  { world }: SaleState,
  { id: jobId, installer }: SimulatedJob,
): Promise<InstallerJob | undefined> {
  try {
    const call = { caller: callerOf(installer), params: { id: jobId } };
    const { json } = await world.operations.call(getJobOperation, call);
    return jobResponse.pick({ resource: true }).parse(JSON.parse(json)).resource;
  } catch {
    return undefined;
  }
}

/** Waits until the installer sees a version newer than `before`. Returns false after `MAX_TRIES` waits. */
async function* waitForVersion(
  sale: SaleState,
  job: SimulatedJob,
  before: number,
): AsyncGenerator<string, boolean, undefined> {
  for (let turn = 0; turn < MAX_TRIES; turn += 1) {
    const current = await readJob(sale, job);
    if (current !== undefined && current.version > before) return true;
    yield 'waited';
  }
  return false;
}

/** Publishes one change that the installer sees. */
function changeJob(sale: SaleState, job: SimulatedJob, current: InstallerJob) {
  const { next, version, publish, pick, inHours } = sale;
  const about = { jobId: job.id };
  switch (pick(['document', 'readiness', 'schedule', 'scope'] as const)) {
    case 'document':
      return publish('job_document_available', JobDocumentAvailableSchema, {
        ...{ ...about, ...next(job.id), documentId: newId('doc'), mime: 'application/pdf' },
        category: pick([DocumentCategory.SCOPE, DocumentCategory.PERMIT, DocumentCategory.MANUAL]),
      });
    case 'readiness':
      job.isReady = !job.isReady;
      return publish('job_readiness_changed', JobReadinessChangedSchema, {
        ...{ ...about, ...next(job.id), ready: job.isReady },
        // Simulated installers never report WEATHER, so the projection always changes.
        blockerCodes: job.isReady ? [] : ['WEATHER'],
      });
    case 'schedule': {
      // Each version has a different start, so that the projection changes.
      const hours = 24 + version(job.id);
      return publish('job_scheduled', JobScheduledSchema, {
        ...{ ...about, ...next(job.id), timeZone: 'America/Denver' },
        status: pick([JobScheduleStatus.TENTATIVE, JobScheduleStatus.CONFIRMED]),
        startsAt: inHours(hours),
        endsAt: inHours(hours + 4),
      });
    }
    case 'scope':
      return publish('job_scope_changed', JobScopeChangedSchema, {
        ...{ ...about, ...next(job.id), scope: scopeOf(current.scope.scopeVersion + 1) },
      });
  }
}

/** Makes one move of the installer company; returns its name, or `refused` if it failed or its outcome is unknown. */
async function installerMove(
  { world, pick, chance, now, inHours }: SaleState,
  job: SimulatedJob,
  current: InstallerJob,
): Promise<string> {
  const write = (operation: { readonly id: string }, body: object) =>
    world.operations.call(operation, {
      caller: callerOf(job.installer),
      params: { id: job.id },
      body: { ...body, expectedVersion: current.version },
      idempotencyKey: {
        key: randomUUID(),
        request: 'simulated',
        bodySha256: randomBytes(32).toString('hex'),
      },
    });
  try {
    const active = job.installer.technicians.filter((technician) => technician.active);
    if (current.technicianAssignments.length === 0 && active.length > 0 && chance(0.4)) {
      await write(replaceAssignmentsOperation, { membershipIds: [pick(active).membershipId] });
      return 'technicians_assigned';
    }
    if (current.schedule.status !== 'CONFIRMED' && chance(0.3)) {
      await write(setScheduleOperation, {
        status: 'CONFIRMED',
        startsAt: dateTimeOf(inHours(24)),
        endsAt: dateTimeOf(inHours(28)),
        timeZone: 'America/Denver',
      });
      return 'schedule_set';
    }
    const allowed = JOB_STATUS_MOVES[current.status];
    const usual = FORWARD[current.status] ?? pick(allowed.filter((status) => status !== 'BLOCKED'));
    const status = allowed.includes('BLOCKED') && chance(0.08) ? 'BLOCKED' : usual;
    await write(recordStatusEventOperation, {
      status,
      occurredAt: dateTimeOf(now()),
      ...(status === 'BLOCKED' && {
        blockerCode: pick(BLOCKER_CODES.filter((code) => code !== 'WEATHER')),
      }),
    });
    return 'status_reported';
  } catch {
    // The next move reads the job again, so it sees the write if it succeeded.
    return 'refused';
  }
}

function callerOf({ id }: SandboxCompany): OperationCall['caller'] {
  return { kind: 'key', companyId: id, companyClass: 'INSTALLER', keyId: 'simulator' };
}

function dateTimeOf(timestamp: Timestamp): string {
  return formatDateTime(timestampDate(timestamp));
}
