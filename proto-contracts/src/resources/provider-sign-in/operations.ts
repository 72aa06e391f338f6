import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { SESSION_COOKIE_HEADER } from '../session/operations.js';
import { CONFIRMED_MINUTES, SESSION_EXAMPLE, sessionResponse } from '../session/session.js';
import {
  PROVIDER_QUERY_EXAMPLE,
  PROVIDER_REDIRECT_EXAMPLE,
  PROVIDER_SIGN_INS,
  PROVIDER_SIGNED_IN_EXAMPLE,
  providerCallbackIn,
  providerConfirmationIn,
  providerRedirect,
  providerSignedIn,
  providerSignInIn,
  SIGN_IN_METHODS_EXAMPLE,
  signInMethods,
} from './provider-sign-in.js';

const REDIRECT_RESPONSE = {
  description: 'The browser continues at the identity provider.',
  schema: providerRedirect,
  example: PROVIDER_REDIRECT_EXAMPLE,
  headers: {
    'set-cookie': {
      description: 'Binds the sign-in to this browser until it is complete.',
      example:
        '__Host-svc_provider=2mJ0Zs7cQk4rXw1nVb8yTd5fHg3pLa6eUi9oRqK0xZc; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=600',
      required: true,
    },
  },
} as const;

export const beginProviderSignInOperation = defineOperation({
  id: 'beginProviderSignIn',
  method: 'post',
  path: '/partner-api/session/provider',
  unauthenticated: true,
  body: providerSignInIn,
  summary: 'Start a sign-in with the identity provider',
  description: `
Starts a sign-in with the identity provider of the service (OpenID Connect). Open \`authorizationUrl\` in the browser. The provider
returns to \`/console/sign-in/callback\`; complete the sign-in there within ${PROVIDER_SIGN_INS.minutes} minutes. A service without an identity
provider responds with 404. If the provider does not respond, the response is 503, and passwords work.`,
  bodyExamples: {
    page: {
      summary: 'Return to a page',
      value: { returnTo: '/webhooks' } satisfies z.input<typeof providerSignInIn>,
    },
  },
  responses: { 200: REDIRECT_RESPONSE },
  errors: ['not_found'],
});

export const completeProviderSignInOperation = defineOperation({
  id: 'completeProviderSignIn',
  method: 'post',
  path: '/partner-api/session/provider/complete',
  unauthenticated: true,
  body: providerCallbackIn,
  summary: 'Complete the sign-in with the identity provider',
  description: `
Signs an owner in, with a new session, and ends the previous session of the browser. It works once, in the browser that started the
sign-in. The first time, the provider must have verified the email address of the owner; from then on the provider's account counts,
whatever its address.

For an owner with a second factor, the response without \`code\` is a 403 \`second_factor_required\`; send the same \`query\` again with the
code. Refused sign-ins are limited for each client address, together with failed logins.`,
  bodyExamples: {
    callback: {
      summary: 'The response of the provider',
      value: PROVIDER_QUERY_EXAMPLE satisfies z.input<typeof providerCallbackIn>,
    },
  },
  responses: {
    200: {
      description: 'Signed in.',
      schema: providerSignedIn,
      example: PROVIDER_SIGNED_IN_EXAMPLE,
      headers: SESSION_COOKIE_HEADER,
    },
  },
  errors: ['provider_sign_in_refused', 'second_factor_required', 'second_factor_wrong', 'not_found'],
});

export const beginProviderConfirmationOperation = defineOperation({
  id: 'beginProviderConfirmation',
  ofOwnAccount: true,
  method: 'post',
  path: '/partner-api/session/confirm/provider',
  summary: 'Start a confirmation with the identity provider',
  description: `
Starts a new sign-in with the identity provider in place of the password. The provider asks the owner to sign in again and returns to
\`/console/sign-in/callback\`.`,
  responses: { 200: REDIRECT_RESPONSE },
  errors: ['not_found'],
});

export const completeProviderConfirmationOperation = defineOperation({
  id: 'completeProviderConfirmation',
  ofOwnAccount: true,
  method: 'post',
  path: '/partner-api/session/confirm/provider/complete',
  body: providerConfirmationIn,
  summary: 'Confirm the session with the identity provider',
  description: `
Confirms the session for ${CONFIRMED_MINUTES} minutes, as \`confirmSession\` does. The account at the provider must be that of the owner, and
must have signed in there after the start of the confirmation.`,
  bodyExamples: {
    callback: {
      summary: 'The response of the provider',
      value: PROVIDER_QUERY_EXAMPLE satisfies z.input<typeof providerConfirmationIn>,
    },
  },
  responses: { 200: { description: 'Confirmed.', schema: sessionResponse, example: SESSION_EXAMPLE } },
  errors: ['provider_sign_in_refused', 'not_found'],
});

export const getSignInMethodsOperation = defineOperation({
  id: 'getSignInMethods',
  method: 'get',
  path: '/partner-api/sign-in-methods',
  summary: 'Read how you can sign in',
  description:
    'Returns whether you have a password, and whether you have signed in with the identity provider.',
  responses: {
    200: { description: 'The methods.', schema: signInMethods, example: SIGN_IN_METHODS_EXAMPLE },
  },
});
