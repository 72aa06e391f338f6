import type { z } from 'zod';
import { NO_BODY } from '../examples/webhook-subscription-example.js';
import { type AnyOperation, defineOperation } from '../operation.js';
import { sessionAnswer, sessionIn } from '../session.js';

const SESSION_EXAMPLE = {
  owner: { membershipId: 'mem_01jx2n4t8yf1ra6vc3bq9kz5wd', displayName: 'Olive Okafor' },
  company: { id: 'cmp_01jx2m9k3hf7sd0q8xw4vt6nzb', name: 'Sunny Installers', class: 'INSTALLER' },
  expiresAt: '2026-08-27T02:03:00.000Z',
} as const satisfies z.infer<typeof sessionAnswer>;

/** `POST /partner-api/session` */
export const createSessionOperation = defineOperation({
  id: 'createSession',
  method: 'post',
  path: '/partner-api/session',
  unauthenticated: true,
  body: sessionIn,
  summary: 'Sign in',
  description: `
Signs an owner in, with a new session, and ends the session that the browser had before. Somebody who owns no company is
403.

A session ends after 30 minutes without a request, and 12 hours after the login at the latest. Failed logins are limited
for each account and each client address.`,
  bodyExamples: {
    owner: {
      summary: 'An owner',
      value: {
        email: 'olive@sunny.example',
        password: 'correct horse battery staple',
      } satisfies z.input<typeof sessionIn>,
    },
  },
  faultExample: { path: 'password', message: 'is required' },
  errorExamples: {
    unauthenticated: { error: 'the email address or the password is wrong' },
    permission_denied: { error: 'only a company owner can use the console' },
    rate_limited: { error: 'too many failed logins; wait before you try again' },
  },
  answers: {
    200: {
      description: 'Signed in.',
      schema: sessionAnswer,
      example: SESSION_EXAMPLE,
      headers: {
        'set-cookie': {
          description: 'The session, for the browser to keep until it closes.',
          example:
            '__Host-svc_session=2mJ0Zs7cQk4rXw1nVb8yTd5fHg3pLa6eUi9oRqK0xZc; Path=/; HttpOnly; SameSite=Strict; Secure',
          required: true,
        },
      },
    },
  },
  errors: ['unauthenticated'],
});

/** `GET /partner-api/session` */
export const getSessionOperation = defineOperation({
  id: 'getSession',
  method: 'get',
  path: '/partner-api/session',
  summary: 'Read the session',
  description: 'Tells who is signed in, for which company, and until when.',
  answers: { 200: { description: 'The session.', schema: sessionAnswer, example: SESSION_EXAMPLE } },
});

/** `DELETE /partner-api/session` */
export const deleteSessionOperation = defineOperation({
  id: 'deleteSession',
  method: 'delete',
  path: '/partner-api/session',
  summary: 'Sign out',
  description: `Ends the session. ${NO_BODY}`,
  answers: {
    204: {
      description: 'Signed out.',
      headers: {
        'set-cookie': {
          description: 'Takes the cookie from the browser.',
          example: '__Host-svc_session=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0',
          required: true,
        },
      },
    },
  },
});

/** The operations on the owner's session. */
export const SESSION_OPERATIONS: readonly AnyOperation[] = [
  createSessionOperation,
  getSessionOperation,
  deleteSessionOperation,
];
