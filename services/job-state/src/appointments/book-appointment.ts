import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { AppointmentBookedSchema } from '@partner/proto-contracts/gen/partner/leads/v1/appointment_service_pb';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { bookAppointmentOperation } from '@partner/proto-contracts/resources/appointment/operations';
import { PARTNER_EVENTS } from '@partner/proto-contracts/topology';
import { implement } from '@partner/kernel/amqp/implement';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { ServiceError } from '@partner/kernel/process/service-error';
import { z } from 'zod';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Transaction } from '../database/database.js';
import { logOutcome, runIdempotent, type WriteDeps } from '../idempotency/run-idempotent.js';
import { enqueueMessage } from '../outbox/enqueue-message.js';
import { type RecordedEvent, recordEvent } from '../webhooks/events/record-event.js';

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
export const bookAppointment = (deps: WriteDeps) =>
  implement(bookAppointmentOperation, async ({ companyId, body, idempotencyKey, timeoutMs }) => {
    invariant(idempotencyKey, 'the body holds a key');
    const { leadId, projectId = null, notes = null } = body;
    const booking = {
      companyId,
      leadId,
      projectId,
      startsAt: new Date(body.startsAt),
      endsAt: new Date(body.endsAt),
      notes,
    };
    let recorded: RecordedEvent | undefined;
    const writing = runIdempotent(deps, {
      companyId,
      binding: idempotencyKey,
      timeoutMs: timeoutMs(),
      result: z.object({ appointmentId: z.string() }),
      load: async (tx) => (await tx.query<Boundary>(CHECK_BOUNDARY, [companyId, leadId, projectId]))[0],
      work: (tx, boundary) => {
        checkBoundary(boundary);
        const appointmentId = newId('appt');
        const now = deps.clock();
        const { startsAt, endsAt } = booking;
        void tx.query(INSERT_APPOINTMENT, [
          ...[appointmentId, companyId, leadId, projectId],
          ...[startsAt, endsAt, notes, now],
        ]);
        recorded = publishBooking(tx, booking, {
          appointmentId,
          projectOfLead: boundary.project_of_lead,
          now,
        });
        return { kind: 'done', result: { appointmentId } };
      },
    });
    const { result, idempotency } = await logOutcome(
      deps.logger,
      {
        done: 'appointment.booked',
        refused: 'appointment.refused',
        fields: { companyId, leadId, projectId },
      },
      writing,
      ({ result: { appointmentId } }) => ({
        appointmentId,
        ...(recorded && { eventId: recorded.eventId, deliveries: recorded.deliveries() }),
      }),
    );
    return {
      status: idempotency?.replayed === true ? 200 : 201,
      json: JSON.stringify({ appointmentId: result.appointmentId, status: 'booked' }),
      idempotency,
    };
  });

/** An appointment as a sales company books it (spec: AppointmentIn). */
interface Booking {
  readonly companyId: string;
  readonly leadId: string;
  /** Null: no particular project. The event then has the project of the lead. */
  readonly projectId: string | null;
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly notes: string | null;
}

interface Boundary {
  readonly own_lead: boolean;
  readonly own_project: boolean;
  readonly other_lead: boolean;
  readonly project_of_lead: string | null;
}

const CHECK_BOUNDARY: PreparedStatement = {
  name: 'check-appointment-boundary',
  text: `select exists (select from leads where id = $2 and company_id = $1) as own_lead,
       $3::text is null or exists (select from projects where id = $3 and company_id = $1) as own_project,
       exists (select from projects where id = $3 and lead_id <> $2) as other_lead,
       (select min(id) from projects where lead_id = $2) as project_of_lead`,
};

const INSERT_APPOINTMENT: PreparedStatement = {
  name: 'insert-appointment',
  text: `insert into appointments (id, company_id, lead_id, project_id, starts_at, ends_at, notes, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
};

/**
 * Throws unless the lead and the project are the company's and belong together.
 *
 * A project without a lead matches any lead: the platform creates such projects. The boundary is checked first, so that no
 * error reveals another company's project.
 */
function checkBoundary(boundary: Boundary | undefined): asserts boundary is Boundary {
  invariant(boundary, 'a query without a table returns a row');
  if (!boundary.own_lead) throw outsideBoundary('leadId', 'lead');
  if (!boundary.own_project) throw outsideBoundary('projectId', 'project');
  if (boundary.other_lead) {
    throw new ServiceError(
      'invalid_argument',
      'projectId: belongs to a different lead than leadId; send the project of this lead, or omit projectId',
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

function publishBooking(
  tx: Transaction,
  booking: Booking,
  given: { readonly appointmentId: string; readonly projectOfLead: string | null; readonly now: Date },
): RecordedEvent {
  const { appointmentId, projectOfLead, now } = given;
  const { companyId, leadId, projectId, startsAt, endsAt, notes } = booking;
  const recorded = recordEvent(tx, {
    companyId,
    event: 'appointment.booked',
    occurredAt: now,
    resource: { type: 'appointment', id: appointmentId, version: 1 },
    data: {
      appointmentId,
      leadId,
      projectId: projectId ?? projectOfLead,
      startsAt: formatDateTime(startsAt),
      endsAt: formatDateTime(endsAt),
      notes,
    },
    now,
  });
  enqueueMessage(tx, {
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
