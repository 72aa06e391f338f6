import { defineOperation } from '../../api/operation.js';
import { versioned } from '../../values/api-version.js';
import { EVENT_FEED_EXAMPLE, eventFeed, eventFeedQuery } from './event-feed.js';

const description = `
Reads the events of your company in order, with the same bodies as their webhooks. Use it to fetch what your endpoint missed, or in place of
webhooks: it needs no subscription. Events are kept for 120 days.

- **First request:** without a cursor it begins at the oldest event that is kept; \`from=end\` begins with the next one.
- **Then** send each \`nextCursor\`: immediately while \`hasMore\` is true, else at most once a minute.
- **On your machine**, \`listen\` of our clients forwards events to your server. It polls every 5 seconds with the header \`x-svc-listen: true\`.
  All such requests of your company together have a third of its limit; beyond it they are 429 and do not count.
- **Signatures:** \`headers\` and \`body\` go through the code that verifies your webhooks. The secret is \`whsec_\` and the base64 of your API
  key, e.g. \`"whsec_" + btoa(apiKey)\`.
- **Order** is that of the changes. An event can reach you as a webhook as well: ignore an \`id\` that you have stored.

Events that you send to an endpoint as a test are left out. A cursor is bound to your company. One that is no longer valid is 400
\`cursor_invalid\`: start again without one.`;

const listing = {
  method: 'get',
  scope: 'events:read',
  conditional: true,
  query: eventFeedQuery,
  summary: 'Read events',
  description,
  errors: ['cursor_invalid'],
} as const;

const page = { description: 'A page of events.', schema: eventFeed, example: EVENT_FEED_EXAMPLE };

export const listInstallerEventsOperation = defineOperation({
  ...listing,
  id: 'listInstallerEvents',
  path: '/partner/v1/events',
  responses: { 200: versioned(page, 'VersionedEventFeed') },
});

export const listInboundEventsOperation = defineOperation({
  ...listing,
  id: 'listInboundEvents',
  path: '/inbound/events',
  responses: { 200: page },
});
