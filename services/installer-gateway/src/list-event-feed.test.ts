import { expect, test } from '@jest/globals';
import { eventFeed } from '@partner/proto-contracts/resources/event-feed/event-feed';
import { listInstallerEventsOperation } from '@partner/proto-contracts/resources/event-feed/operations';
import { EVENT_EXAMPLE } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { serviceSignature, standardWebhooksSignature } from '@partner/kernel/security/webhook-signature';
import { createSurfaceOf, keys } from './testing/create-test-app.js';

// Its exact bytes matter: spaces, and characters that JSON escapes.
const BODY = JSON.stringify({ ...EVENT_EXAMPLE, note: 'Zoë “said” \\ \u2028' }, null, 1);

function createFixture() {
  const surface = createSurfaceOf(listInstallerEventsOperation, ({ after }) => {
    const event = { sequence: '7', eventId: EVENT_EXAMPLE.id, event: EVENT_EXAMPLE.event, body: BODY };
    const json = JSON.stringify({ events: after === undefined ? [event] : [] });
    return { json, next: '7:2026-09-01', hasMore: false };
  });
  return { ...surface, get: (query: string) => surface.send('get', `/events?${query}`) };
}

test('shows the exact bodies, signed with the key of the caller as webhooks are [EVENT-9, EVENT-11]', async () => {
  const { get } = createFixture();
  const [event] = eventFeed.parse((await get('')).body).events;
  expect(event).toMatchObject({ sequence: 7, body: BODY });
  const signed = {
    secret: `whsec_${Buffer.from(keys.installer.text).toString('base64')}`,
    timestamp: Date.parse('2026-09-01T12:00:00Z') / 1_000,
    eventId: EVENT_EXAMPLE.id,
    body: Buffer.from(BODY, 'utf8'),
  };
  expect(event?.headers).toEqual({
    'x-svc-event': EVENT_EXAMPLE.event,
    'x-svc-timestamp': String(signed.timestamp),
    'x-svc-signature': serviceSignature(signed),
    'webhook-id': EVENT_EXAMPLE.id,
    'webhook-timestamp': String(signed.timestamp),
    'webhook-signature': standardWebhooksSignature(signed),
  });
});

test('continues after the cursor, of which a reader without new events gets the one of today [EVENT-10]', async () => {
  const { get, requests } = createFixture();
  const first = eventFeed.parse((await get('event=install.*&resourceId=job_1&limit=5')).body);
  const second = eventFeed.parse((await get(`cursor=${first.nextCursor}`)).body);
  expect(second).toEqual({ events: [], nextCursor: first.nextCursor, hasMore: false });
  expect(requests).toMatchObject([
    {
      ...{ companyId: 'cmp_1', after: undefined },
      query: { limit: 5, event: 'install.*', resourceId: 'job_1' },
    },
    { after: '7:2026-09-01' },
  ]);
});
