import { z } from 'zod';
import { role } from '../../api/roles.js';
import { companyClass } from '../../values/company-class.js';
import { dateTimeOut } from '../../values/date-time.js';
import { secondFactorCode } from '../second-factor/second-factor.js';

/** Minutes after a login or confirmation in which secrets can be created without the password. */
export const CONFIRMED_MINUTES = 15;

export const SESSIONS_PER_OWNER = 50;

const password = z.string().min(1).max(1024).meta({ description: 'The password of the owner.' });

export const sessionIn = z
  .object({
    email: z.string().min(3).max(254).meta({ description: 'The email address of the owner.' }),
    password,
    code: secondFactorCode.optional(),
  })
  .meta({ id: 'SessionIn', description: "An owner's credentials." });

export const confirmationIn = z
  .object({ password })
  .meta({ id: 'SessionConfirmationIn', description: 'The password of the signed-in owner.' });

export const sessionResponse = z
  .object({
    owner: z
      .object({
        membershipId: z.string().meta({ description: 'The id of the owner.' }),
        displayName: z.string().meta({ description: 'The name to show.' }),
        // A console of an earlier version sends none, and has no viewers.
        role: role.default('owner'),
      })
      .meta({ id: 'Owner', description: 'The owner who is signed in.' }),
    company: z
      .object({
        id: z.string().meta({ description: 'The id of the company.' }),
        name: z.string().meta({ description: 'The name of the company.' }),
        class: companyClass.meta({
          description: 'The class of the company; it decides which events the company can receive.',
        }),
      })
      .meta({ id: 'OwnCompany', description: 'The company of the owner.' }),
    expiresAt: dateTimeOut.meta({
      description: 'When the session ends without another request; at the latest 12 hours after the login.',
    }),
    confirmedUntil: dateTimeOut.meta({
      description:
        'Until when operations that show a secret need no confirmation; may be past. `confirmSession` extends it.',
    }),
  })
  .meta({ id: 'Session', description: 'The signed-in owner.' });

/** Visible to that owner alone. */
export const ownSession = z
  .object({
    id: z.string().meta({ description: 'The id of the session; it is not its cookie.' }),
    current: z.boolean().meta({ description: 'True for the session of this request.' }),
    startedAt: dateTimeOut,
    lastSeenAt: dateTimeOut.meta({ description: 'Time of its last request.' }),
    expiresAt: dateTimeOut.meta({ description: 'When it ends without another request.' }),
    remoteAddress: z.string().meta({ description: 'Client address of the login.' }),
    userAgent: z.string().nullable().meta({
      description: 'The `user-agent` at the login, at most 200 characters; `null` without one.',
    }),
  })
  .meta({ id: 'OwnSession', description: "One of the owner's sessions." });

export const sessionList = z
  .object({ sessions: z.array(ownSession).max(SESSIONS_PER_OWNER).meta({ description: 'Newest first.' }) })
  .meta({ id: 'SessionList', description: "The owner's sessions, newest first." });

export const SESSION_EXAMPLE = {
  owner: { membershipId: 'mem_01jx2n4t8yf1ra6vc3bq9kz5wd', displayName: 'Olive Okafor', role: 'owner' },
  company: { id: 'cmp_01jx2m9k3hf7sd0q8xw4vt6nzb', name: 'Sunny Installers', class: 'INSTALLER' },
  expiresAt: '2026-08-26T14:33:00.000Z',
  confirmedUntil: '2026-08-26T14:18:00.000Z',
} as const satisfies z.infer<typeof sessionResponse>;

export const OWN_SESSION_EXAMPLE = {
  id: 'ses_01k3hc2m5vf8qs1z7x4rw9tnbe',
  current: true,
  startedAt: '2026-08-26T14:03:00.000Z',
  lastSeenAt: '2026-08-26T14:03:00.000Z',
  expiresAt: '2026-08-26T14:33:00.000Z',
  remoteAddress: '203.0.113.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0',
} as const satisfies z.infer<typeof ownSession>;
