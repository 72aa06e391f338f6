import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { SUBSCRIPTION_EXAMPLE } from '../subscription/subscription.js';
import { AUDIT_RETENTION_DAYS, auditPage, auditQuery } from './audit-entry.js';

export const listAuditEntriesOperation = defineOperation({
  id: 'listAuditEntries',
  method: 'get',
  path: '/partner-api/audit-entries',
  query: auditQuery,
  summary: 'List the audit trail',
  description: `
Lists the changes of the company, newest first: webhooks, replays, API keys and sessions. An entry is written together
with its change, is never changed, and is kept for ${AUDIT_RETENTION_DAYS} days.`,
  responses: {
    200: {
      description: 'The entries.',
      schema: auditPage,
      example: {
        entries: [
          {
            id: 'aud_01k3h5n4x2fb8tz6q9w1mr7cvd',
            at: '2026-08-26T14:09:21.730Z',
            actor: { membershipId: 'mem_01jx2n4t8yf1ra6vc3bq9kz5wd', displayName: 'Olive Okafor' },
            action: 'webhook.updated',
            subject: { type: 'webhook', id: SUBSCRIPTION_EXAMPLE.id },
            remoteAddress: '203.0.113.7',
            userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0',
            requestId: '0198f5c2-9d1e-7c3a-b6a4-2f60d1e8c7b5',
            details: { changed: ['url'], url: SUBSCRIPTION_EXAMPLE.url, state: 'paused' },
          },
        ],
        nextCursor: null,
      } satisfies z.input<typeof auditPage>,
    },
  },
  errors: ['cursor_invalid'],
});
