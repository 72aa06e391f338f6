import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { SUBSCRIPTION_ID } from '../subscription/subscription.js';
import {
  NEW_SHADOW_EXAMPLE,
  SHADOW_EXAMPLE,
  SHADOW_LIMITS,
  shadowIn,
  webhookShadow,
  webhookShadowState,
} from './shadow.js';

/** `POST /partner-api/webhooks/{id}/shadow` */
export const startWebhookShadowOperation = defineOperation({
  id: 'startWebhookShadow',
  method: 'post',
  path: '/partner-api/webhooks/:id/shadow',
  params: SUBSCRIPTION_ID,
  body: shadowIn,
  maxBodyBytes: 32_768,
  summary: 'Mirror deliveries to another URL',
  description: `
Tries a URL before you switch to it. It gets a test delivery first. Once it has accepted that with 2xx, the first attempt of
each delivery to the subscription is also sent there, once, after the attempt has ended: the same body and number, signed with
the same secret, with the header \`x-svc-shadow: true\`. Your server must verify it and respond as usual, but must not act on it.

What the URL responds has no effect on deliveries, health and statistics. Nothing is sent again. If too many requests to
shadows are in flight, the delivery is skipped. An earlier shadow of the subscription is replaced, with its comparison.

The values of the subscription's custom headers stay with its host: a URL on another host gets only the \`headers\` of this request.

A change of the subscription's \`url\` to the URL of a running shadow keeps it active and verified. The subscription then has the custom
headers that the copies had. The URL must differ from the
current one. Within ${SHADOW_LIMITS.startWindowSeconds} seconds the owners of a company can start ${SHADOW_LIMITS.startsPerCompany} shadows; more
are refused with 429.`,
  bodyExamples: {
    all: {
      summary: 'All deliveries of a day',
      value: { url: SHADOW_EXAMPLE.url } satisfies z.input<typeof shadowIn>,
    },
    some: {
      summary: 'A tenth of the deliveries of a week',
      value: { url: SHADOW_EXAMPLE.url, percent: 10, hours: 168 } satisfies z.input<typeof shadowIn>,
    },
    otherHost: {
      summary: 'Another host, with a custom header',
      value: {
        url: 'https://next.sunny.example/partner',
        headers: [{ name: 'Authorization', value: 'Bearer bXktb3RoZXItaG9zdA' }],
      } satisfies z.input<typeof shadowIn>,
    },
  },
  needsConfirmation: () => true,
  responses: { 202: { description: 'The shadow.', schema: webhookShadow, example: NEW_SHADOW_EXAMPLE } },
  errors: ['not_found'],
});

/** `GET /partner-api/webhooks/{id}/shadow` */
export const getWebhookShadowOperation = defineOperation({
  id: 'getWebhookShadow',
  method: 'get',
  path: '/partner-api/webhooks/:id/shadow',
  params: SUBSCRIPTION_ID,
  summary: 'Compare a mirrored URL',
  description: `
Shows the last shadow of the subscription, running or not, and how the outcomes and durations of the mirrored deliveries
compare. The comparison can lack deliveries, for example after a restart of the service.`,
  responses: {
    200: { description: 'The shadow.', schema: webhookShadowState, example: { shadow: SHADOW_EXAMPLE } },
  },
  errors: ['not_found'],
});

/** `POST /partner-api/webhooks/{id}/shadow/stop` */
export const stopWebhookShadowOperation = defineOperation({
  id: 'stopWebhookShadow',
  method: 'post',
  path: '/partner-api/webhooks/:id/shadow/stop',
  params: SUBSCRIPTION_ID,
  summary: 'Stop mirroring',
  description:
    'Stops mirroring within a few seconds. The comparison stays. A subscription without a shadow is 404.',
  responses: {
    200: {
      description: 'The shadow.',
      schema: webhookShadow,
      example: { ...SHADOW_EXAMPLE, state: 'ended', endsAt: '2026-09-02T15:00:12.405Z' },
    },
  },
  errors: ['not_found'],
});
