import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import type { AppointmentService } from '@partner/proto-contracts/gen/partner/leads/v1/appointment_service_pb';
import { appointmentBooked } from '@partner/proto-contracts/resources/appointment/appointment';
import { bookAppointmentOperation } from '@partner/proto-contracts/resources/appointment/operations';
import type { ApiKeyPrincipal } from '@partner/gateway-kit/api-key-authentication';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { idempotencyHeadersOf, idempotencyKeyOf } from '@partner/gateway-kit/idempotency';

/**
 * `POST /inbound/appointments`: books an appointment (201), once per `idempotencyKey` of the body (spec: Idempotency
 * rules 3). An identical repeat gets the same body (200).
 */
export function bookAppointment(deps: {
  readonly appointments: Pick<Client<typeof AppointmentService>, 'bookAppointment'>;
}): AnyEndpoint<ApiKeyPrincipal> {
  return serveOperation(bookAppointmentOperation, async (request) => {
    const { leadId, projectId, startsAt, endsAt, notes, idempotencyKey } = request.body;
    const { appointmentId, idempotency, resourceJson } = await deps.appointments.bookAppointment(
      {
        companyId: request.principal.companyId,
        idempotencyKey: idempotencyKeyOf({ ...request, idempotencyKey }),
        leadId,
        projectId,
        startsAt: timestampFromDate(new Date(startsAt)),
        endsAt: timestampFromDate(new Date(endsAt)),
        notes,
      },
      request.call,
    );
    return {
      status: idempotency?.replayed === true ? 200 : 201,
      // job-state of release 0.1.0 does not render it. Remove the alternative after the next release.
      text: resourceJson ?? JSON.stringify(appointmentBooked.parse({ appointmentId, status: 'booked' })),
      headers: idempotencyHeadersOf(idempotency),
    };
  });
}
