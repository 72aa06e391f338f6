import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { parseConfig } from '@partner/kernel/process/config';
import { config } from './config.js';

const environment = {
  PARTNER_ENVIRONMENT: 'sandbox',
  AMQP_URL: 'amqp://127.0.0.1',
  CURSOR_SIGNING_KEY: randomBytes(32).toString('base64'),
  REDIS_URL: 'redis://127.0.0.1',
  SESSION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  PUBLIC_BASE_URL: 'https://partner.example',
};

describe('the mail server', () => {
  const SMTP_URL = 'smtps://partner:secret@mail.example';

  test('is optional, and requires a sender [ANNOUNCE-6]', () => {
    expect(parseConfig(config, environment).SMTP_URL).toBeUndefined();
    const MAIL_FROM = 'partner-api@service.example';
    expect(parseConfig(config, { ...environment, SMTP_URL, MAIL_FROM })).toMatchObject({
      SMTP_URL,
      MAIL_FROM,
    });
    expect(() => parseConfig(config, { ...environment, SMTP_URL })).toThrow(
      'MAIL_FROM: is not set, but is required with SMTP_URL',
    );
  });
});

describe('the identity provider', () => {
  const OIDC = { OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: 'secret' };
  const given = (issuer: string, more: object = OIDC) => ({ ...environment, ...more, OIDC_ISSUER: issuer });

  test('is optional, and requires id and secret of the client [OIDC-1]', () => {
    expect(parseConfig(config, environment).OIDC_ISSUER).toBeUndefined();
    expect(parseConfig(config, given('https://login.example'))).toMatchObject(OIDC);
    expect(() => parseConfig(config, given('https://login.example', {}))).toThrow(
      /OIDC_CLIENT_ID: is not set, but is required with OIDC_ISSUER\n.*OIDC_CLIENT_SECRET: is not set/,
    );
  });

  test('must be HTTPS, except on this machine in the sandbox [OIDC-1]', () => {
    expect(parseConfig(config, given('http://127.0.0.1:9000'))).toMatchObject(OIDC);
    for (const [issuer, PARTNER_ENVIRONMENT] of [
      ['http://login.example', 'sandbox'],
      ['http://127.0.0.1:9000', 'production'],
    ] as const) {
      expect(() => parseConfig(config, given(issuer, { ...OIDC, PARTNER_ENVIRONMENT }))).toThrow(
        'OIDC_ISSUER: must begin with https://',
      );
    }
  });
});

describe('the base address of the console', () => {
  const parse = (url: string, PARTNER_ENVIRONMENT = 'sandbox') =>
    parseConfig(config, { ...environment, PARTNER_ENVIRONMENT, PUBLIC_BASE_URL: url }).PUBLIC_BASE_URL;

  test.each([
    'https://partner.example',
    'http://localhost:8080',
    'http://127.0.0.1:8080',
    'http://[::1]:8080',
  ])('may be %s', (url) => expect(parse(url)).toBe(url));

  test.each([
    'http://partner.example',
    'http://10.0.0.1',
    'http://127.0.0.1.partner.example',
    ' http://partner.example',
    'partner.example',
    'https://partner.example/console',
    'https://partner.example?a=b',
    'https://user@partner.example',
    'https://partner.example:99999',
  ])('is HTTPS, except on this machine, and a host without a path: not %s', (url) => {
    expect(() => parse(url)).toThrow(
      'PUBLIC_BASE_URL: must be https://host or https://host:port without a path',
    );
  });

  test('must be HTTPS in production, even on this machine', () => {
    expect(() => parse('http://localhost:8080', 'production')).toThrow(
      'PUBLIC_BASE_URL: must begin with https:// when PARTNER_ENVIRONMENT is production',
    );
    expect(parse('https://partner.example', 'production')).toBe('https://partner.example');
  });
});

test('rules between settings are listed beside settings of a wrong form', () => {
  const wrong = {
    ...environment,
    PARTNER_ENVIRONMENT: 'production',
    PUBLIC_BASE_URL: 'http://localhost:8080',
    SMTP_URL: 'smtps://mail.example',
    OIDC_ISSUER: 'http://127.0.0.1:9000',
    LOG_LEVEL: 'loud',
  };
  expect(() => parseConfig(config, wrong)).toThrow(
    /LOG_LEVEL[^]*MAIL_FROM: is not set[^]*OIDC_CLIENT_ID: is not set[^]*OIDC_CLIENT_SECRET: is not set[^]*OIDC_ISSUER: must begin with https[^]*PUBLIC_BASE_URL: must begin with https/,
  );
});

test('egress addresses are ranges of IPv4 and IPv6 [WEBHOOK-18]', () => {
  const parse = (WEBHOOK_EGRESS_ADDRESSES: string) =>
    parseConfig(config, { ...environment, WEBHOOK_EGRESS_ADDRESSES }).WEBHOOK_EGRESS_ADDRESSES;
  expect(parse('192.0.2.10/32, 2001:db8::/64')).toEqual(['192.0.2.10/32', '2001:db8::/64']);
  for (const ranges of ['192.0.2.1', '192.0.2.1/33', '2001:db8::/129', 'a/8', '192.0.2.1/32,'])
    expect(() => parse(ranges)).toThrow('WEBHOOK_EGRESS_ADDRESSES: must be ranges');
});
