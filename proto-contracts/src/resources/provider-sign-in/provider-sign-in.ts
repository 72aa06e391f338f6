import { z } from 'zod';
import { dateTimeOut } from '../../values/date-time.js';
import { secondFactorCode } from '../second-factor/second-factor.js';
import { SESSION_EXAMPLE, sessionResponse } from '../session/session.js';

export const PROVIDER_SIGN_INS = {
  /** Time from the start of a sign-in to its end, in minutes. */
  minutes: 10,
  /** Maximum that one client network can start in any 60 seconds. */
  perMinute: 30,
} as const;

export const providerSignInIn = z
  .object({
    returnTo: z
      .string()
      .max(2_000)
      .regex(/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/, 'must be a path of the console that begins with one /')
      .optional()
      .meta({ description: 'The page of the console to open after the sign-in, e.g. `/webhooks`.' }),
  })
  .meta({ id: 'ProviderSignInIn', description: 'A sign-in with the identity provider to start.' });

export const providerRedirect = z
  .object({
    authorizationUrl: z.string().meta({ description: 'The page of the identity provider to open.' }),
  })
  .meta({ id: 'ProviderRedirect', description: 'Where the browser continues.' });

const query = z.string().min(1).max(4_000).meta({
  description:
    'The query with which the identity provider has opened `/console/sign-in/callback`, unchanged and without `?`.',
});

export const providerCallbackIn = z
  .object({ query, code: secondFactorCode.optional() })
  .meta({ id: 'ProviderCallbackIn', description: 'The response of the identity provider.' });

export const providerConfirmationIn = z
  .object({ query })
  .meta({ id: 'ProviderConfirmationIn', description: 'The response of the identity provider.' });

export const providerSignedIn = z
  .object({
    session: sessionResponse,
    returnTo: z.string().nullable().meta({ description: 'As given at the start.' }),
  })
  .meta({ id: 'ProviderSignedIn', description: 'The new session.' });

/** Visible to that owner alone. */
export const signInMethods = z
  .object({
    hasPassword: z.boolean().meta({ description: 'True: with a password.' }),
    provider: z
      .object({
        name: z.string().meta({ description: 'The name of the identity provider.' }),
        linkedAt: dateTimeOut.nullable().meta({
          description: 'When the owner first signed in with it; null if that has not happened.',
        }),
      })
      .meta({ id: 'SignInProvider', description: 'The identity provider.' })
      .nullable()
      .meta({ description: 'Null if the service has none.' }),
  })
  .meta({ id: 'SignInMethods', description: 'How the owner can sign in.' });

export const PROVIDER_REDIRECT_EXAMPLE = {
  authorizationUrl:
    'https://login.example.com/authorize?client_id=partner-console&response_type=code&state=sign-in-5yQ',
} as const satisfies z.infer<typeof providerRedirect>;

export const PROVIDER_QUERY_EXAMPLE = {
  query: 'code=SplxlOBeZQQYbYS6WxSbIA&state=sign-in-5yQ&iss=https%3A%2F%2Flogin.example.com',
} as const satisfies z.infer<typeof providerConfirmationIn>;

export const PROVIDER_SIGNED_IN_EXAMPLE = {
  session: SESSION_EXAMPLE,
  returnTo: '/webhooks',
} as const satisfies z.infer<typeof providerSignedIn>;

export const SIGN_IN_METHODS_EXAMPLE = {
  hasPassword: false,
  provider: { name: 'Example Login', linkedAt: '2026-11-25T09:12:44.108Z' },
} as const satisfies z.infer<typeof signInMethods>;
