import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { AppointmentBookedSchema } from '@partner/proto-contracts/gen/partner/leads/v1/appointment_service_pb';
import { formatDateTime } from '@partner/proto-contracts/public-api/date-time';
import { PARTNER_EVENTS } from '@partner/proto-contracts/topology';
import { newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import type { Logger } from '@partner/kernel/logger';
import { type IdempotencyMark, ServiceError } from '@partner/kernel/service-error';
import { z } from 'zod';
import type { Database, Transaction } from '../database/database.js';
import { type IdempotencyBinding, runIdempotent } from '../idempotency/run-idempotent.js';
import { enqueueMessage } from '../outbox/enqueue-message.js';
import { recordEvent } from '../webhooks/events/record-event.js';

/** An appointment as a sales company books it (spec: AppointmentIn). */
export interface Booking {
  readonly companyId: string;
  readonly binding: IdempotencyBinding;
  readonly leadId: string;
  /** Null: no particular project. */
  readonly projectId: string | null;
  readonly startsAt: Date;
  /** After `startsAt`. */
  readonly endsAt: Date;
  readonly notes: string | null;
  /** Time until the caller's deadline, in ms. */
  readonly timeoutMs: number | undefined;
}

/**
 * Books an appointment once per idempotency key.
 *
 * One transaction holds the appointment, the company's `appointment.booked` event with its deliveries, the message to the
 * platform, and the outcome of the key.
 *
 * Fails with `permission_denied` for a lead or a project of another company, with the same message whether it exists or not.
 * Fails with `invalid_argument` for a project of the company that belongs to another lead. The key then stays unused. Locks:
 * only the key's row.
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
  let recorded: { eventId: string; deliveries: number } | undefined;
  const settled = await runIdempotent(deps, {
    companyId,
    binding: booking.binding,
    timeoutMs: booking.timeoutMs,
    result: z.object({ appointmentId: z.string() }),
    work: async (tx) => {
      const appointmentId = newId('appt');
      const now = deps.clock();
      await insertAppointment(tx, appointmentId, booking, now);
      recorded = await publishBooking(tx, appointmentId, booking, now);
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
    { companyId, appointmentId, leadId, projectId, replayed: idempotency?.replayed ?? false, ...recorded },
    'appointment.booked',
  );
  return { appointmentId, idempotency };
}

/**
 * Checks the owner of the lead and the project and inserts the appointment, in one round trip.
 *
 * A project without a lead matches any lead: the platform creates such projects. The boundary is checked first, so that no
 * error reveals another company's project.
 */
async function insertAppointment(
  tx: Transaction,
  appointmentId: string,
  booking: Booking,
  now: Date,
): Promise<void> {
  const { companyId, leadId, projectId, startsAt, endsAt, notes } = booking;
  const [checked] = await tx.query<{ own_lead: boolean; own_project: boolean; other_lead: boolean }>(
    `with checked as (
       select exists (select from leads where id = $3 and company_id = $2) as own_lead,
         $4::text is null or exists (select from projects where id = $4 and company_id = $2) as own_project,
         exists (select from projects where id = $4 and lead_id <> $3) as other_lead
     ), booked as (
       insert into appointments (id, company_id, lead_id, project_id, starts_at, ends_at, notes, created_at)
       select $1, $2, $3, $4, $5, $6, $7, $8 from checked where own_lead and own_project and not other_lead
     )
     select own_lead, own_project, other_lead from checked`,
    [appointmentId, companyId, leadId, projectId, startsAt, endsAt, notes, now],
  );
  invariant(checked, 'a query without a table returns a row');
  if (!checked.own_lead) throw outsideBoundary('leadId', 'lead');
  if (!checked.own_project) throw outsideBoundary('projectId', 'project');
  if (checked.other_lead) {
    throw new ServiceError(
      'invalid_argument',
      'projectId: belongs to another lead than leadId. Send the project of this lead, or leave projectId out',
    );
  }
}

/** The 403 of the specification for a field that names another company's resource. It does not confirm existence. */
function outsideBoundary(field: string, what: string): ServiceError {
  return new ServiceError(
    'permission_denied',
    `${field}: must be a ${what} of the company that owns the key`,
  );
}

async function publishBooking(
  tx: Transaction,
  appointmentId: string,
  booking: Booking,
  now: Date,
): Promise<{ eventId: string; deliveries: number }> {
  const { companyId, leadId, projectId, startsAt, endsAt, notes } = booking;
  const recorded = await recordEvent(tx, {
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
  return recorded;
}
