import { expect, test } from '@jest/globals';
import { signDelivery } from './sign-delivery.js';
import { verifyDelivery } from './verify-delivery.js';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const body = Buffer.from('{"id":"evt_1","event":"install.test"}');

// The stock verifier of the other signature uses the real time, so `now` differs instead of the timestamp.
test.each([
  [-301_000, false],
  [-300_000, true],
  [300_000, true],
  [301_000, false],
])('judges a timestamp that differs by %i ms [LIMIT-5]', (offsetMs, verified) => {
  const at = new Date(Math.floor(Date.now() / 1_000) * 1_000);
  const signed = { secret, secretVersion: 1, event: 'install.test', eventId: 'evt_1', at, body };
  const { headers } = signDelivery(signed);
  const now = new Date(at.getTime() - offsetMs);
  expect(verifyDelivery({ headers, body, secret, now }).verified).toBe(verified);
});
