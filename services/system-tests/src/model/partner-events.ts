import { fromBinary } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
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
import type { ChainLink } from './chain-link.js';

/** The message that a version of a job is told to the platform by; none for one that the platform has made. */
export function messageOf(jobId: string, before: ChainLink, { version, state, maker }: ChainLink): unknown[] {
  if (maker.kind !== 'write') return [];
  const { write } = maker;
  const about = { jobId, version, companyId: state.installerId ?? undefined };
  switch (write.kind) {
    case 'status':
      return [
        {
          type: JobStatusChangedSchema.typeName,
          ...about,
          from: before.state.status,
          to: state.status,
          note: write.note,
          blockerCode: state.blockerCode ?? undefined,
        },
      ];
    case 'schedule':
      return [
        {
          type: JobScheduleChangedSchema.typeName,
          ...about,
          from: before.state.schedule.status,
          schedule: state.schedule,
        },
      ];
    case 'assignments':
      return [
        { type: JobAssignmentsChangedSchema.typeName, ...about, membershipIds: [...state.membershipIds] },
      ];
  }
}

/** A message as it is compared, and what it is about. */
interface ReadMessage extends Readonly<Record<string, unknown>> {
  readonly type: string;
  readonly jobId?: string | undefined;
  readonly companyId?: string | undefined;
}

/** Reads a message of a write in the form in which it is compared; undefined for another one, and for a note. */
export function readPartnerEvent(type: string, body: Uint8Array): ReadMessage | undefined {
  switch (type) {
    case JobStatusChangedSchema.typeName: {
      const message = fromBinary(JobStatusChangedSchema, body);
      return {
        type,
        jobId: message.jobId,
        version: message.version,
        companyId: message.companyId,
        from: JobStatus[message.previousStatus ?? 0],
        to: JobStatus[message.status ?? 0],
        note: message.note,
        blockerCode: message.blockerCode,
      };
    }
    case JobScheduleChangedSchema.typeName: {
      const message = fromBinary(JobScheduleChangedSchema, body);
      const time = (given: typeof message.startsAt) =>
        given === undefined ? null : timestampDate(given).toISOString();
      return {
        type,
        jobId: message.jobId,
        version: message.version,
        companyId: message.companyId,
        from: ScheduleStatus[message.previousStatus ?? 0],
        schedule: {
          status: ScheduleStatus[message.status ?? 0],
          startsAt: time(message.startsAt),
          endsAt: time(message.endsAt),
          timeZone: message.timeZone ?? null,
        },
      };
    }
    case JobAssignmentsChangedSchema.typeName: {
      const message = fromBinary(JobAssignmentsChangedSchema, body);
      return {
        type,
        jobId: message.jobId,
        version: message.version,
        companyId: message.companyId,
        membershipIds: message.membershipIds,
      };
    }
    case AppointmentBookedSchema.typeName: {
      const message = fromBinary(AppointmentBookedSchema, body);
      const { companyId, appointmentId, leadId, notes } = message;
      return { type, companyId, id: appointmentId, leadId, notes: notes ?? null };
    }
    case LeadCreatedSchema.typeName:
    case LeadMergedSchema.typeName: {
      const schema = type === LeadCreatedSchema.typeName ? LeadCreatedSchema : LeadMergedSchema;
      const { companyId, leadId, fullName } = fromBinary(schema, body);
      return { type: 'lead', companyId, leadId, fullName };
    }
    default:
      return undefined;
  }
}
