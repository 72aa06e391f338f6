import type { ContractorJobStageName } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import type { JobStatusName } from '@partner/proto-contracts/resources/job/job';
import { assertNever } from '@partner/kernel/process/invariant';
import type { JobRecord } from '../jobs/job-record.js';

/**
 * Progress of a job in the contractor's terms (spec: ContractorJob).
 *
 * Until a crew is on its way the schedule decides; from then on the status does.
 */
export function contractorJobStage(
  status: JobStatusName,
  schedule: JobRecord['schedule']['status'],
): ContractorJobStageName {
  switch (status) {
    case 'ASSIGNED':
    case 'ACKNOWLEDGED':
      return schedule === 'TENTATIVE' || schedule === 'CONFIRMED' ? 'SCHEDULED' : 'SOLD';
    case 'EN_ROUTE':
    case 'ON_SITE':
    case 'IN_PROGRESS':
      return 'IN_PROGRESS';
    case 'BLOCKED':
    case 'COMPLETE':
    case 'CANCELLED':
      return status;
    default:
      return assertNever(status);
  }
}
