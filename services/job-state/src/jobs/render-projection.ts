import { formatDateTime } from '@partner/proto-contracts/public-api/date-time';
import type { InstallerJob } from '@partner/proto-contracts/public-api/installer-job';
import type { JobRecord, ScopeItem } from './job-record.js';

/**
 * Renders the installer-safe projection of a job as the JSON text that is stored, served and put into the feed (spec:
 * InstallerJob). The only place that does. Every field is picked by name at every depth, so that nothing else that a job
 * may hold, such as prices or an email address, can get in (spec: What the service does 6).
 */
export function renderProjection(job: JobRecord): string {
  return JSON.stringify({
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
  } satisfies InstallerJob);
}

/** A schedule as the projection shows it. */
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

/** Whether work can go on, as the projection shows it: the selling side's view and the installer's blocker code in one. */
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
