import { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { SUBSCRIPTION_EXAMPLE } from '../subscription/subscription.js';

export const STREAMS_PER_SESSION = 10;

export const STREAM_MINUTES = 10;

export const HEARTBEAT_SECONDS = 15;

const EVENTS_EXAMPLE = `event: changed
data: {"webhookIds":["${SUBSCRIPTION_EXAMPLE.id}"]}

:

`;

export const streamChangesOperation = defineOperation({
  id: 'streamChanges',
  method: 'get',
  path: '/partner-api/changes',
  summary: 'Follow changes',
  description: `
Server-sent events for an open page. \`changed\` says that these webhooks, or their deliveries, have changed; an empty list means
any of them. It is sent at most once a second, and names what to reload, not the new values. Events can be lost, so also reload
every 30 seconds.

A comment comes every ${HEARTBEAT_SECONDS} seconds. The stream ends with the session, which it does not prolong, and after
${STREAM_MINUTES} minutes: open it again, as an \`EventSource\` does automatically. A session can have ${STREAMS_PER_SESSION} at once.`,
  responses: {
    200: {
      description: 'The stream: `event: changed` with `data: {"webhookIds": ["whk_…"]}`, and comments.',
      mediaType: 'text/event-stream',
      schema: z.string(),
      example: EVENTS_EXAMPLE,
    },
  },
});
