import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { AppointmentBookedSchema } from '@partner/proto-contracts/gen/partner/leads/v1/appointment_service_pb';
import { formatDateTime } from '@partner/proto-contracts/public-api/date-time';
import { PARTNER_EVENTS } from '@partner/proto-contracts/topology';
import { newId } from '@partner/runtime/ids';
import { invariant } from '@partner/runtime/invariant';
import type { Logger } from '@partner/runtime/logger';
import { type IdempotencyMark, ServiceError } from '@partner/runtime/service-error';
import { z } from 'zod';
import type { Database, Transaction } from '../database/database.js';
import { type IdempotencyBinding, runIdempotent } from '../idempotency/run-idempotent.js';
import { enqueueMessage } from '../outbox/enqueue-message.js';
import { recordEvent } from '../events/record-event.js';

/** An appointment as a sales company books it (spec: AppointmentIn). */
export interface Booking {
  readonly companyId: string;
  readonly binding: IdempotencyBinding;
  readonly leadId: string;
  /** Null: about no project in particular. */
  readonly projectId: string | null;
  readonly startsAt: Date;
  /** After `startsAt`. */
  readonly endsAt: Date;
  readonly notes: string | null;
  /** For how many milliseconds the caller still waits. */
  readonly timeoutMs: number | undefined;
}

/**
 * Books an appointment once per idempotency key. One transaction holds the appointment, the event `appointment.booked` of the
 * company with its deliveries, the message to the platform, and the key's outcome.
 *
 * Fails with `permission_denied` for a lead or a project that is not the company's, in the same words whether it exists or not;
 * the key stays unused then. Locks: the key's row alone.
 */
export async function bookAppointment(
  deps: {
    readonly database: Pick<Database, 'transaction'>;
    readonly clock: () => Date;
    readonly logger: Logger;
  },
  booking: Booking,
): Promise<{ readonly appointmentId: string; readonly idempotency: IdempotencyMark | undefined }> {
  const { companyId, leadId, projectId } = booking;
  let told: { eventId: string; deliveries: number } | undefined;
  const settled = await runIdempotent(deps, {
    companyId,
    binding: booking.binding,
    timeoutMs: booking.timeoutMs,
    result: z.object({ appointmentId: z.string() }),
    work: async (tx) => {
      const appointmentId = newId('appt');
      const now = deps.clock();
      await insertAppointment(tx, appointmentId, booking, now);
      told = await tellOf(tx, appointmentId, booking, now);
      return { kind: 'done', result: { appointmentId } };
    },
  }).catch((error: unknown) => {
    const { reason } = ServiceError.from(error);
    deps.logger.info({ companyId, leadId, projectId, reason }, 'appointment.refused');
    throw error;
  });
  const { result, idempotency } = settled;
  const { appointmentId } = result;
  deps.logger.info(
    { companyId, appointmentId, leadId, projectId, replayed: idempotency?.replayed ?? false, ...told },
    'appointment.booked',
  );
  return { appointmentId, idempotency };
}

/** Asks whose the lead and the project are and inserts the appointment, in one round trip. */
async function insertAppointment(
  tx: Transaction,
  appointmentId: string,
  booking: Booking,
  now: Date,
): Promise<void> {
  const { companyId, leadId, projectId, startsAt, endsAt, notes } = booking;
  const [owned] = await tx.query<{ lead: boolean; project: boolean }>(
    `with owned as (
       select exists (select from leads where id = $3 and company_id = $2) as lead,
         $4::text is null or exists (select from projects where id = $4 and company_id = $2) as project
     ), booked as (
       insert into appointments (id, company_id, lead_id, project_id, starts_at, ends_at, notes, created_at)
       select $1, $2, $3, $4, $5, $6, $7, $8 from owned where lead and project
     )
     select lead, project from owned`,
    [appointmentId, companyId, leadId, projectId, startsAt, endsAt, notes, now],
  );
  invariant(owned, 'a question without a table has an answer');
  if (!owned.lead) throw outsideBoundary('leadId', 'lead');
  if (!owned.project) throw outsideBoundary('projectId', 'project');
}

/** The 403 of the specification for what a field names: it confirms nothing about existence. */
function outsideBoundary(field: string, what: string): ServiceError {
  return new ServiceError(
    'permission_denied',
    `${field}: must be a ${what} of the company that owns the key`,
  );
}

async function tellOf(
  tx: Transaction,
  appointmentId: string,
  booking: Booking,
  now: Date,
): Promise<{ eventId: string; deliveries: number }> {
  const { companyId, leadId, projectId, startsAt, endsAt, notes } = booking;
  const told = await recordEvent(tx, {
    companyId,
    event: 'appointment.booked',
    occurredAt: now,
    resource: { type: 'appointment', id: appointmentId, version: 1 },
    data: {
      appointmentId,
      leadId,
      projectId,
      startsAt: formatDateTime(startsAt),
      endsAt: formatDateTime(endsAt),
      notes,
    },
    now,
  });
  await enqueueMessage(tx, {
    exchange: PARTNER_EVENTS,
    schema: AppointmentBookedSchema,
    message: {
      appointmentId,
      companyId,
      leadId,
      ...(projectId === null ? {} : { projectId }),
      startsAt: timestampFromDate(startsAt),
      endsAt: timestampFromDate(endsAt),
      ...(notes === null ? {} : { notes }),
      bookedAt: timestampFromDate(now),
    },
  });
  return told;
}
