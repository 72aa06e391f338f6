import type { z } from 'zod';
import type { appointmentBooked } from './appointment.js';

export const APPOINTMENT_EXAMPLE = {
  appointmentId: 'appt_01k3h2b7mpe0k8xw5n4c6qtzvd',
  status: 'booked',
} as const satisfies z.infer<typeof appointmentBooked>;
