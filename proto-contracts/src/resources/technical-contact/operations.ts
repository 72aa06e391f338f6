import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import {
  CONTACT_EXAMPLE,
  TECHNICAL_CONTACT_LIMITS,
  technicalContact,
  technicalContactConfirmationIn,
  technicalContactIn,
  technicalContactRequested,
} from './technical-contact.js';

export const getTechnicalContactOperation = defineOperation({
  id: 'getTechnicalContact',
  method: 'get',
  path: '/partner-api/technical-contact',
  summary: 'Read the technical contact',
  description:
    'Returns the email address for announcements of new versions and changes of the API, and the pending one.',
  responses: {
    200: { description: 'The technical contact.', schema: technicalContact, example: CONTACT_EXAMPLE },
  },
});

export const setTechnicalContactOperation = defineOperation({
  id: 'setTechnicalContact',
  method: 'put',
  path: '/partner-api/technical-contact',
  body: technicalContactIn,
  summary: 'Set the technical contact',
  description: `
Mails a link to the address. It becomes the technical contact once someone opens the link and confirms it, within
${TECHNICAL_CONTACT_LIMITS.confirmationHours} hours; until then the earlier one stays. Setting an address again, or another one, mails a new link and ends the earlier one. A company can have ${TECHNICAL_CONTACT_LIMITS.emailsPerMinute} links mailed in any 60 seconds. When the
email cannot be sent, nothing changes.`,
  bodyExamples: {
    usual: {
      summary: 'An address',
      value: { email: 'developers@sunny.example' } satisfies z.input<typeof technicalContactIn>,
    },
  },
  needsConfirmation: () => true,
  responses: {
    200: {
      description: 'The technical contact, with the pending address.',
      schema: technicalContactRequested,
      example: {
        ...CONTACT_EXAMPLE,
        pending: { email: 'developers@sunny.example', expiresAt: '2026-11-26T09:12:44.108Z' },
        emailSent: true,
      } satisfies z.input<typeof technicalContactRequested>,
    },
  },
});

export const confirmTechnicalContactOperation = defineOperation({
  id: 'confirmTechnicalContact',
  method: 'post',
  path: '/partner-api/technical-contact/confirm',
  unauthenticated: true,
  body: technicalContactConfirmationIn,
  summary: 'Confirm a technical contact',
  description: `
Confirms the address; the page behind the mailed link calls it. It needs no session, and does not reveal the company. A link works once. One client
address can try ${TECHNICAL_CONTACT_LIMITS.confirmationsPerMinute} links in any 60 seconds.`,
  bodyExamples: {
    usual: {
      summary: 'The token of the link',
      value: { token: 'kX9v0b2qWm4c7sTnLr1yHf6uJp3eZd8aQg5iVo2tBxM' } satisfies z.input<
        typeof technicalContactConfirmationIn
      >,
    },
  },
  responses: { 204: { description: 'Confirmed.' } },
  errors: ['not_found'],
});
