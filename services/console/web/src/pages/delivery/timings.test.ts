import { expect, test } from '@jest/globals';
import { ATTEMPT_EXAMPLE } from '@partner/proto-contracts/resources/attempt/attempt';
import { stepsOf } from './timings.js';

const NONE = { ...ATTEMPT_EXAMPLE.exchange, dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };

test.each([
  ['a response', { dnsMs: 4, connectMs: 31, tlsMs: 64, firstByteMs: 83 }, 'Send and receive 5 from 182'],
  ['no response', { dnsMs: 4, connectMs: 31, tlsMs: 64 }, 'Wait for your server 88 from 99'],
  ['no response on an open connection', { reusedConnection: true }, 'Wait for your server 187 from 0'],
  ['a failed handshake', { dnsMs: 4, connectMs: 31 }, 'Encrypt (TLS) 152 from 35'],
  ['a refused connection', { dnsMs: 4 }, 'Connect 183 from 4'],
  ['an unknown host', {}, 'Find the address 187 from 0'],
])('the last step of an attempt with %s has the time that is left', (_, reached, last) => {
  const steps = stepsOf({ ...NONE, ...reached }, 187);
  expect(steps.map(({ name, ms, fromMs }) => `${name} ${ms} from ${fromMs}`).at(-1)).toBe(last);
  expect(steps.reduce((sum, { ms }) => sum + ms, 0)).toBe(187);
});
