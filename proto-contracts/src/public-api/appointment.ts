import { z } from 'zod';
import { boundedText } from './bounded-text.js';
import { dateTimeIn } from './date-time.js';
import { LIMITS } from './limits.js';

/** An appointment as a partner books it (spec: AppointmentIn). */
export const appointmentIn = z
  .object({
    leadId: z.string().min(1).max(100),
    projectId: z.string().min(1).max(100).optional(),
    startsAt: dateTimeIn,
    endsAt: dateTimeIn,
    notes: boundedText({ max: LIMITS.appointmentNotesLength }).optional(),
    idempotencyKey: boundedText(LIMITS.appointmentIdempotencyKeyLength),
  })
  .superRefine((appointment, context) => {
    if (Date.parse(appointment.endsAt) <= Date.parse(appointment.startsAt)) {
      context.addIssue({ code: 'custom', path: ['endsAt'], message: 'must be after startsAt' });
    }
  });

export type AppointmentIn = z.infer<typeof appointmentIn>;

/** The answer for an appointment: 201 when it is made, 200 for an identical repeat. */
export const appointmentBooked = z.object({ appointmentId: z.string(), status: z.literal('booked') });
