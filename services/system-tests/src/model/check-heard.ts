import { fromBinary } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
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
import { differences } from './differences.js';
import type { FinalState } from './final-state.js';
import type { HeardMessage } from './history.js';
import type { ChainLink, JobChain } from './job-chains.js';
import type { World } from './world.js';

/**
 * Checks what the platform has heard: each change of a job, each appointment, each lead and each note, under one message id of
 * its own, however often it was sent.
 */
export function checkHeard(
  chains: readonly JobChain[],
  world: Pick<World, 'jobs' | 'companies'>,
  final: FinalState,
  heard: readonly HeardMessage[],
): string[] {
  const faults: string[] = [];
  const messages = new Map<string, HeardMessage>();
  for (const message of heard) {
    const other = messages.get(message.messageId);
    if (other !== undefined && !Buffer.from(other.body).equals(message.body)) {
      faults.push(`two messages of the platform have the id ${message.messageId}`);
    }
    messages.set(message.messageId, message);
  }
  const expected = chains.flatMap(({ job, links }) =>
    links.flatMap((link, place) => {
      const before = links[place - 1];
      return before === undefined ? [] : messageOf(job.id, before, link);
    }),
  );
  const judged = new Set(chains.map(({ job }) => job.id));
  const companies = new Set(world.companies.map(({ id }) => id));
  const found: unknown[] = [];
  for (const { type, body } of messages.values()) {
    const read = readHeard(type, body);
    if (read === undefined) continue;
    if ('jobId' in read ? judged.has(read.jobId ?? '') : companies.has(read.companyId ?? ''))
      found.push(read);
  }
  const ofAppointments = final.appointments.map((row) => ({
    type: AppointmentBookedSchema.typeName,
    companyId: row.company_id,
    id: row.id,
    leadId: row.lead_id,
    notes: row.notes,
  }));
  const ofLeads = final.leads.map((row) => ({
    type: 'lead',
    companyId: row.company_id,
    leadId: row.id,
    fullName: row.full_name,
  }));
  const ofSubmissions = final.submissions.map((row) => ({
    type: 'lead',
    companyId: final.leads.find(({ id }) => id === row.lead_id)?.company_id,
    leadId: row.lead_id,
    fullName: row.full_name,
  }));
  return [
    ...faults,
    ...differences(
      'messages to the platform',
      [...expected, ...ofAppointments, ...ofLeads, ...ofSubmissions],
      found.filter((message) => !isNoteMessage(message)),
    ),
    ...checkHeardNotes(chains, final, found.filter(isNoteMessage)),
  ];
}

interface NoteMessage {
  readonly type: typeof JobNoteAddedSchema.typeName;
  readonly jobId: string | undefined;
  readonly note: string;
}

function isNoteMessage(message: unknown): message is NoteMessage {
  return (
    typeof message === 'object' &&
    message !== null &&
    'type' in message &&
    message.type === JobNoteAddedSchema.typeName
  );
}

/** The notes that the platform has heard of a job make up what has been appended to it. */
function checkHeardNotes(
  chains: readonly JobChain[],
  final: Pick<FinalState, 'jobs'>,
  notes: readonly NoteMessage[],
): string[] {
  return chains.flatMap(({ job }) => {
    const inTheEnd = final.jobs.find(({ id }) => id === job.id)?.installer_note ?? '';
    const heard = notes.filter(({ jobId }) => jobId === job.id).map(({ note }) => note);
    const lines = [...(job.initialNote === null ? [] : [job.initialNote]), ...heard].flatMap((note) =>
      note.split('\n'),
    );
    return differences(
      `lines of notes of job ${job.id} that the platform heard of`,
      inTheEnd === '' ? [] : inTheEnd.split('\n'),
      lines,
    );
  });
}

function messageOf(jobId: string, before: ChainLink, { version, state, maker }: ChainLink): unknown[] {
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

/** Undefined for a message of no write. */
function readHeard(type: string, body: Uint8Array): ReadMessage | undefined {
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
    case JobNoteAddedSchema.typeName: {
      const message = fromBinary(JobNoteAddedSchema, body);
      return { type, jobId: message.jobId, note: message.note };
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
