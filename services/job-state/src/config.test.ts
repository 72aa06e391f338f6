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
  test('have defaults for production [SECRET-8]', () => {
    expect(parseConfig(config, { ...MINIMUM, PARTNER_ENVIRONMENT: 'production' })).toMatchObject({
      POSTGRES_POOL_SIZE: 10,
      WEBHOOK_RETRY_BASE_MS: 60_000,
      DELIVERY_LEASE_SECONDS: 30,
      DELIVERIES_IN_FLIGHT: 500,
      SCHEDULER_INTERVAL_MS: 200,
      SECRET_OVERLAP_HOURS: 24,
      RETENTION_DELIVERIES_DAYS: 90,
      RETENTION_FEED_DAYS: 400,
    });
  });

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
    expect(() => parseConfig(config, { ...shortened, PARTNER_ENVIRONMENT: 'production' })).toThrow(
      'WEBHOOK_RETRY_BASE_MS: must be 60000 in production',
    );
  });

  test('give a lease enough time for the queue and a whole attempt', () => {
    expect(() => parseConfig(config, { ...MINIMUM, DELIVERY_LEASE_SECONDS: '19' })).toThrow(
      'DELIVERY_LEASE_SECONDS',
    );
    expect(parseConfig(config, { ...MINIMUM, DELIVERY_LEASE_SECONDS: '20' })).toMatchObject({
      DELIVERY_LEASE_SECONDS: 20,
    });
  });

  test('list every violation at once, without the values', () => {
    expect(() => parseConfig(config, { ...MINIMUM, POSTGRES_URL: 'mysql://secret', AMQP_URL: '' })).toThrow(
      /AMQP_URL: is not set[^]*POSTGRES_URL: must be a URL that begins with postgres:\/\/ or postgresql:\/\/$/,
    );
  });
});

test('migrate refuses a database without TLS in production', () => {
  const encrypted = { POSTGRES_URL: 'postgres://db.example/partner?sslmode=verify-full' };
  const plain = { POSTGRES_URL: 'postgres://db.example/partner' };
  expect(() => parseConfig(migrateConfig, { ...encrypted, PARTNER_ENVIRONMENT: 'production' })).not.toThrow();
  expect(() => parseConfig(migrateConfig, { ...plain, PARTNER_ENVIRONMENT: 'production' })).toThrow(
    'POSTGRES_URL: must have TLS in production',
  );
  expect(() => parseConfig(migrateConfig, plain)).not.toThrow();
});

test('a rule between settings is listed beside a setting of a wrong form', () => {
  const wrong = {
    ...MINIMUM,
    PARTNER_ENVIRONMENT: 'production',
    WEBHOOK_RETRY_BASE_MS: '50',
    LOG_LEVEL: 'loud',
  };
  expect(() => parseConfig(config, wrong)).toThrow(
    /LOG_LEVEL[^]*WEBHOOK_RETRY_BASE_MS: must be 60000 in production/,
  );
});
