import { z } from 'zod';
import { dateTimeOut } from './date-time.js';

/** Body of `POST /partner-api/session`. */
export const sessionIn = z
  .object({
    email: z.string().min(3).max(254),
    password: z.string().min(1).max(1024),
  })
  .meta({ id: 'SessionIn', description: "An owner's credentials." });

/** The signed-in owner. */
export const sessionAnswer = z
  .object({
    owner: z.object({ membershipId: z.string(), displayName: z.string() }),
    company: z.object({
      id: z.string(),
      name: z.string(),
      class: z.enum(['SALES', 'INSTALLER', 'ACCOUNTING']),
    }),
    expiresAt: dateTimeOut.meta({
      description:
        'When the session ends, however busy it is; without a request for 30 minutes it ends earlier.',
    }),
  })
  .meta({ id: 'Session', description: 'The signed-in owner.' });
