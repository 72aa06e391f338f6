import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { SESSION_COOKIE_HEADER } from '../session/operations.js';
import { SESSION_EXAMPLE, sessionResponse } from '../session/session.js';
import {
  PASSWORD_LENGTH,
  EMAIL_LIMITS,
  PASSWORD_LINKS,
  passwordChangeIn,
  passwordLinkIn,
  passwordLinkOwner,
  passwordLinkReadIn,
  passwordLinkUseIn,
} from './password.js';

const TOKEN_EXAMPLE = 'kX9v0b2qWm4c7sTnLr1yHf6uJp3eZd8aQg5iVo2tBxM';

export const changePasswordOperation = defineOperation({
  id: 'changePassword',
  ofOwnAccount: true,
  method: 'put',
  path: '/partner-api/password',
  body: passwordChangeIn,
  maxBodyBytes: 16_384,
  summary: 'Change your password',
  description: `
Replaces your password with one of ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters. All your other sessions end, and this one continues with a new
cookie. An email informs you if the service has a mail server. Wrong current passwords count toward the same limit as those of confirmations.`,
  bodyExamples: {
    owner: {
      summary: 'The current and the new password',
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

export const requestPasswordLinkOperation = defineOperation({
  id: 'requestPasswordLink',
  method: 'post',
  path: '/partner-api/password/links',
  unauthenticated: true,
  body: passwordLinkIn,
  summary: 'Request a link for a forgotten password',
  description: `
Mails a link to the address if it belongs to an account with a password. The response does not reveal whether it does. The link works once, within
${PASSWORD_LINKS.minutes} minutes, and replaces an earlier one. At most ${EMAIL_LIMITS.perHour} links an hour and ${EMAIL_LIMITS.perDay} a day are mailed to an address; more requests
are accepted and ignored, except from a browser in which the person has signed in before. One client address can request ${PASSWORD_LINKS.perNetwork}. Without a mail server it is a 404.`,
  bodyExamples: {
    owner: {
      summary: 'An address',
      value: { email: 'olive@sunny.example' } satisfies z.input<typeof passwordLinkIn>,
    },
  },
  responses: { 202: { description: 'Accepted.' } },
  errors: ['not_found'],
});

export const readPasswordLinkOperation = defineOperation({
  id: 'readPasswordLink',
  method: 'post',
  path: '/partner-api/password/links/read',
  unauthenticated: true,
  body: passwordLinkReadIn,
  summary: 'Read whom a link is for',
  description: `
Returns the person whom the link was mailed to, for the page behind it, and leaves the link valid. It counts as a try of the link.`,
  bodyExamples: {
    usual: {
      summary: 'The token of the link',
      value: { token: TOKEN_EXAMPLE } satisfies z.input<typeof passwordLinkReadIn>,
    },
  },
  responses: {
    200: {
      description: 'The person.',
      schema: passwordLinkOwner,
      example: {
        displayName: 'Olive Owner',
        companyName: 'Sunny Installers',
        email: 'olive@sunny.example',
      } satisfies z.infer<typeof passwordLinkOwner>,
    },
  },
  errors: ['not_found'],
});

export const usePasswordLinkOperation = defineOperation({
  id: 'usePasswordLink',
  method: 'post',
  path: '/partner-api/password/links/use',
  unauthenticated: true,
  body: passwordLinkUseIn,
  summary: 'Set a password with a link',
  description: `
Sets the password of the person whom the link was mailed to, and ends all their sessions; the page behind the link calls it. It starts no session. A
link works once. One client address can try ${PASSWORD_LINKS.usesPerMinute} links in any 60 seconds.`,
  bodyExamples: {
    usual: {
      summary: 'The token of the link',
      value: {
        token: TOKEN_EXAMPLE,
        newPassword: 'four words that no one guesses',
      } satisfies z.input<typeof passwordLinkUseIn>,
    },
  },
  responses: { 204: { description: 'The password is set.' } },
  errors: ['not_found'],
});
