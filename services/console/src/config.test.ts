import { describe, expect, test } from '@jest/globals';
import { ConfigError, parseConfig } from '@partner/kernel/config';
import { consoleConfig } from './config.js';

const environment = {
  PARTNER_ENVIRONMENT: 'sandbox',
  AMQP_URL: 'amqp://127.0.0.1',
  REDIS_URL: 'redis://127.0.0.1',
  SESSION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  PUBLIC_BASE_URL: 'https://partner.example',
};

describe('the mail server', () => {
  const SMTP_URL = 'smtps://partner:secret@mail.example';

  test('is optional, and requires a sender [ANNOUNCE-6]', () => {
    expect(parseConfig(consoleConfig, environment).SMTP_URL).toBeUndefined();
    const MAIL_FROM = 'partner-api@service.example';
    expect(parseConfig(consoleConfig, { ...environment, SMTP_URL, MAIL_FROM })).toMatchObject({
      SMTP_URL,
      MAIL_FROM,
    });
    expect(() => parseConfig(consoleConfig, { ...environment, SMTP_URL })).toThrow(
      'MAIL_FROM: is not set, and SMTP_URL is',
    );
  });

  test.each([
    ['SMTP_URL', 'https://mail.example', 'must be a URL that begins with smtp:// or smtps://'],
    ['MAIL_FROM', 'partner-api', 'must be an email address'],
  ])('is refused for a wrong %s', (name, value, message) => {
    expect(() => parseConfig(consoleConfig, { ...environment, [name]: value })).toThrow(
      `${name}: ${message}`,
    );
  });
});

describe('the base address of the console', () => {
  test.each(['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080'])(
    'may be plain HTTP on this machine: %s',
    (url) => {
      expect(parseConfig(consoleConfig, { ...environment, PUBLIC_BASE_URL: url }).PUBLIC_BASE_URL).toBe(url);
    },
  );

  test.each([
    'http://partner.example',
    'http://10.0.0.1',
    'http://127.0.0.1.partner.example',
    'http://localhost.partner.example',
    'HTTP://partner.example',
    ' http://partner.example',
    'http:',
    'partner.example',
  ])('must be HTTPS anywhere else: %s', (url) => {
    expect(() => parseConfig(consoleConfig, { ...environment, PUBLIC_BASE_URL: url })).toThrow(ConfigError);
  });

  test('must be HTTPS in production, even on this machine', () => {
    const production = { ...environment, PARTNER_ENVIRONMENT: 'production' };
    expect(() =>
      parseConfig(consoleConfig, { ...production, PUBLIC_BASE_URL: 'http://localhost:8080' }),
    ).toThrow('PUBLIC_BASE_URL: must begin with https:// when PARTNER_ENVIRONMENT is production');
    expect(parseConfig(consoleConfig, production).PUBLIC_BASE_URL).toBe('https://partner.example');
  });
});
