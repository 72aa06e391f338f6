import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { commonConfig, ConfigError, httpConfig, parseConfig, urlWithProtocol } from './config.js';
import { sealingKeysSetting } from '../security/secret-sealing.js';

const schema = z.object({
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
function refusedIn(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    parseConfig(schema, { ...PRODUCTION, ...environment });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = error.message.split('\n').slice(1);
    return lines.map((line) => line.trim().split(':')[0] ?? '');
  }
}

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
