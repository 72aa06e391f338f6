import { commonConfig, integer, urlWithProtocol } from '@partner/kernel/config';
import { sealingKeysSetting } from '@partner/kernel/secret-sealing';
import { z } from 'zod';
import { STANDARD_RETENTION } from './retention/retained-tables.js';

const STANDARD_RETRY_BASE_MS = 60_000;

/** The settings of job-state. */
export const configSchema = z
  .object({
    ...commonConfig,
    POSTGRES_URL: urlWithProtocol('postgres:', 'postgresql:'),
    /** Maximum number of connections to Postgres. */
    POSTGRES_POOL_SIZE: integer({ min: 2, max: 200 }).default(10),
    WEBHOOK_SEALING_KEYS: sealingKeysSetting,
    /** Overlap of a replaced signing secret. */
    SECRET_OVERLAP_HOURS: integer({ min: 1, max: 720 }).default(24),
    /** The backoff after the first failed attempt; it doubles with each further one. */
    WEBHOOK_RETRY_BASE_MS: integer({ min: 1, max: 3_600_000 }).default(STANDARD_RETRY_BASE_MS),
    /**
     * Lease of a released delivery: its time in the queue and the attempt of 10 s.
     *
     * The dispatcher starts no attempt in the last 12 s.
     */
    DELIVERY_LEASE_SECONDS: integer({ min: 20, max: 3_600 }).default(30),
    /**
     * Slots for deliveries in flight: about the dispatcher's `DELIVERY_CONCURRENCY` times its replicas.
     *
     * A subscription has a fiftieth, and needs 2: one for retries, one for first attempts.
     */
    DELIVERIES_IN_FLIGHT: integer({ min: 100, max: 20_000 }).default(500),
    /** Interval of the polls for due work when nothing wakes the loops. */
    SCHEDULER_INTERVAL_MS: integer({ min: 10, max: 60_000 }).default(200),
    /**
     * Retention of finished deliveries and all attempts, in days; events are kept 30 days longer.
     *
     * The minimum is a week, longer than all attempts of a delivery take. Every week is a partition that the lists scan.
     */
    RETENTION_DELIVERIES_DAYS: integer({ min: 7, max: 400 }).default(STANDARD_RETENTION.deliveriesDays),
    /** Retention of feed entries, in days. Every 30 days are a partition that each page scans. */
    RETENTION_FEED_DAYS: integer({ min: 30, max: 1_500 }).default(STANDARD_RETENTION.feedDays),
  })
  .superRefine((config, context) => {
    if (
      config.PARTNER_ENVIRONMENT === 'production' &&
      config.WEBHOOK_RETRY_BASE_MS !== STANDARD_RETRY_BASE_MS
    ) {
      context.addIssue({
        code: 'custom',
        path: ['WEBHOOK_RETRY_BASE_MS'],
        message: `must be ${STANDARD_RETRY_BASE_MS} in production`,
      });
    }
  });

/** The settings of job-state, checked. */
export type Config = z.infer<typeof configSchema>;
