import type { ContractorJob } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { ERASED_TEXT } from '@partner/proto-contracts/values/redacted';
import type { JobRecord } from '../jobs/job-record.js';
import { contractorJobStage } from './contractor-job-stage.js';

/** The visible jobs: sold by one company and currently assigned to another one. */
export interface ContractorJobBoundary {
  readonly sellingCompanyId: string;
  readonly installerCompanyId: string;
}

/** The columns of a {@link ContractorJobRow}. The address is the only customer data. */
export const CONTRACTOR_JOB_COLUMNS = `id, work_order_no, customer->>'line1' as line1, customer->>'city' as city,
  customer->>'state' as state, customer->>'zip' as zip, status, schedule_status, installer_note, last_updated_at`;

export interface ContractorJobRow {
  readonly id: string;
  readonly work_order_no: string | null;
  readonly line1: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  readonly status: JobRecord['status'];
  readonly schedule_status: JobRecord['schedule']['status'];
  readonly installer_note: string | null;
  readonly last_updated_at: Date;
}

/** A job as the public API shows it (spec: ContractorJob). */
export function shownContractorJob(row: ContractorJobRow): ContractorJob {
  return {
    id: row.id,
    workOrderNo: row.work_order_no,
    address: row.line1,
    city: row.city,
    state: row.state,
    zip: row.zip,
    stage: contractorJobStage(row.status, row.schedule_status),
    installerNote: row.installer_note,
    lastUpdated: formatDateTime(row.last_updated_at),
    ...(row.line1 === ERASED_TEXT && { redacted: true }),
  };
}
