import {
  create,
  type DescMessage,
  fromBinary,
  type JsonValue,
  type MessageInitShape,
  toJson,
} from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { JobNoteAddedSchema } from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import {
  JobAssignmentsChangedSchema,
  JobScheduleChangedSchema,
  JobStatus,
  JobStatusChangedSchema,
  ScheduleStatus,
} from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { AppointmentBookedSchema } from '@partner/proto-contracts/gen/partner/leads/v1/appointment_service_pb';
import {
  LeadCreatedSchema,
  LeadMergedSchema,
} from '@partner/proto-contracts/gen/partner/leads/v1/lead_service_pb';
import type { PlatformMessage } from '../support/test-stack.js';
import type { Caller, JobWrite, Write } from './requests.js';
import type { JobState } from './state.js';

const SCHEMAS: readonly DescMessage[] = [
  JobNoteAddedSchema,
  JobAssignmentsChangedSchema,
  JobScheduleChangedSchema,
  JobStatusChangedSchema,
  AppointmentBookedSchema,
  LeadCreatedSchema,
  LeadMergedSchema,
];

/** Instants of the service's clock, which nothing else shows, and the project that only the message of a new lead names. */
const UNPREDICTABLE = ['addedAt', 'changedAt', 'bookedAt', 'createdAt', 'submittedAt'];

/** A message to the platform as it is compared. Throws for an unknown type. */
export function readMessage({ type, body }: PlatformMessage): unknown {
  const schema = SCHEMAS.find(({ typeName }) => typeName === type);
  if (schema === undefined) throw new Error(`unknown message ${type}`);
  return comparable(type, toJson(schema, fromBinary(schema, body)));
}

function expected<Desc extends DescMessage>(schema: Desc, message: MessageInitShape<Desc>): unknown {
  return comparable(schema.typeName, toJson(schema, create(schema, message)));
}

function comparable(type: string, json: JsonValue): unknown {
  if (typeof json !== 'object' || json === null) throw new Error(`${type} is no object`);
  const fields = Object.entries(json).filter(([name]) => !UNPREDICTABLE.includes(name));
  if (type !== LeadCreatedSchema.typeName) return { type, ...Object.fromEntries(fields) };
  return { type, ...Object.fromEntries(fields.filter(([name]) => name !== 'projectId')) };
}

const time = (text: string | null) => (text === null ? {} : timestampFromDate(new Date(text)));

/** The message of an accepted write of a job. */
export function messageOf(write: JobWrite, before: JobState, after: JobState): unknown {
  const about = { jobId: write.jobId, version: after.version, companyId: after.installerId ?? '' };
  switch (write.kind) {
    case 'status':
      return expected(JobStatusChangedSchema, {
        ...about,
        previousStatus: JobStatus[before.status],
        status: JobStatus[after.status],
        occurredAt: timestampFromDate(new Date(write.occurredAt)),
        ...(write.note === undefined ? {} : { note: write.note }),
        ...(after.blockerCode === null ? {} : { blockerCode: after.blockerCode }),
      });
    case 'schedule': {
      const { status, startsAt, endsAt, timeZone } = after.schedule;
      return expected(JobScheduleChangedSchema, {
        ...about,
        previousStatus: ScheduleStatus[before.schedule.status],
        status: ScheduleStatus[status],
        ...(startsAt === null ? {} : { startsAt: time(startsAt) }),
        ...(endsAt === null ? {} : { endsAt: time(endsAt) }),
        ...(timeZone === null ? {} : { timeZone }),
      });
    }
    case 'assignments':
      return expected(JobAssignmentsChangedSchema, { ...about, membershipIds: [...after.membershipIds] });
  }
}

export function noteMessage(caller: Caller, jobId: string, note: string): unknown {
  return expected(JobNoteAddedSchema, {
    jobId,
    sellingCompanyId: caller.companyId,
    installerCompanyId: caller.boundCompanyId ?? '',
    note,
  });
}

/** The message of a new lead, or of a merge into a project. */
export function leadMessage(
  companyId: string,
  leadId: string,
  { fullName, email, phone, address }: Extract<Write, { kind: 'lead' }>,
  merge?: { readonly projectId: string; readonly reason: string },
): unknown {
  const lead = { companyId, leadId, fullName, email, phone, address };
  return merge === undefined
    ? expected(LeadCreatedSchema, lead)
    : expected(LeadMergedSchema, { ...lead, ...merge });
}

export function appointmentMessage(
  companyId: string,
  appointmentId: string,
  { leadId, projectId, startsAt, endsAt, notes }: Extract<Write, { kind: 'appointment' }>,
): unknown {
  return expected(AppointmentBookedSchema, {
    companyId,
    appointmentId,
    leadId,
    ...(projectId === undefined ? {} : { projectId }),
    startsAt: time(startsAt),
    endsAt: time(endsAt),
    ...(notes === undefined ? {} : { notes }),
  });
}
