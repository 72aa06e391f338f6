import { AppointmentScheduledSchema } from '@partner/proto-contracts/gen/partner/platform/v1/sales_messages_pb';
import { APPOINTMENT_FIELDS } from '@partner/proto-contracts/resources/event-catalogue/sales-events';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { z } from 'zod';
import type { Transaction } from '../../database/database.js';
import { recordEvent } from '../../webhooks/events/record-event.js';
import { id, instant, optionalId, optionalText, version } from '../message-type/message-fields.js';
import { projectObstacle } from '../message-type/obstacles.js';
import { type PlatformEffect, platformMessageType } from '../message-type/platform-message-type.js';
import { versionRange } from './claim-version.js';

/** Same limit as the inbound API (spec: AppointmentIn). */
const NOTES_LENGTH = 500;

const appointmentScheduled = z
  .object({
    appointmentId: id('appt'),
    version,
    leadId: id('lead'),
    projectId: optionalId('prj'),
    startsAt: instant,
    endsAt: instant,
    notes: optionalText(NOTES_LENGTH),
    occurredAt: instant,
  })
  .refine(({ startsAt, endsAt }) => endsAt > startsAt, {
    path: ['endsAt'],
    message: 'is not after startsAt',
  });

type AppointmentScheduledCommand = z.infer<typeof appointmentScheduled>;

interface KnownRow {
  readonly lead_id: string;
  readonly project_id: string | null;
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly version: number;
  readonly notes: string | null;
  readonly notes_version: number;
  readonly is_recorded: boolean;
}

const WRITE_APPOINTMENT = `
  insert into appointments as known (id, company_id, lead_id, project_id, starts_at, ends_at, notes, notes_version, version,
    emitted_versions, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  on conflict (id) do update set
    project_id = case when excluded.version > known.version then excluded.project_id else known.project_id end,
    starts_at = case when excluded.version > known.version then excluded.starts_at else known.starts_at end,
    ends_at = case when excluded.version > known.version then excluded.ends_at else known.ends_at end,
    notes = case when excluded.notes_version > known.notes_version then excluded.notes else known.notes end,
    notes_version = greatest(known.notes_version, excluded.notes_version),
    version = greatest(known.version, excluded.version),
    emitted_versions = known.emitted_versions + excluded.emitted_versions`;

export const appointmentScheduledMessage = platformMessageType({
  schema: AppointmentScheduledSchema,
  form: appointmentScheduled,
  resourceId: ({ appointmentId }) => appointmentId,
  isFact: true,
  record: recordAppointmentScheduled,
});

/**
 * Creates or moves an appointment and emits `appointment.booked` to the lead's company, once per version, also if it is late.
 *
 * Times and project are those of the newest version, notes those of the newest version with notes. The event of a version
 * without notes has the notes of the latest known version before it, never those of a newer one. It names what differs from that
 * version; all of it if it is the first, or late. The event of a version without a
 * project has that of the lead. Without the lead or the
 * project it is early. A project of another company and another lead than before are refused. Locks the appointment.
 */
async function recordAppointmentScheduled(
  tx: Transaction,
  command: AppointmentScheduledCommand,
  now: Date,
): Promise<PlatformEffect> {
  const { appointmentId, version, leadId, projectId, startsAt, endsAt, occurredAt } = command;
  const [lead] = await tx.query<{ company_id: string; project_id: string | null }>(
    'select company_id, (select min(id) from projects where lead_id = $1) as project_id from leads where id = $1',
    [leadId],
  );
  if (lead === undefined) return { kind: 'early', missing: leadId };
  const { company_id: companyId } = lead;
  const obstacle = await projectObstacle(tx, projectId, companyId);
  if (obstacle !== undefined) return obstacle;
  const [known] = await tx.query<KnownRow>(
    `select lead_id, project_id, starts_at, ends_at, notes, notes_version, version, emitted_versions @> $2::int8multirange as is_recorded from appointments
     where id = $1 for no key update`,
    [appointmentId, versionRange(version)],
  );
  if (known !== undefined && known.lead_id !== leadId) {
    return { kind: 'refused', reason: `appointment ${appointmentId} belongs to another lead than ${leadId}` };
  }
  if (known?.is_recorded === true) return { kind: 'ignored', why: 'the version is already recorded' };
  void tx.query(WRITE_APPOINTMENT, [
    ...[appointmentId, companyId, leadId, projectId, startsAt, endsAt, command.notes],
    ...[command.notes === null ? 0 : version, version, versionRange(version), now],
  ]);
  const shown = {
    projectId: projectId ?? lead.project_id,
    startsAt: formatDateTime(startsAt),
    endsAt: formatDateTime(endsAt),
    notes: command.notes ?? (known !== undefined && known.notes_version < version ? known.notes : null),
  };
  // Before a late version, what is known may be newer.
  const before = known !== undefined &&
    known.version < version && {
      projectId: known.project_id ?? lead.project_id,
      startsAt: formatDateTime(known.starts_at),
      endsAt: formatDateTime(known.ends_at),
      notes: known.notes,
    };
  recordEvent(tx, {
    companyId,
    event: 'appointment.booked',
    occurredAt,
    resource: { type: 'appointment', id: appointmentId, version },
    ...(before !== false && {
      changed: APPOINTMENT_FIELDS.filter((field) => before[field] !== shown[field]),
    }),
    data: { appointmentId, leadId, ...shown },
    now,
  });
  return { kind: 'applied' };
}
