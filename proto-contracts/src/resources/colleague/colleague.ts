import { z } from 'zod';
import { role } from '../../api/roles.js';
import { boundedText } from '../../values/bounded-text.js';
import { dateTimeOut } from '../../values/date-time.js';
import { emailAddress } from '../../values/email-address.js';
import { hasUrlOrDomain, NAME_WITH_URL } from '../../values/name-without-url.js';

export const COLLEAGUE_LIMITS = {
  colleagues: 50,
  invitationHours: 72,
  /** Maximum invitations that are mailed for a company in any 60 seconds. */
  invitationsPerMinute: 5,
} as const;

export const colleagueIn = z
  .object({
    displayName: boundedText({ min: 1, max: 120 })
      .refine(
        (text) => !/\p{Cc}/u.test(text) && text.trim() === text,
        'must not begin or end with a space, or contain control characters',
      )
      .refine((text) => !hasUrlOrDomain(text), NAME_WITH_URL)
      .meta({ description: "The person's name, without a URL or a domain: invitations show it." }),
    email: emailAddress,
    role,
  })
  .meta({ id: 'ColleagueIn', description: 'A person to invite.' });

export const colleagueRoleIn = z
  .object({ role })
  .meta({ id: 'ColleagueRoleIn', description: 'The new role of a person.' });

/** Visible to the owners and viewers of the company. */
export const colleague = z
  .object({
    membershipId: z.string().meta({ description: 'The id of the person.' }),
    displayName: z.string().meta({ description: 'The name.' }),
    email: z.string().nullable().meta({ description: 'The address to sign in with; null if none is known.' }),
    role,
    hasPassword: z.boolean().meta({
      description: 'False while the person has not set a password and cannot sign in with one.',
    }),
    // A job-state of an earlier version sends none.
    isLinked: z
      .boolean()
      .default(false)
      .meta({ description: 'True for a person who signs in with the identity provider.' }),
    // A job-state of an earlier version sends none.
    hasSecondFactor: z
      .boolean()
      .default(false)
      .meta({ description: 'True for a person whose sign-in asks for a code after the password.' }),
    // A job-state of an earlier version sends neither.
    invitedBy: z.string().nullable().optional().meta({
      description:
        'Who sent the last invitation of a person who cannot sign in yet; null if it is not known.',
    }),
    invitationEndsAt: dateTimeOut.nullable().optional().meta({
      description: 'When the link of that invitation stops working; null without one.',
    }),
  })
  .meta({ id: 'Colleague', description: 'A person with access to the console of the company.' });

export type Colleague = z.infer<typeof colleague>;

export const colleagueList = z
  .object({ colleagues: z.array(colleague).meta({ description: 'Oldest first, at most 200.' }) })
  .meta({ id: 'ColleagueList', description: 'The people with access to the console of the company.' });

export type ColleagueList = z.infer<typeof colleagueList>;

export const COLLEAGUE_EXAMPLE = {
  membershipId: 'mem_01jx2n4t8yf1ra6vc3bq9kz5we',
  displayName: 'Vera Vance',
  email: 'vera@sunny.example',
  role: 'viewer',
  hasPassword: false,
  isLinked: false,
  hasSecondFactor: false,
  invitedBy: 'Olive Owner',
  invitationEndsAt: '2026-08-29T14:03:00.000Z',
} as const satisfies Colleague;
