import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { commonConfig, ConfigError, httpConfig, integer, parseConfig } from './config.js';

const COMMON = { PARTNER_ENVIRONMENT: 'sandbox', AMQP_URL: 'amqp://broker' };

function violationsOf(schema: z.ZodType, environment: Record<string, string>): string[] {
  try {
    parseConfig(schema, environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').slice(1);
  }
}

describe('the settings of a service', () => {
  test('treat an empty variable as unset, and ignore unknown variables', () => {
    const config = parseConfig(z.object(commonConfig), { ...COMMON, ADMIN_PORT: '', HOME: '/root' });
    expect(config.ADMIN_PORT).toBe(9100);
    expect(config).not.toHaveProperty('HOME');
  });

  test('name every violation at once, each with what would be valid', () => {
    const violations = violationsOf(z.object({ ...commonConfig, ...httpConfig }), {
      PARTNER_ENVIRONMENT: 'staging',
      ADMIN_PORT: '70000',
      AMQP_URL: 'http://broker',
      REDIS_KEY_PREFIX: 'a b',
      RPC_TIMEOUT_MS: '5s',
    });
    expect(violations.sort()).toEqual([
      '  ADMIN_PORT: must be a whole number from 0 to 65535',
      '  AMQP_URL: must be a URL that begins with amqp:// or amqps://, or several, separated by commas',
      '  CURSOR_SIGNING_KEY: is not set',
      '  PARTNER_ENVIRONMENT: must be one of sandbox, production',
      '  REDIS_KEY_PREFIX: must consist of letters, digits, ":", "_" and "-"',
      '  REDIS_URL: is not set',
      '  RPC_TIMEOUT_MS: must be a whole number from 3000 to 60000',
    ]);
  });

  test('accept keys of cursors that are being replaced, and refuse any that is not random', () => {
    const config = z.object({ CURSOR_SIGNING_KEY: httpConfig.CURSOR_SIGNING_KEY });
    const keys = [randomBytes(32), randomBytes(32)];
    const text = keys.map((key) => key.toString('base64')).join(', ');
    expect(parseConfig(config, { CURSOR_SIGNING_KEY: text }).CURSOR_SIGNING_KEY).toEqual(keys);
    const zeros = Buffer.alloc(32).toString('base64');
    for (const refused of ['short', zeros, `${text},`, `${text},${zeros}`]) {
      expect(violationsOf(config, { CURSOR_SIGNING_KEY: refused })).toEqual([
        '  CURSOR_SIGNING_KEY: must be 32 random bytes in base64, for example of `openssl rand -base64 32`, or several, separated by commas',
      ]);
    }
  });

  test('accept the URLs of several brokers if each is valid', () => {
    const config = z.object(commonConfig);
    const AMQP_URL = 'amqps://a:5671,amqps://b:5671';
    expect(parseConfig(config, { ...COMMON, AMQP_URL })).toMatchObject({ AMQP_URL });
    expect(violationsOf(config, { ...COMMON, AMQP_URL: `${AMQP_URL},http://c` })).toHaveLength(1);
  });

  test('never repeat a value in a violation, because it may be a secret', () => {
    const secret = 'amqp-user:hunter2@broker';
    expect(violationsOf(z.object(commonConfig), { ...COMMON, AMQP_URL: secret }).join()).not.toContain(
      'hunter2',
    );
  });
});

describe('a whole number from text', () => {
  test('is decimal', () => {
    expect(['1', '10', '007'].map((text) => integer({ min: 1, max: 10 }).parse(text))).toEqual([1, 10, 7]);
  });

  test.each(['0', '11', '1.5', '1e3', '0x1', ' 1', '', 'one', '-1'])('refuses "%s"', (text) => {
    expect(integer({ min: 1, max: 10 }).safeParse(text).success).toBe(false);
  });
});
