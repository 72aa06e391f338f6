import { createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyDelivery } from './verify-delivery.js';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const body = Buffer.from('{"id":"evt_1","event":"install.test"}');
const now = new Date('2026-08-26T14:00:00Z');

function signedHeaders(at: Date): Record<string, string> {
  const seconds = Math.floor(at.getTime() / 1000);
  return {
    'x-svc-timestamp': String(seconds),
    'x-svc-signature': `v1=${createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')}`,
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', new Date(), body),
  };
}

test.each([
  [-301_000, false],
  [-300_000, true],
  [300_000, true],
  [301_000, false],
])('judges a timestamp that differs by %i ms [LIMIT-5]', (offsetMs, verified) => {
  const headers = signedHeaders(new Date(now.getTime() + offsetMs));
  expect(verifyDelivery({ headers, body, secret, now }).verified).toBe(verified);
});
