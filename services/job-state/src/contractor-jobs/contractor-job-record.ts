import { CONTRACTOR_JOB_STAGES } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import { z } from 'zod';
import type { JobRecord } from '../jobs/job-record.js';
import { contractorJobStage } from './contractor-job-stage.js';

/** Reads a contractor's view of a job back from its JSON. */
export const contractorJobRecord = z.object({
  id: z.string(),
  workOrderNo: z.string().nullable(),
  address: z.string(),
  city: z.string(),
  state: z.string(),
  zip: z.string(),
  stage: z.enum(CONTRACTOR_JOB_STAGES),
  installerNote: z.string().nullable(),
  lastUpdated: z.coerce.date(),
});

/** A job as the selling company sees it (spec: ContractorJob). */
export type ContractorJobRecord = z.infer<typeof contractorJobRecord>;

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

/** Converts a row to a job. */
export function contractorJobFrom(row: ContractorJobRow): ContractorJobRecord {
  return {
    id: row.id,
    workOrderNo: row.work_order_no,
    address: row.line1,
    city: row.city,
    state: row.state,
    zip: row.zip,
    stage: contractorJobStage(row.status, row.schedule_status),
    installerNote: row.installer_note,
    lastUpdated: row.last_updated_at,
  };
}
