import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { ERASED_TEXT } from '@partner/proto-contracts/values/redacted';
import type { InstallerJob } from '@partner/proto-contracts/resources/job/job';
import type { JobRecord, ScopeItem } from './job-record.js';

/** Renders the projection of a job as JSON text. */
export function renderProjection(job: JobRecord): string {
  return JSON.stringify(projectionOf(job));
}

/**
 * Returns the installer-safe projection of a job, which is stored, served and added to the feed (spec: InstallerJob).
 *
 * Nothing else makes one. Every field is picked by name at every depth, so that no other field of a job, such as prices or an
 * email address, can leak (spec: What the service does 6).
 */
export function projectionOf(job: JobRecord): InstallerJob {
  return {
    id: job.id,
    version: job.version,
    status: job.status,
    company: { id: job.sellingCompany.id, name: job.sellingCompany.name },
    customer: {
      name: job.customer.name,
      phone: job.customer.phone,
      address: {
        line1: job.customer.line1,
        city: job.customer.city,
        state: job.customer.state,
        zip: job.customer.zip,
      },
    },
    scope: {
      packageName: job.scope.packageName,
      systemType: job.scope.systemType,
      equipment: job.scope.equipment.map(pickScopeItem),
      accessories: job.scope.accessories.map(pickScopeItem),
      supplierSources: job.scope.supplierSources.map(({ name, reference }) => ({ name, reference })),
      scopeVersion: job.scope.scopeVersion,
    },
    schedule: shownSchedule(job.schedule),
    readiness: shownReadiness(job),
    documents: job.documents.map(({ id, category, mime, availableAt }) => ({
      id,
      category,
      mime,
      availableAt,
    })),
    technicianAssignments: job.technicianAssignments.map(({ membershipId, assignedAt }) => ({
      membershipId,
      assignedAt,
    })),
    updatedAt: formatDateTime(job.updatedAt),
    ...(job.customer.name === ERASED_TEXT && { redacted: true }),
  };
}

export function shownSchedule({
  status,
  startsAt,
  endsAt,
  timeZone,
}: JobRecord['schedule']): InstallerJob['schedule'] {
  return {
    status,
    startsAt: startsAt === null ? null : formatDateTime(startsAt),
    endsAt: endsAt === null ? null : formatDateTime(endsAt),
    timeZone,
  };
}

/** Readiness as the projection shows it: the selling side's blocker codes and the installer's blocker code combined. */
export function shownReadiness({
  readiness: { ready, blockerCodes },
  blockerCode,
}: Pick<JobRecord, 'readiness' | 'blockerCode'>): InstallerJob['readiness'] {
  return {
    ready: ready && blockerCode === null,
    blockerCodes:
      blockerCode === null || blockerCodes.includes(blockerCode)
        ? [...blockerCodes]
        : [...blockerCodes, blockerCode],
  };
}

function pickScopeItem({ name, model, quantity }: ScopeItem): ScopeItem {
  return { name, model, quantity };
}
