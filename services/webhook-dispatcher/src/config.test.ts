import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { ConfigError, parseConfig } from '@partner/kernel/process/config';
import { config } from './config.js';

const environment = {
  PARTNER_ENVIRONMENT: 'sandbox',
  AMQP_URL: 'amqp://localhost',
  WEBHOOK_SEALING_KEYS: `k1:${randomBytes(32).toString('base64')}`,
};

const parse = (changes: Record<string, string>) => parseConfig(config, { ...environment, ...changes });

describe('the settings', () => {
  test('require only environment, broker and sealing keys', () => {
    const config = parse({});
    expect(config.DELIVERY_CONCURRENCY).toBe(500);
    expect(config.WEBHOOK_DEV_HOSTS).toBeUndefined();
    expect(config.DNS_SERVERS).toBeUndefined();
    expect(config.WEBHOOK_SEALING_KEYS.currentKeyId).toBe('k1');
  });

  test('map development hosts to addresses, or to names that the system resolves', () => {
    const config = parse({
      WEBHOOK_DEV_HOSTS: 'receiver.partner.test=127.0.0.1:9443, other.test=[::1]:9444, a.test=receiver:443',
    });
    expect([...(config.WEBHOOK_DEV_HOSTS ?? [])]).toEqual([
      ['receiver.partner.test', { host: '127.0.0.1', port: 9443 }],
      ['other.test', { host: '::1', port: 9444 }],
      ['a.test', { host: 'receiver', port: 443 }],
    ]);
  });

  test.each([
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
  ])('refuse %j as development hosts', (hosts) => {
    expect(() => parse({ WEBHOOK_DEV_HOSTS: hosts })).toThrow(ConfigError);
  });

  test.each(['dns.example.com:53', '1.1.1.1', '::1:53', ''.padEnd(3, ',')])(
    'refuse %j as DNS servers',
    (servers) => {
      expect(() => parse({ DNS_SERVERS: servers })).toThrow(/DNS_SERVERS/);
    },
  );

  test('accept DNS servers of both families', () => {
    expect(parse({ DNS_SERVERS: '127.0.0.1:5353,[::1]:53' }).DNS_SERVERS).toEqual([
      '127.0.0.1:5353',
      '[::1]:53',
    ]);
  });

  test.each([
    ['WEBHOOK_DEV_HOSTS', 'receiver.partner.test=127.0.0.1:9443'],
    ['WEBHOOK_DEV_CA_FILE', '/tmp/ca.pem'],
  ])('refuse %s in production, beside whatever else is wrong', (name, value) => {
    const wrong = { PARTNER_ENVIRONMENT: 'production', WEBHOOK_SEALING_KEYS: 'k1:short', [name]: value };
    expect(() => parse(wrong)).toThrow(
      new RegExp(`WEBHOOK_SEALING_KEYS: must [^]*${name}: must not be set in production`),
    );
  });

  test('are usable in production without development overrides', () => {
    expect(parse({ PARTNER_ENVIRONMENT: 'production' }).PARTNER_ENVIRONMENT).toBe('production');
  });

  test.each(['0', '2001', 'many'])('refuse a concurrency of %j', (value) => {
    expect(() => parse({ DELIVERY_CONCURRENCY: value })).toThrow(/DELIVERY_CONCURRENCY/);
  });
});
