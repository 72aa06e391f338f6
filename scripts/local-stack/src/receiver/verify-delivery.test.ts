import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyDelivery } from './verify-delivery.js';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const body = Buffer.from('{"id":"evt_1","event":"install.test"}');
const now = new Date('2026-08-26T14:00:00Z');

function signedHeaders(at: Date = now): Record<string, string> {
  const seconds = Math.floor(at.getTime() / 1000);
  return {
    'x-svc-timestamp': String(seconds),
    'x-svc-signature': `v1=${createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')}`,
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', new Date(), body),
  };
}

describe('verifyDelivery', () => {
  test('accepts both signatures over the raw bytes', () => {
    expect(verifyDelivery({ headers: signedHeaders(), body, secret, now })).toEqual({ verified: true });
  });

  test('refuses a body with one changed byte', () => {
    const changed = Buffer.from(body.toString('utf8').replace('evt_1', 'evt_2'));

    expect(verifyDelivery({ headers: signedHeaders(), body: changed, secret, now })).toEqual({
      verified: false,
      problem: 'x-svc-signature does not match',
    });
  });

  test('refuses another secret, and a signature that is missing', () => {
    const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

    expect(verifyDelivery({ headers: signedHeaders(), body, secret: other, now }).verified).toBe(false);
    expect(verifyDelivery({ headers: {}, body, secret, now }).verified).toBe(false);
  });

  test.each([
    [-301_000, false],
    [-300_000, true],
    [300_000, true],
    [301_000, false],
  ])('judges a timestamp that differs by %i ms [LIMIT-5]', (offsetMs, verified) => {
    const headers = signedHeaders(new Date(now.getTime() + offsetMs));

    expect(verifyDelivery({ headers, body, secret, now }).verified).toBe(verified);
  });

  test('refuses a delivery that only the Standard Webhooks verifier refuses', () => {
    const headers = { ...signedHeaders(), 'webhook-signature': 'v1,AAAA' };

    expect(verifyDelivery({ headers, body, secret, now })).toEqual({
      verified: false,
      problem: 'webhook-signature: No matching signature found',
    });
  });
});
