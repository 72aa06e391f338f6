import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { serviceStatus } from './service-status.js';

export const getServiceStatusOperation = defineOperation({
  id: 'getServiceStatus',
  method: 'get',
  path: '/partner-api/status',
  unauthenticated: true,
  summary: 'Read the status of the service',
  description: `
Tells whether a problem is yours or ours. While the service is \`operational\`, a failing webhook fails because of the server it sends to. A 503 means that the service itself is down. It needs no session.

After an incident, \`manifests\` prove that nothing was lost, and show what was late.`,
  responses: {
    200: {
      description: 'The status.',
      schema: serviceStatus,
      example: {
        status: 'operational',
        webhookDelayMs: 200,
        failingWebhooksPercent: 2,
        restoredTo: null,
        incidents: [
          {
            from: '2026-11-24T03:10:00.000Z',
            until: '2026-11-24T03:16:30.000Z',
            cause: 'late',
            manifests: [
              '/inbound/webhooks/{id}/manifest?from=2026-11-24T03:10:00.000Z&to=2026-11-24T03:16:30.000Z',
              '/partner/v1/webhooks/{id}/manifest?from=2026-11-24T03:10:00.000Z&to=2026-11-24T03:16:30.000Z',
            ],
          },
        ],
        checkedAt: '2026-11-26T09:12:44.108Z',
      } satisfies z.input<typeof serviceStatus>,
    },
  },
});
