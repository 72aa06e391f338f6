import { commonConfig, integer, urlWithProtocol } from '@partner/kernel/process/config';
import { sealingKeysSetting } from '@partner/kernel/security/secret-sealing';
import { signingKeysSetting } from '@partner/kernel/security/signing-keys';
import { z } from 'zod';
import { STANDARD_RETENTION } from '@partner/proto-contracts/api/retention';

const STANDARD_RETRY_BASE_MS = 60_000;

const postgresUrl = urlWithProtocol('postgres:', 'postgresql:').meta({
  description:
    'URL of the database, `postgres://user:password@host:5432/database?sslmode=verify-full`. `require`, `verify-ca` and `no-verify` use TLS too; without `sslmode` there is none.',
  isSecret: true,
});

export const config = z
  .object({
    ...commonConfig,
    POSTGRES_URL: postgresUrl,
    POSTGRES_POOL_SIZE: integer({ min: 2, max: 200 }).default(10).meta({
      description: 'Maximum number of Postgres connections of one replica. The delivery queue needs 5 more.',
      unit: 'connections',
    }),
    WEBHOOK_SEALING_KEYS: sealingKeysSetting,
    WEBHOOK_SIGNING_KEYS: signingKeysSetting.optional(),
    SECRET_OVERLAP_HOURS: integer({ min: 1, max: 720 })
      .default(24)
      .meta({ description: 'How long a former signing secret is kept after a rotation.', unit: 'hours' }),
    WEBHOOK_RETRY_BASE_MS: integer({ min: 1, max: 3_600_000 }).default(STANDARD_RETRY_BASE_MS).meta({
      description:
        'Backoff after the first failed attempt. It doubles with each further attempt. Production accepts only the default.',
      unit: 'ms',
    }),
    // The dispatcher starts no attempt in the last 12 s: the attempt takes up to 10 s.
    DELIVERY_LEASE_SECONDS: integer({ min: 20, max: 3_600 })
      .default(30)
      .meta({ description: 'Time after which a delivery without a result is due again.', unit: 'seconds' }),
    // A subscription has a fiftieth, and needs 2: one for retries, one for first attempts.
    DELIVERIES_IN_FLIGHT: integer({ min: 100, max: 20_000 }).default(500).meta({
      description:
        'Maximum number of attempts in flight of all dispatchers together: about `DELIVERY_CONCURRENCY` times their replicas.',
      unit: 'attempts',
    }),
    SCHEDULER_INTERVAL_MS: integer({ min: 10, max: 60_000 }).default(200).meta({
      description:
        'How often the scheduler queries for due deliveries if nothing wakes it. A fifth as often while no first attempt waits.',
      unit: 'ms',
    }),
    // At least a week, longer than all attempts of a delivery take. Every week is a partition that the lists scan.
    RETENTION_DELIVERIES_DAYS: integer({ min: 7, max: 400 }).default(STANDARD_RETENTION.deliveriesDays).meta({
      description: 'Retention of finished deliveries and all attempts. Events are kept 30 days longer.',
      unit: 'days',
    }),
    // Every 30 days are a partition that each page scans.
    RETENTION_FEED_DAYS: integer({ min: 30, max: 1_500 })
      .default(STANDARD_RETENTION.feedDays)
      .meta({ description: 'Retention of feed entries.', unit: 'days' }),
    ARCHIVE_CLOSED_JOBS_DAYS: integer({ min: 1, max: 3_650 })
      .default(STANDARD_RETENTION.closedJobsDays)
      .meta({
        description:
          'Time without a change after which a completed or cancelled job moves to the archive, with its history. Partners see no difference.',
        unit: 'days',
      }),
  })
  .refine(
    (config) =>
      config.PARTNER_ENVIRONMENT !== 'production' || config.WEBHOOK_RETRY_BASE_MS === STANDARD_RETRY_BASE_MS,
    {
      path: ['WEBHOOK_RETRY_BASE_MS'],
      message: `must be ${STANDARD_RETRY_BASE_MS} in production`,
      when: () => true,
    },
  )
  // The dispatcher has the sealing keys, and must not be able to derive private keys.
  .refine(
    ({ PARTNER_ENVIRONMENT, WEBHOOK_SEALING_KEYS, WEBHOOK_SIGNING_KEYS }) =>
      PARTNER_ENVIRONMENT !== 'production' ||
      ![...(WEBHOOK_SIGNING_KEYS?.keys.values() ?? [])].some((key) =>
        [...WEBHOOK_SEALING_KEYS.keys.values()].some((other) => other.equals(key)),
      ),
    {
      path: ['WEBHOOK_SIGNING_KEYS'],
      message: 'must not contain a key of WEBHOOK_SEALING_KEYS in production',
    },
  );

export type Config = z.infer<typeof config>;

/** What decides whether a program of operators may use a database without TLS. */
const operatorsConfig = {
  PARTNER_ENVIRONMENT: commonConfig.PARTNER_ENVIRONMENT.optional(),
  ALLOW_PLAINTEXT: commonConfig.ALLOW_PLAINTEXT,
} as const;

/** The settings of `migrate`, which runs as the owner of the schema. */
export const migrateConfig = z.object({
  ...operatorsConfig,
  POSTGRES_URL: postgresUrl,
  RESTORED_TO: z.iso.datetime({ offset: true }).optional().meta({
    description:
      'Declares that the database was restored from a backup to this time, e.g. `2026-08-26T14:03:00Z`. A repetition with the same time has no effect.',
  }),
  LOG_LEVEL: commonConfig.LOG_LEVEL,
});

export const seedConfig = z.object({
  PARTNER_ENVIRONMENT: z.literal('sandbox', {
    error: 'must be sandbox: the seed inserts invented data',
  }),
  POSTGRES_URL: postgresUrl,
});
