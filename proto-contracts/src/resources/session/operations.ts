import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import {
  OWN_SESSION_EXAMPLE,
  SESSION_EXAMPLE,
  confirmationIn,
  CONFIRMED_MINUTES,
  sessionIn,
  sessionList,
  sessionResponse,
  SESSIONS_PER_OWNER,
} from './session.js';

const OWN_SESSION_ID = {
  id: { description: 'The `id` of a session of yours. Any other is 404.', example: OWN_SESSION_EXAMPLE.id },
};

export const SESSION_COOKIE_HEADER = {
  'set-cookie': {
    description:
      'The session, for the browser to keep until it closes. A second one, `__Host-svc_device`, makes the browser a known device for 180 days.',
    example:
      '__Host-svc_session=2mJ0Zs7cQk4rXw1nVb8yTd5fHg3pLa6eUi9oRqK0xZc; Path=/; HttpOnly; SameSite=Strict; Secure',
    required: true,
  },
} as const;

export const createSessionOperation = defineOperation({
  id: 'createSession',
  method: 'post',
  path: '/partner-api/session',
  unauthenticated: true,
  body: sessionIn,
  summary: 'Sign in',
  description: `
Signs an owner in, with a new session, and ends the previous session of the browser. A person who is neither owner nor
viewer of a company gets a 403.

A session ends after 30 minutes without a request, 12 hours after the login at the latest, and within a minute when the
person is no longer an owner. An owner can have ${SESSIONS_PER_OWNER}: one more ends the oldest. Failed logins are limited for each
account and each client address.

For an owner with a second factor, the right password without \`code\` is a 403 \`second_factor_required\`, and a wrong code a 403
\`second_factor_wrong\`. Each code works once.`,
  bodyExamples: {
    owner: {
      summary: 'An owner',
      value: {
        email: 'olive@sunny.example',
        password: 'correct horse battery staple',
      } satisfies z.input<typeof sessionIn>,
    },
  },
  responses: {
    200: {
      description: 'Signed in.',
      schema: sessionResponse,
      example: SESSION_EXAMPLE,
      headers: SESSION_COOKIE_HEADER,
    },
  },
  errors: ['unauthenticated', 'second_factor_required', 'second_factor_wrong'],
});

export const getSessionOperation = defineOperation({
  id: 'getSession',
  method: 'get',
  path: '/partner-api/session',
  summary: 'Read the session',
  description: 'Returns the signed-in owner, their company and the end of the session.',
  responses: { 200: { description: 'The session.', schema: sessionResponse, example: SESSION_EXAMPLE } },
});

export const deleteSessionOperation = defineOperation({
  id: 'deleteSession',
  ofOwnAccount: true,
  method: 'delete',
  path: '/partner-api/session',
  summary: 'Sign out',
  description: 'Ends the session.',
  responses: {
    204: {
      description: 'Signed out.',
      headers: {
        'set-cookie': {
          description: 'Removes the cookie from the browser.',
          example: '__Host-svc_session=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0',
          required: true,
        },
      },
    },
  },
});

export const confirmSessionOperation = defineOperation({
  id: 'confirmSession',
  ofOwnAccount: true,
  method: 'post',
  path: '/partner-api/session/confirm',
  body: confirmationIn,
  summary: 'Confirm the password',
  description: `
Confirms the password. For ${CONFIRMED_MINUTES} minutes after a login or a confirmation this session can create secrets, change
the URL of a webhook, test and activate it, and replay deliveries; after that, \`confirmation_required\` refuses this until the next
confirmation. Wrong passwords are limited together with those of
logins.`,
  bodyExamples: {
    owner: {
      summary: 'The password',
      value: { password: 'correct horse battery staple' } satisfies z.input<typeof confirmationIn>,
    },
  },
  responses: { 200: { description: 'Confirmed.', schema: sessionResponse, example: SESSION_EXAMPLE } },
  errors: ['password_wrong'],
});

export const listSessionsOperation = defineOperation({
  id: 'listSessions',
  method: 'get',
  path: '/partner-api/sessions',
  summary: 'List your sessions',
  description: 'Lists your own sessions, newest first.',
  responses: {
    200: {
      description: 'The sessions.',
      schema: sessionList,
      example: { sessions: [OWN_SESSION_EXAMPLE] } satisfies z.infer<typeof sessionList>,
    },
  },
});

export const endSessionOperation = defineOperation({
  id: 'endSession',
  ofOwnAccount: true,
  method: 'delete',
  path: '/partner-api/sessions/:id',
  params: OWN_SESSION_ID,
  summary: 'End one of your sessions',
  description: 'Ends the session everywhere; its cookie is invalid afterwards.',
  responses: { 204: { description: 'Ended.' } },
  errors: ['not_found'],
});
