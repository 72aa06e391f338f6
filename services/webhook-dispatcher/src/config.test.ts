import { expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { parseConfig } from '@partner/kernel/process/config';
import { config } from './config.js';

const parse = (changes: Record<string, string> = {}) =>
  parseConfig(config, {
    PARTNER_ENVIRONMENT: 'sandbox',
    AMQP_URL: 'amqp://localhost',
    WEBHOOK_SEALING_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    ...changes,
  });

test('development hosts go to addresses, or to names that the system resolves; DNS servers have addresses of both families', () => {
  expect(parse()).toMatchObject({ DELIVERY_CONCURRENCY: 500, WEBHOOK_SEALING_KEYS: { currentKeyId: 'k1' } });
  const parsed = parse({
    WEBHOOK_DEV_HOSTS: 'receiver.partner.test=127.0.0.1:9443, other.test=[::1]:9444, a.test=receiver:443',
    DNS_SERVERS: '127.0.0.1:5353,[::1]:53',
  });
  expect([...(parsed.WEBHOOK_DEV_HOSTS ?? [])]).toEqual([
    ['receiver.partner.test', { host: '127.0.0.1', port: 9443 }],
    ['other.test', { host: '::1', port: 9444 }],
    ['a.test', { host: 'receiver', port: 443 }],
  ]);
  expect(parsed.DNS_SERVERS).toEqual(['127.0.0.1:5353', '[::1]:53']);
});

test.each([
  ...[
    'receiver.partner.test',
    'receiver.partner.test=9443',
    'receiver.partner.test=local_host:9443',
    'receiver.partner.test=127.0.0.1',
    'receiver.partner.test=127.0.0.1:0',
    'receiver.partner.test=127.0.0.1:65536',
    'receiver.partner.test=[127.0.0.1]:9443',
    'Receiver.test=127.0.0.1:9443',
    '*.test=127.0.0.1:9443',
    'a.test=127.0.0.1:1,a.test=127.0.0.1:2',
    'a.test=127.0.0.1:1,',
  ].map((hosts) => ['WEBHOOK_DEV_HOSTS', hosts] as const),
  ...['dns.example.com:53', '1.1.1.1', '::1:53', ',,,'].map((servers) => ['DNS_SERVERS', servers] as const),
  ...['0', '2001', 'many'].map((attempts) => ['DELIVERY_CONCURRENCY', attempts] as const),
])('%s is refused as %j', (name, value) => {
  expect(() => parse({ [name]: value })).toThrow(`${name}: must be`);
});

test.each([
  ['WEBHOOK_DEV_HOSTS', 'receiver.partner.test=127.0.0.1:9443'],
  ['WEBHOOK_DEV_CA_FILE', '/tmp/ca.pem'],
])('%s is refused in production, beside whatever else is wrong', (name, value) => {
  const wrong = { PARTNER_ENVIRONMENT: 'production', WEBHOOK_SEALING_KEYS: 'k1:short', [name]: value };
  expect(() => parse(wrong)).toThrow(
    new RegExp(`WEBHOOK_SEALING_KEYS: must [^]*${name}: must not be set in production`),
  );
});
