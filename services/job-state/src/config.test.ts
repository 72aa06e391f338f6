import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { parseConfig } from '@partner/kernel/process/config';
import { config, migrateConfig } from './config.js';

const MINIMUM = {
  PARTNER_ENVIRONMENT: 'sandbox',
  AMQP_URL: 'amqp://127.0.0.1',
  POSTGRES_URL: 'postgres://127.0.0.1/job_state',
  WEBHOOK_SEALING_KEYS: `one:${randomBytes(32).toString('base64')}`,
};

describe('the settings of job-state', () => {
  test('keep nothing for less time than its dependents need [DELIVERY-18, FEED-8]', () => {
    const shortest = { RETENTION_DELIVERIES_DAYS: '7', RETENTION_FEED_DAYS: '30' };
    expect(parseConfig(config, { ...MINIMUM, ...shortest })).toMatchObject({
      RETENTION_DELIVERIES_DAYS: 7,
      RETENTION_FEED_DAYS: 30,
    });
    const shorter = { RETENTION_DELIVERIES_DAYS: '6', RETENTION_FEED_DAYS: '29' };
    expect(() => parseConfig(config, { ...MINIMUM, ...shorter })).toThrow(
      /RETENTION_DELIVERIES_DAYS[^]*RETENTION_FEED_DAYS/,
    );
  });

  test('may shorten the retries in the sandbox, never in production', () => {
    const shortened = { ...MINIMUM, WEBHOOK_RETRY_BASE_MS: '50' };
    expect(parseConfig(config, shortened)).toMatchObject({ WEBHOOK_RETRY_BASE_MS: 50 });
    // Listed beside a setting of a wrong form.
    const wrong = { ...shortened, PARTNER_ENVIRONMENT: 'production', LOG_LEVEL: 'loud' };
    expect(() => parseConfig(config, wrong)).toThrow(
      /LOG_LEVEL[^]*WEBHOOK_RETRY_BASE_MS: must be 60000 in production/,
    );
  });
});

test('what seals secrets signs nothing in production [SECRET-13]', () => {
  const key = randomBytes(32).toString('base64');
  const same = { ...MINIMUM, WEBHOOK_SEALING_KEYS: `one:${key}`, WEBHOOK_SIGNING_KEYS: `two:${key}` };
  const tls = {
    AMQP_URL: 'amqps://broker.example',
    POSTGRES_URL: 'postgres://db.example/partner?sslmode=verify-full',
  };
  const production = { ...tls, PARTNER_ENVIRONMENT: 'production' };
  expect(() => parseConfig(config, same)).not.toThrow();
  expect(() => parseConfig(config, { ...same, ...production })).toThrow(
    'WEBHOOK_SIGNING_KEYS: must not contain',
  );
  expect(() =>
    parseConfig(config, { ...MINIMUM, ...production, WEBHOOK_SIGNING_KEYS: `two:${key}` }),
  ).not.toThrow();
});

test('migrate refuses a database without TLS in production', () => {
  const encrypted = { POSTGRES_URL: 'postgres://db.example/partner?sslmode=verify-full' };
  const plain = { POSTGRES_URL: 'postgres://db.example/partner' };
  expect(() => parseConfig(migrateConfig, { ...encrypted, PARTNER_ENVIRONMENT: 'production' })).not.toThrow();
  expect(() => parseConfig(migrateConfig, { ...plain, PARTNER_ENVIRONMENT: 'production' })).toThrow(
    'POSTGRES_URL: must use TLS in production',
  );
  expect(() => parseConfig(migrateConfig, plain)).not.toThrow();
});
