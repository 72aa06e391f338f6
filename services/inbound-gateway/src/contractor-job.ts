import { timestampDate } from '@bufbuild/protobuf/wkt';
import {
  type ContractorJob as ContractorJobMessage,
  ContractorJobStage,
} from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import {
  type ContractorJob,
  contractorJob,
  type ContractorJobStageName,
} from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';

const STAGE_NAMES: Readonly<Record<ContractorJobStage, ContractorJobStageName | undefined>> = {
  [ContractorJobStage.UNSPECIFIED]: undefined,
  [ContractorJobStage.SOLD]: 'SOLD',
  [ContractorJobStage.SCHEDULED]: 'SCHEDULED',
  [ContractorJobStage.IN_PROGRESS]: 'IN_PROGRESS',
  [ContractorJobStage.BLOCKED]: 'BLOCKED',
  [ContractorJobStage.COMPLETE]: 'COMPLETE',
  [ContractorJobStage.CANCELLED]: 'CANCELLED',
};

/** Converts a job to its public form (spec: ContractorJob). Throws if the message lacks a required field. */
export function contractorJobFrom(message: ContractorJobMessage): ContractorJob {
  const { id, workOrderNo, address, city, state, zip, stage, installerNote, lastUpdated } = message;
  return contractorJob.parse({
    id,
    workOrderNo: workOrderNo ?? null,
    address,
    city,
    state,
    zip,
    stage: stage === undefined ? undefined : STAGE_NAMES[stage],
    installerNote: installerNote ?? null,
    lastUpdated: lastUpdated === undefined ? undefined : formatDateTime(timestampDate(lastUpdated)),
  });
}
