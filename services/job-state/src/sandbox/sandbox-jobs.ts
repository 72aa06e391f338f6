import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { BLOCKER_CODES, JOB_STATUSES, type JobStatusName } from '@partner/proto-contracts/resources/job/job';
import { JOB_STATUS_MOVES } from '@partner/proto-contracts/resources/job/job-status-moves';
import { invariant } from '@partner/kernel/process/invariant';
import type { BlockerCode, JobRecord } from '../jobs/job-record.js';
import { renderProjection } from '../jobs/render-projection.js';
import { SANDBOX_START, type SandboxCompany } from './sandbox-companies.js';
import { stableId } from './stable-id.js';

const JOBS = 200;
/** Number of older jobs; all of them are finished. */
const FINISHED_JOBS = 136;
const DAY_MS = 24 * 3_600_000;
export const HOUR_MS = 3_600_000;
/** Sale of the first younger job, relative to `SANDBOX_START`. Two sales a day follow. */
const YOUNG_FROM_MS = 330 * DAY_MS;

const CUSTOMERS = [
  'Jordan Ellis',
  'Maria Santos',
  'Peter Novak',
  'Aisha Khan',
  'Liam Doyle',
  'Wei Zhang',
] as const;
const STREETS = [
  'Maple Street',
  'Oak Avenue',
  'Cedar Lane',
  'Birch Road',
  'Elm Drive',
  'Walnut Court',
  'Pine Terrace',
  'Ash Way',
] as const;
const TOWNS = [
  { city: 'Asheville', state: 'NC', zip: '28801', timeZone: 'America/New_York' },
  { city: 'Naperville', state: 'IL', zip: '60540', timeZone: 'America/Chicago' },
  { city: 'Boulder', state: 'CO', zip: '80302', timeZone: 'America/Denver' },
  { city: 'Sacramento', state: 'CA', zip: '95814', timeZone: 'America/Los_Angeles' },
] as const;
const PACKAGES = [
  { packageName: 'Heat Pump Essential', systemType: 'HVAC', name: 'Air-source heat pump', model: 'HP-36K' },
  { packageName: 'Solar 8 kW', systemType: 'SOLAR', name: 'Solar panel', model: 'SP-400' },
  { packageName: 'Water Heater Plus', systemType: 'PLUMBING', name: 'Heat pump water heater', model: null },
] as const;

const USUAL_PATH = ['ACKNOWLEDGED', 'EN_ROUTE', 'ON_SITE', 'IN_PROGRESS', 'COMPLETE'] as const;

/** Statuses that a job passes after ASSIGNED, by its current status. */
function pathTo(status: JobStatusName): readonly JobStatusName[] {
  if (status === 'BLOCKED' || status === 'CANCELLED') return ['ACKNOWLEDGED', status];
  return USUAL_PATH.slice(0, USUAL_PATH.findIndex((passed) => passed === status) + 1);
}

/** Contractors' notes on jobs, by status, one note a line. */
const NOTES: Readonly<Partial<Record<JobStatusName, string>>> = {
  ACKNOWLEDGED: 'The customer prefers mornings.',
  BLOCKED: 'Left the customer a message.\nThey call back on Monday.',
  COMPLETE: 'The old unit was taken away.',
};

export type SandboxVersion = ReturnType<typeof versionsOf>[number];

/** A job of the sandbox with all its versions, oldest first. `soldFrom`: creation of its lead; `lastUpdatedAt`: of the job or its notes. */
export type SandboxJob = ReturnType<typeof sandboxJob>;

/**
 * The sandbox's jobs: one year, spread over its companies. Deterministic. The last month has jobs in every status; older jobs
 * are finished.
 */
export function sandboxJobs(companies: readonly SandboxCompany[]): readonly SandboxJob[] {
  const sellers = companies.filter((company) => company.class === 'SALES');
  const installers = companies.filter((company) => company.class === 'INSTALLER');
  return Array.from({ length: JOBS }, (_, index) => {
    const young = index - FINISHED_JOBS;
    if (young < 0) {
      const status = index % 8 === 7 ? 'CANCELLED' : 'COMPLETE';
      const soldFrom = new Date(SANDBOX_START.getTime() + index * 56 * HOUR_MS);
      return sandboxJob(
        index,
        status,
        soldFrom,
        pick(sellers, index),
        pick(installers, Math.floor(index / 2)),
      );
    }
    const status = pick(JOB_STATUSES, young);
    const soldFrom = new Date(SANDBOX_START.getTime() + YOUNG_FROM_MS + young * 12 * HOUR_MS);
    // Sellers and installers change less often than the status, so that each combination occurs.
    const round = Math.floor(young / JOB_STATUSES.length);
    return sandboxJob(index, status, soldFrom, pick(sellers, Math.floor(round / 2)), pick(installers, round));
  });
}

function sandboxJob(
  index: number,
  status: JobStatusName,
  soldFrom: Date,
  seller: SandboxCompany,
  installer: SandboxCompany,
) {
  const createdAt = new Date(soldFrom.getTime() + 4 * DAY_MS);
  const assignedAt = new Date(createdAt.getTime() + HOUR_MS);
  const town = pick(TOWNS, index);
  const offer = pick(PACKAGES, index);
  const customer = {
    name: pick(CUSTOMERS, index),
    phone: `+1 555 01${String(index % 100).padStart(2, '0')}`,
    line1: `${100 + 7 * index} ${pick(STREETS, index)}`,
    city: town.city,
    state: town.state,
    zip: town.zip,
  };
  const technician = installer.technicians[index % 3];
  const assigned: JobRecord = {
    id: stableId('job', String(index), createdAt),
    version: 1,
    status: 'ASSIGNED',
    sellingCompany: { id: seller.id, name: seller.name },
    installerCompanyId: installer.id,
    assignedAt,
    blockerCode: null,
    customer,
    scope: {
      packageName: offer.packageName,
      systemType: offer.systemType,
      equipment: [{ name: offer.name, model: offer.model, quantity: 1 + (index % 4) }],
      accessories: [{ name: 'Mounting kit', model: null, quantity: 1 }],
      supplierSources: [{ name: 'Central Supply', reference: index % 2 === 0 ? `CS-${1000 + index}` : null }],
      scopeVersion: 1,
    },
    schedule: scheduleOf(status, assignedAt, town.timeZone),
    readiness: { ready: true, blockerCodes: [] },
    documents: [
      {
        id: stableId('doc', String(index), createdAt),
        category: 'SCOPE',
        mime: 'application/pdf',
        availableAt: formatDateTime(createdAt),
      },
    ],
    technicianAssignments:
      isVisited(status) && technician !== undefined
        ? [{ membershipId: technician.membershipId, assignedAt: formatDateTime(assignedAt) }]
        : [],
    updatedAt: assignedAt,
  };
  const versions = versionsOf(assigned, pathTo(status), pick(BLOCKER_CODES, index));
  const installerNote = NOTES[status] ?? null;
  const updatedAt = versions.at(-1)?.job.updatedAt ?? assignedAt;
  return {
    projectId: stableId('prj', String(index), soldFrom),
    workOrderNo: `WO-${String(10_000 + index)}`,
    lead: {
      id: stableId('lead', String(index), soldFrom),
      fullName: customer.name,
      email: `customer${index}@customers.example`,
      address: `${customer.line1}, ${customer.city}, ${customer.state} ${customer.zip}`,
    },
    soldFrom,
    createdAt,
    installerNote,
    lastUpdatedAt: installerNote === null ? updatedAt : new Date(updatedAt.getTime() + HOUR_MS),
    versions,
  };
}

function isVisited(status: JobStatusName): boolean {
  return !['ASSIGNED', 'ACKNOWLEDGED', 'CANCELLED'].includes(status);
}

/** Schedules a visit one day after the assignment: tentative when ACKNOWLEDGED, confirmed in later statuses but CANCELLED. */
function scheduleOf(status: JobStatusName, assignedAt: Date, timeZone: string): JobRecord['schedule'] {
  if (!isVisited(status) && status !== 'ACKNOWLEDGED') {
    return { status: 'UNSCHEDULED', startsAt: null, endsAt: null, timeZone: null };
  }
  const startsAt = new Date(assignedAt.getTime() + 24 * HOUR_MS);
  return {
    status: isVisited(status) ? 'CONFIRMED' : 'TENTATIVE',
    startsAt,
    endsAt: new Date(startsAt.getTime() + 4 * HOUR_MS),
    timeZone,
  };
}

function versionsOf(assigned: JobRecord, path: readonly JobStatusName[], blockerCode: BlockerCode) {
  const of = (job: JobRecord, previousStatus?: JobStatusName) => ({
    ...{ job, previousStatus, projection: renderProjection(job) },
  });
  const versions = [of(assigned)];
  let job = assigned;
  for (const status of path) {
    const previousStatus = job.status;
    const allowed: readonly JobStatusName[] = JOB_STATUS_MOVES[previousStatus];
    invariant(status === 'CANCELLED' || allowed.includes(status), `${previousStatus} can move to ${status}`);
    job = {
      ...job,
      version: job.version + 1,
      status,
      blockerCode: status === 'BLOCKED' ? blockerCode : null,
      updatedAt: new Date(job.updatedAt.getTime() + 2 * HOUR_MS),
    };
    versions.push(of(job, previousStatus));
  }
  return versions;
}

function pick<T>(from: readonly T[], index: number): T {
  const picked = from[index % from.length];
  invariant(picked, 'the list is not empty');
  return picked;
}
