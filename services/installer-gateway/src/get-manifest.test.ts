import { expect, test } from '@jest/globals';
import { idFloor, newId } from '@partner/kernel/process/ids';
import { serviceSignature, standardWebhooksSignature } from '@partner/kernel/security/webhook-signature';
import { MANIFEST_EXAMPLE } from '@partner/proto-contracts/resources/manifest/manifest';
import { getInstallerManifestOperation } from '@partner/proto-contracts/resources/manifest/operations';
import { createSurfaceOf, keys } from './testing/create-test-app.js';

function createFixture() {
  const surface = createSurfaceOf(getInstallerManifestOperation, () => ({
    json: JSON.stringify(MANIFEST_EXAMPLE),
  }));
  const get = (id: string, query: string) => surface.send('get', `/webhooks/${id}/manifest?${query}`);
  return { ...surface, get };
}

test('is signed with the key of the caller, over the raw body, as webhooks are [DELIVERY-25, EVENT-11]', async () => {
  const { get, requests } = createFixture();
  const [id, cursor] = [newId('whk'), idFloor('dlv', new Date('2026-08-31T12:00:00Z'))];
  const { text, headers, status } = await get(id, `from=2026-09-01T09:00:00Z&limit=10&cursor=${cursor}`);
  expect([status, JSON.parse(text)]).toEqual([200, { apiVersion: '2026-08-26', ...MANIFEST_EXAMPLE }]);
  const secret = `whsec_${Buffer.from(keys.installer.text).toString('base64')}`;
  const timestamp = Date.parse('2026-09-01T12:00:00Z') / 1_000;
  const signed = { secret, timestamp, eventId: id, body: Buffer.from(text, 'utf8') };
  expect(headers).toMatchObject({
    'x-svc-timestamp': String(timestamp),
    'x-svc-signature': serviceSignature(signed),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standardWebhooksSignature(signed),
  });
  expect(requests).toMatchObject([
    {
      ...{ companyId: 'cmp_1', params: { id }, after: cursor },
      query: { from: '2026-09-01T09:00:00Z', limit: 10 },
    },
  ]);
});
