import { z } from 'zod';
import { LIMITS } from '../../api/limits.js';
import { boundedText } from '../../values/bounded-text.js';
import { plannedDateTimeIn } from '../../values/date-time.js';

/**
 * An appointment as a partner books it (spec: AppointmentIn). Visible to no one through the API: `general` keys of the selling
 * company book appointments, and no operation reads them.
 */
export const appointmentIn = z
  .object({
    leadId: z.string().min(1).max(100).meta({ description: 'A lead of your company.' }),
    projectId: z.string().min(1).max(100).optional().meta({
      description: 'A project of your company that it is about: the one of the lead, or one without a lead.',
    }),
    startsAt: plannedDateTimeIn.meta({ description: 'In UTC, in the years 2000 to 2100.' }),
    endsAt: plannedDateTimeIn.meta({ description: 'After `startsAt`, in UTC, in the years 2000 to 2100.' }),
    notes: boundedText({ max: LIMITS.appointmentNotesLength })
      .optional()
      .meta({ description: 'For the person who visits the customer.' }),
    idempotencyKey: boundedText(LIMITS.appointmentIdempotencyKeyLength).meta({
      description: 'Identifies this booking among all of your company, so that a repeat does not book twice.',
    }),
  })
  .superRefine((appointment, context) => {
    if (Date.parse(appointment.endsAt) <= Date.parse(appointment.startsAt)) {
      context.addIssue({ code: 'custom', path: ['endsAt'], message: 'must be after startsAt' });
    }
  })
  .meta({ id: 'AppointmentIn', description: 'An appointment as you book it.' });

/** Response for an appointment: 201 when it is booked, 200 for an identical repeat. */
export const appointmentBooked = z
  .object({
    appointmentId: z.string().meta({ description: 'The id of the appointment.' }),
    status: z.literal('booked').meta({ description: 'The appointment is booked.' }),
  })
  .meta({ id: 'AppointmentBooked', description: 'A booked appointment.' });

export const APPOINTMENT_EXAMPLE = {
  appointmentId: 'appt_01k3h2b7mpe0k8xw5n4c6qtzvd',
  status: 'booked',
} as const satisfies z.infer<typeof appointmentBooked>;
