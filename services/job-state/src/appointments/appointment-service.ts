import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { AppointmentService } from '@partner/proto-contracts/gen/partner/leads/v1/appointment_service_pb';
import type { appointmentBooked } from '@partner/proto-contracts/resources/appointment/appointment';
import type { Logger } from '@partner/kernel/logger';
import type { z } from 'zod';
import type { Database } from '../database/database.js';
import { idempotencyOutcome } from '../idempotency/idempotency-outcome.js';
import { readBinding } from '../idempotency/read-binding.js';
import { required } from '../rpc/required.js';
import { bookAppointment } from './book-appointment.js';

/** Serves the RPC with which sales companies book appointments. */
export function createAppointmentService(deps: {
  readonly database: Pick<Database, 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
}): ServiceImpl<typeof AppointmentService> {
  return {
    async bookAppointment(request, context) {
      const { appointmentId, idempotency } = await bookAppointment(deps, {
        companyId: required(request.companyId, 'company_id'),
        binding: readBinding(required(request.idempotencyKey, 'idempotency_key')),
        leadId: required(request.leadId, 'lead_id'),
        projectId: request.projectId ?? null,
        startsAt: timestampDate(required(request.startsAt, 'starts_at')),
        endsAt: timestampDate(required(request.endsAt, 'ends_at')),
        notes: request.notes ?? null,
        timeoutMs: context.timeoutMs(),
      });
      return {
        appointmentId,
        resourceJson: JSON.stringify({ appointmentId, status: 'booked' } satisfies z.infer<
          typeof appointmentBooked
        >),
        ...(idempotency === undefined ? {} : { idempotency: idempotencyOutcome(idempotency) }),
      };
    },
  };
}
