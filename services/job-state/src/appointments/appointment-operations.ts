import type { appointmentBooked } from '@partner/proto-contracts/resources/appointment/appointment';
import { bookAppointmentOperation } from '@partner/proto-contracts/resources/appointment/operations';
import { type Implementation, implement } from '@partner/kernel/amqp/implement';
import { invariant } from '@partner/kernel/process/invariant';
import type { Logger } from '@partner/kernel/telemetry/logger';
import type { z } from 'zod';
import type { Database } from '../database/database.js';
import { bookAppointment } from './book-appointment.js';

/** The operation with which sales companies book appointments. */
export function appointmentOperations(deps: {
  readonly database: Pick<Database, 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
}): readonly Implementation[] {
  return [
    implement(bookAppointmentOperation, async ({ companyId, body, idempotencyKey, timeoutMs }) => {
      invariant(idempotencyKey, 'the body holds a key');
      const { leadId, projectId = null, startsAt, endsAt, notes = null } = body;
      const { appointmentId, idempotency } = await bookAppointment(deps, {
        companyId,
        binding: idempotencyKey,
        leadId,
        projectId,
        startsAt: new Date(startsAt),
        endsAt: new Date(endsAt),
        notes,
        timeoutMs: timeoutMs(),
      });
      const shown: z.infer<typeof appointmentBooked> = { appointmentId, status: 'booked' };
      return {
        status: idempotency?.replayed === true ? 200 : 201,
        json: JSON.stringify(shown),
        idempotency,
      };
    }),
  ];
}
