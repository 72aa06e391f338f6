import { expect, test } from '@jest/globals';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { idFloor, newId } from '@partner/kernel/ids';
import { serviceSignature, standardWebhooksSignature } from '@partner/kernel/webhook-signature';
import type { GetManifestRequest } from '@partner/proto-contracts/gen/partner/webhooks/v1/event_feed_service_pb';
import { MANIFEST_EXAMPLE } from '@partner/proto-contracts/resources/manifest/manifest';
import request from 'supertest';
import { createTestApp, keys } from '../testing/create-test-app.js';

function createFixture() {
  const requests: GetManifestRequest[] = [];
  const app = createTestApp({
    eventFeed: {
      getManifest(received) {
        requests.push(received);
        return { resourceJson: JSON.stringify(MANIFEST_EXAMPLE) };
      },
    },
  });
  const get = (id: string, query: string) =>
    request(app).get(`/partner/v1/webhooks/${id}/manifest?${query}`).set('x-api-key', keys.installer.text);
  return { get, requests };
}

const SPAN = 'from=2026-09-01T09:00:00Z&to=2026-09-01T10:00:00Z';

test('is signed with the key of the caller, over the raw body, as webhooks are [DELIVERY-25, EVENT-11]', async () => {
  const { get, requests } = createFixture();
  const [subscriptionId, cursor] = [newId('whk'), idFloor('dlv', new Date('2026-08-31T12:00:00Z'))];
  const { text, headers, status } = await get(subscriptionId, `${SPAN}&limit=10&cursor=${cursor}`);
  expect([status, JSON.parse(text)]).toEqual([200, { apiVersion: '2026-08-26', ...MANIFEST_EXAMPLE }]);
  const secret = `whsec_${Buffer.from(keys.installer.text).toString('base64')}`;
  const timestamp = Date.parse('2026-09-01T12:00:00Z') / 1_000;
  const signed = { secret, timestamp, eventId: subscriptionId, body: Buffer.from(text, 'utf8') };
  expect(headers).toMatchObject({
    'x-svc-timestamp': String(timestamp),
    'x-svc-signature': serviceSignature(signed),
    'webhook-id': subscriptionId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standardWebhooksSignature(signed),
  });
  expect(requests).toMatchObject([
    { companyId: 'cmp_1', subscriptionId, afterDeliveryId: cursor, limit: 10 },
  ]);
  await get(subscriptionId, '');
  const spans = requests.map(({ from, to }) => [from, to].map((at) => at && timestampDate(at).getUTCHours()));
  expect(spans).toEqual([
    [9, 10],
    [11, 12],
  ]);
});

test('names the query parameter that is wrong, and calls nothing [DELIVERY-25]', async () => {
  const { get, requests } = createFixture();
  for (const [query, field] of [
    ['from=2026-09-01T12:00:00Z', 'from'],
    ['from=yesterday', 'from'],
    ['from=2026-09-01T11:00:00Z&to=2026-09-01T10:00:00Z', 'to'],
    ['from=2026-09-01T11:00:00Z&to=2026-10-03T11:00:00Z', 'to'],
    [`${SPAN}&limit=1001`, 'limit'],
    [`${SPAN}&cursor=dlv_1`, 'cursor'],
  ] as const) {
    const { status, text } = await get(newId('whk'), query);
    expect([status, text]).toEqual([400, expect.stringContaining(`"path":"${field}"`)]);
  }
  expect((await get('whk_1', SPAN)).status).toBe(404);
  expect(requests).toEqual([]);
});
