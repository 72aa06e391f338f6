import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import {
  COLLEAGUE_EXAMPLE,
  COLLEAGUE_LIMITS,
  colleague,
  colleagueIn,
  colleagueList,
  colleagueRoleIn,
} from './colleague.js';

const COLLEAGUE_ID = {
  id: {
    description: 'The `membershipId` of a person of your company. Any other is 404.',
    example: COLLEAGUE_EXAMPLE.membershipId,
  },
};

export const listColleaguesOperation = defineOperation({
  id: 'listColleagues',
  method: 'get',
  path: '/partner-api/colleagues',
  summary: 'List the people of your company',
  description: 'Lists the people who can sign in to the console of your company, with their roles.',
  responses: {
    200: {
      description: 'The people.',
      schema: colleagueList,
      example: { colleagues: [COLLEAGUE_EXAMPLE] } satisfies z.infer<typeof colleagueList>,
    },
  },
});

export const addColleagueOperation = defineOperation({
  id: 'addColleague',
  method: 'post',
  path: '/partner-api/colleagues',
  body: colleagueIn,
  summary: 'Invite a person',
  description: `
Adds a person to your company, and mails them a link to set their password within ${COLLEAGUE_LIMITS.invitationHours} hours. For a
person without a password it changes name and role, and mails a new link. A company can have ${COLLEAGUE_LIMITS.colleagues} people. Without a mail
server it is a 404.`,
  bodyExamples: {
    viewer: {
      summary: 'A read-only colleague',
      value: {
        displayName: 'Vera Vance',
        email: 'vera@sunny.example',
        role: 'viewer',
      } satisfies z.input<typeof colleagueIn>,
    },
  },
  needsConfirmation: () => true,
  responses: { 201: { description: 'Invited.', schema: colleague, example: COLLEAGUE_EXAMPLE } },
  errors: ['not_found', 'colleague_limit_reached'],
});

export const setColleagueRoleOperation = defineOperation({
  id: 'setColleagueRole',
  method: 'patch',
  path: '/partner-api/colleagues/:id',
  repeatable: true,
  params: COLLEAGUE_ID,
  body: colleagueRoleIn,
  summary: "Change a person's role",
  description:
    'Changes the role and ends the sessions of the person. A company keeps an owner who can sign in.',
  bodyExamples: {
    owner: { summary: 'Make an owner', value: { role: 'owner' } satisfies z.input<typeof colleagueRoleIn> },
  },
  needsConfirmation: () => true,
  responses: {
    200: {
      description: 'The person.',
      schema: colleague,
      example: {
        ...COLLEAGUE_EXAMPLE,
        role: 'owner',
        hasPassword: true,
        invitedBy: null,
        invitationEndsAt: null,
      } satisfies z.infer<typeof colleague>,
    },
  },
  errors: ['not_found', 'last_owner'],
});

export const removeColleagueOperation = defineOperation({
  id: 'removeColleague',
  method: 'delete',
  path: '/partner-api/colleagues/:id',
  params: COLLEAGUE_ID,
  summary: 'Remove a person',
  description:
    'Ends the access and the sessions of a person, and deletes the password. A company keeps an owner who can sign in. Another invitation lets the person in again.',
  needsConfirmation: () => true,
  responses: { 204: { description: 'Removed.' } },
  errors: ['not_found', 'last_owner'],
});

export const resetColleagueSecondFactorOperation = defineOperation({
  id: 'resetColleagueSecondFactor',
  method: 'delete',
  path: '/partner-api/colleagues/:id/second-factor',
  repeatable: true,
  params: COLLEAGUE_ID,
  summary: "Reset a person's second factor",
  description: `
Deletes the second factor of another person, who has lost the app and the recovery codes, and ends the sessions of the person. Sign-in
then needs the password only. The person gets an email about it, if the service has a mail server. For your own second factor it is 403:
\`disableSecondFactor\` disables it with a code.`,
  needsConfirmation: () => true,
  responses: { 204: { description: 'The person has no second factor.' } },
  errors: ['not_found'],
});
