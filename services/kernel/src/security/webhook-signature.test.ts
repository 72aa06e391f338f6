import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { fc } from '@partner/test-kit/fast-check';
import { Webhook } from 'standardwebhooks';
import { asymmetricSignature, publicKeyOf, privateKeyOf } from './signing-keys.js';
import { serviceSignature, standardWebhooksSignature } from './webhook-signature.js';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const content = {
  secret,
  timestamp: 1_790_000_000,
  eventId: 'evt_01jzw8q1e5f0a9t3v7x2y4z6b8',
  body: Buffer.from('{"event":"install.status_changed","name":"Zoë"}', 'utf8'),
};

describe('the service signature', () => {
  test('is v1= and the lowercase hex HMAC-SHA256 over timestamp, dot and body, keyed with the whole secret as text [DELIVERY-5, DELIVERY-6, SECRET-7]', () => {
    const signedBytes = Buffer.concat([Buffer.from('1790000000.', 'utf8'), content.body]);
    const expected = createHmac('sha256', Buffer.from(secret, 'utf8')).update(signedBytes).digest('hex');
    expect(serviceSignature(content)).toBe(`v1=${expected}`);
    expect(serviceSignature(content)).toMatch(/^v1=[0-9a-f]{64}$/);
  });

  test('has a fixed value for fixed input, which receivers can use as a test vector', () => {
    expect(
      serviceSignature({ secret: 'whsec_AAAA', timestamp: 1_700_000_000, body: Buffer.from('{"a":1}') }),
    ).toBe('v1=7e372bdd2bd2cec010f2499f5bc33a46836f5946418a83c92c147a05b8241c15');
  });

  test('changes with any byte of the body [RECEIVER-1]', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (body, place, difference) => {
          const changed = Uint8Array.from(body);
          const index = place % body.length;
          changed[index] = (changed[index] ?? 0) ^ difference;
          expect(serviceSignature({ ...content, body: changed })).not.toBe(
            serviceSignature({ ...content, body }),
          );
          expect(standardWebhooksSignature({ ...content, body: changed })).not.toBe(
            standardWebhooksSignature({ ...content, body }),
          );
        },
      ),
    );
  });
});

describe('the asymmetric signature', () => {
  const keyOf = (id: string) => privateKeyOf(Buffer.alloc(32, 7), id);

  test('is v1a and Ed25519 over id, timestamp and body, which another implementation verifies with the key of its subscription alone [SECRET-12]', async () => {
    const { subtle } = globalThis.crypto;
    const bytes = (text: string, prefix: string) =>
      Uint8Array.from(Buffer.from(text.startsWith(prefix) ? text.slice(prefix.length) : '', 'base64'));
    const signature = bytes(asymmetricSignature(keyOf('whk_a'), content), 'v1a,');
    const verifies = async (id: string, text: string) => {
      const raw = bytes(publicKeyOf(keyOf(id)), 'whpk_');
      const key = await subtle.importKey('raw', raw, 'Ed25519', false, ['verify']);
      return subtle.verify('Ed25519', key, signature, Buffer.from(text));
    };
    const signed = `${content.eventId}.1790000000.${content.body.toString()}`;
    expect(await verifies('whk_a', signed)).toBe(true);
    expect(await verifies('whk_a', `${signed} `)).toBe(false);
    expect(await verifies('whk_b', signed)).toBe(false);
  });

  test('has the keys of RFC 8032, and those of a subscription never change [SECRET-12]', () => {
    expect(publicKeyOf('whsk_nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=')).toBe(
      'whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
    );
    expect(publicKeyOf(keyOf('whk_a'))).toBe('whpk_ZcR+4UTHrwcQ0Emng8+3Ir5DNETfewitOMmn5lfodSc=');
  });
});

describe('the Standard Webhooks signature', () => {
  test('is accepted by a stock verifier [DELIVERY-11]', () => {
    const timestamp = Math.floor(Date.now() / 1_000);
    const headers = {
      'webhook-id': content.eventId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': standardWebhooksSignature({ ...content, timestamp }),
    };
    const verifier = new Webhook(secret);
    expect(verifier.verify(content.body, headers)).toEqual({ event: 'install.status_changed', name: 'Zoë' });
    expect(() => verifier.verify(Buffer.concat([content.body, Buffer.from(' ')]), headers)).toThrow();
    expect(() => verifier.verify(content.body, { ...headers, 'webhook-id': 'evt_other' })).toThrow();
  });
});
