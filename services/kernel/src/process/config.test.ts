import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { sealingKeysSetting } from '../security/secret-sealing.js';
import { commonConfig, ConfigError, httpConfig, integer, parseConfig, urlWithProtocol } from './config.js';

const COMMON = { PARTNER_ENVIRONMENT: 'sandbox', AMQP_URL: 'amqp://broker' };

function violationsOf(schema: z.ZodType, environment: Readonly<Record<string, string>>): string[] {
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

  test('accept the URLs of several brokers if each is valid, and never repeat a value, which may be a secret', () => {
    const config = z.object(commonConfig);
    const AMQP_URL = 'amqps://a:5671,amqps://b:5671';
    expect(parseConfig(config, { ...COMMON, AMQP_URL })).toMatchObject({ AMQP_URL });
    for (const wrong of [`${AMQP_URL},http://user:hunter2@c`, 'amqp-user:hunter2@broker'])
      expect(violationsOf(config, { ...COMMON, AMQP_URL: wrong })).toEqual([
        '  AMQP_URL: must be a URL that begins with amqp:// or amqps://, or several, separated by commas',
      ]);
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

const productionConfig = z.object({
  ...commonConfig,
  ...httpConfig,
  POSTGRES_URL: urlWithProtocol('postgres:', 'postgresql:'),
  WEBHOOK_SEALING_KEYS: sealingKeysSetting,
});
const key = () => randomBytes(32).toString('base64');
const PRODUCTION = {
  PARTNER_ENVIRONMENT: 'production',
  AMQP_URL: 'amqps://broker.example',
  REDIS_URL: 'rediss://redis.example',
  POSTGRES_URL: 'postgres://db.example/partner?sslmode=verify-full',
  CURSOR_SIGNING_KEY: key(),
  WEBHOOK_SEALING_KEYS: `one:${key()}`,
  OTEL_TRACES_EXPORTER: 'otlp',
};

/** The names of the settings that are refused. */
const refusedIn = (environment: Readonly<Record<string, string>>) =>
  violationsOf(productionConfig, { ...PRODUCTION, ...environment }).map(
    (line) => line.trim().split(':')[0] ?? '',
  );

const PLAINTEXT = [
  ['AMQP_URL', 'amqp://user:password@broker.example:5672/partner'],
  ['AMQP_URL', 'amqps://a.example,amqp://b.example'],
  ['AMQP_URL', 'amqp://127.0.0.1.example'],
  ['AMQP_URL', 'amqp://localhost,amqp://b.example'],
  ['REDIS_URL', 'redis://redis.example'],
  ['REDIS_URL', 'redis-sentinel://a.example?group=mymaster'],
  ['REDIS_URL', 'rediss-sentinel://a.example,redis-sentinel://b.example'],
  ['REDIS_URL', 'redis-cluster://a.example,redis-cluster://b.example'],
  ['POSTGRES_URL', 'postgres://db.example/partner'],
  ['POSTGRES_URL', 'postgresql://db.example/partner?application_name=x'],
  ['POSTGRES_URL', 'postgres://user:pass,word@db.example/partner'],
  ['REDIS_URL', 'redis://user:pass,word@redis.example'],
  ...['disable', 'allow', 'prefer', 'Require', ''].map(
    (mode) => ['POSTGRES_URL', `postgres://db.example/partner?sslmode=${mode}`] as const,
  ),
  ['POSTGRES_URL', 'postgres://db.example/partner?sslmode=require&sslmode=disable'],
  ['POSTGRES_URL', 'postgres://db.example/partner?ssl=true&sslmode=disable'],
  ['POSTGRES_URL', 'postgres://localhost/partner?host=db.example'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector.example:4318'],
] as const;

describe('in production', () => {
  test.each(PLAINTEXT)('%s without TLS is refused: %s', (name, url) => {
    expect(refusedIn({ [name]: url })).toEqual([name]);
    expect(refusedIn({ [name]: url, ALLOW_PLAINTEXT: `OTEL_EXPORTER_OTLP_ENDPOINT,${name}` })).toEqual([]);
    expect(refusedIn({ [name]: url, PARTNER_ENVIRONMENT: 'sandbox' })).toEqual([]);
  });

  test.each([
    ['AMQP_URL', 'amqp://localhost'],
    ['AMQP_URL', 'amqp://127.0.0.1:5672,amqp://[::1]'],
    ['REDIS_URL', 'redis://127.9.9.9'],
    ['REDIS_URL', 'rediss-cluster://a.example,rediss-cluster://b.example'],
    ['REDIS_URL', 'rediss://user:pass,word@redis.example'],
    ['POSTGRES_URL', 'postgres:///partner?host=/var/run/postgresql'],
    ['POSTGRES_URL', 'postgres://%2Fvar%2Frun%2Fpostgresql/partner'],
    ...['require', 'verify-ca', 'verify-full', 'no-verify'].map(
      (mode) => ['POSTGRES_URL', `postgres://db.example/partner?sslmode=${mode}`] as const,
    ),
    ['POSTGRES_URL', 'postgres://db.example/partner?ssl=true'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://collector.example:4318'],
  ])('%s is accepted with TLS or on this machine: %s', (name, url) => {
    expect(refusedIn({ [name]: url })).toEqual([]);
  });

  test('a collector that is not used needs no TLS', () => {
    const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' };
    expect(refusedIn({ ...collector, OTEL_TRACES_EXPORTER: 'none' })).toEqual([]);
  });

  test('a development key is refused, at any place', () => {
    const known = 'cGFydG5lci1kZXZlbG9wbWVudC1zZWFsaW5nLWtleSE=';
    const keys = { WEBHOOK_SEALING_KEYS: `new:${key()}, old:${known}`, CURSOR_SIGNING_KEY: known };
    expect(refusedIn(keys)).toEqual(['WEBHOOK_SEALING_KEYS', 'CURSOR_SIGNING_KEY']);
    expect(refusedIn({ ...keys, PARTNER_ENVIRONMENT: 'sandbox' })).toEqual([]);
  });

  test('only names of settings can be allowed', () => {
    for (const text of ['all', 'AMQP_URL REDIS_URL', 'AMQP_URL,', 'SMTP_URL']) {
      expect(refusedIn({ ALLOW_PLAINTEXT: text })).toContain('ALLOW_PLAINTEXT');
    }
  });
});
