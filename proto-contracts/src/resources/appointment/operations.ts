import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { appointmentBooked, appointmentIn, APPOINTMENT_EXAMPLE } from './appointment.js';

export const bookAppointmentOperation = defineOperation({
  id: 'bookAppointment',
  method: 'post',
  path: '/inbound/appointments',
  scope: 'appointments:write',
  idempotencyKeyInBody: true,
  repeatable: true,
  body: appointmentIn,
  summary: 'Book an appointment',
  description: `
Books an appointment with the customer of a lead, once for each \`idempotencyKey\` of the body. An identical repeat
returns 200 and the same appointment; the same key with another body is 409. Every field counts, as it was sent: \`notes\`
left out and empty \`notes\` differ, and so do two spellings of one instant. The order of the fields does not count.

A \`leadId\` or \`projectId\` that is not your company's is 403, whether it exists or not. A project of your company that
belongs to another lead is 400. The key stays unused in both cases. Your company's subscribers get the event
\`appointment.booked\`.`,
  bodyExamples: {
    visit: {
      summary: 'A visit of two hours',
      value: {
        leadId: 'lead_01k3h1x9c4fdr8v2m7zq5tbwne',
        startsAt: '2026-09-01T15:00:00Z',
        endsAt: '2026-09-01T17:00:00Z',
        notes: 'Ring twice. The dog is friendly.',
        idempotencyKey: 'visit-20260901-ada-quill',
      } satisfies z.input<typeof appointmentIn>,
    },
  },
  responses: {
    201: {
      description: 'The appointment was booked.',
      schema: appointmentBooked,
      example: APPOINTMENT_EXAMPLE,
    },
    200: {
      description: 'An identical repeat of an earlier request.',
      schema: appointmentBooked,
      example: APPOINTMENT_EXAMPLE,
    },
  },
  errors: ['idempotency_mismatch', 'idempotency_in_progress'],
});
