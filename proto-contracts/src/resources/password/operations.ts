import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { SESSION_COOKIE_HEADER } from '../session/operations.js';
import { SESSION_EXAMPLE, sessionResponse } from '../session/session.js';
import { PASSWORD_LENGTH, passwordChangeIn } from './password.js';

/** `PUT /partner-api/password` */
export const changePasswordOperation = defineOperation({
  id: 'changePassword',
  method: 'put',
  path: '/partner-api/password',
  body: passwordChangeIn,
  summary: 'Change your password',
  description: `
Replaces your password with one of ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters. All your other sessions end, and this one continues with a new
cookie. An email informs you if the service has a mail server. Wrong present passwords are limited together with those of
confirmations.`,
  bodyExamples: {
    owner: {
      summary: 'The present and the new password',
      value: {
        currentPassword: 'a long way from the former one',
        newPassword: 'four words that no one guesses',
      } satisfies z.input<typeof passwordChangeIn>,
    },
  },
  responses: {
    200: {
      description: 'Changed; the new session.',
      schema: sessionResponse,
      example: SESSION_EXAMPLE,
      headers: SESSION_COOKIE_HEADER,
    },
  },
  errors: ['password_wrong'],
});
