import { type Alert, critical, fires, noData, quiet, warning } from './alert.js';

const LOOPS = 'partner_loop_last_success_timestamp_seconds';
const WAITS = 'partner_postgres_connection_wait_seconds';
const SECRETS = 'partner_webhook_secrets_under_former_keys';

/** The maintenance of job-state: its loops, retention, sealing keys and connection pool. */
export const UPKEEP_ALERTS: readonly Alert[] = [
  critical('PartnerLoopStopped', '2m', {
    expr: `time() - max by (loop) (${LOOPS}{loop!="retention"}) > 300\nor absent(${LOOPS})`,
    summary: 'A loop of job-state has stopped',
    description: 'The loop {{ $labels.loop }} has had no successful run for 5 minutes, in any replica.',
    cases: [
      fires({ loop: 'outbox' }, 'the runs of a loop fail in both replicas', '15m', {
        [`${LOOPS}{loop="outbox"}`]: ['0+60x5 300x30', '0+60x5 300x30'],
        [`${LOOPS}{loop="deliveries",instance="a"}`]: '0+60x35',
      }),
      fires({ loop: 'outbox' }, 'a loop has never had a successful run', '15m', {
        [`${LOOPS}{loop="outbox"}`]: '0x30',
      }),
      noData(),
      quiet('it runs in one replica; the retention pauses for an hour', '15m', {
        [`${LOOPS}{loop="outbox"}`]: ['0x35', '0+60x35'],
        [`${LOOPS}{loop="retention",instance="b"}`]: '60x35',
      }),
    ],
  }),
  warning('PartnerRetentionStopped', '15m', {
    expr: 'time() - max(partner_retention_last_success_timestamp_seconds) > 21600\nor absent(partner_retention_last_success_timestamp_seconds)',
    summary: 'Old data are not deleted',
    description: 'No replica has had a successful run of the retention for 6 hours.',
    cases: [
      fires({}, 'its runs fail', '400m', { partner_retention_last_success_timestamp_seconds: '600x420' }),
      noData(),
      quiet('the other replica did it', '400m', {
        partner_retention_last_success_timestamp_seconds: ['0x420', '0+60x420'],
      }),
    ],
  }),
  critical('PartnerOutboxKept', '5m', {
    expr: 'max(partner_retention_overdue_partitions{table="outbox"}) > 0',
    summary: 'Messages have waited for the broker for over a week',
    description:
      'A partition of the outbox that is a week old still has messages that the broker has not confirmed.',
    cases: [
      fires({}, 'one is kept', '15m', { 'partner_retention_overdue_partitions{table="outbox"}': '0x5 1x30' }),
      quiet('one of another table is kept', '15m', {
        'partner_retention_overdue_partitions{table="outbox"}': '0x30',
        'partner_retention_overdue_partitions{table="events"}': '2x30',
      }),
    ],
  }),
  warning('PartnerSecretsUnderFormerKeys', '1h', {
    expr: `max(${SECRETS}) > 0\nor absent(${SECRETS} >= 0)`,
    summary: 'Secrets are still sealed under a former key',
    description:
      'An hour after a new sealing key, secrets are still sealed under a former one: do not remove that one.',
    cases: [
      fires({}, 'a secret cannot be sealed again', '90m', { [SECRETS]: '0x5 9000x2 3x120' }),
      noData({}, '90m'),
      quiet('all were sealed again within minutes', '90m', { [SECRETS]: '0x5 9000x2 4000x2 0x120' }),
    ],
  }),
  warning('PartnerPostgresPoolFull', '5m', {
    expr: [
      `sum by (pool) (increase(${WAITS}_bucket{le="0.5"}[5m])) / sum by (pool) (increase(${WAITS}_bucket{le="+Inf"}[5m])) < 0.95`,
      'or absent(partner_postgres_pool_max_connections)',
    ].join('\n'),
    summary: 'job-state waits for connections to Postgres',
    description:
      'More than 5 % of the waits for a connection of the pool {{ $labels.pool }} have taken over half a second for 5 minutes.',
    cases: [
      fires({ pool: 'main' }, 'statements are slow', '15m', {
        [`${WAITS}_bucket{pool="main",le="0.5"}`]: '0+80x30',
        [`${WAITS}_bucket{pool="main",le="+Inf"}`]: '0+100x30',
        [`${WAITS}_bucket{pool="queue",le="0.5"}`]: '0+100x30',
        [`${WAITS}_bucket{pool="queue",le="+Inf"}`]: '0+100x30',
        'partner_postgres_pool_max_connections{pool="main"}': '20x30',
      }),
      noData(),
      quiet('connections are free', '15m', {
        [`${WAITS}_bucket{pool="main",le="0.5"}`]: '0+100x30',
        [`${WAITS}_bucket{pool="main",le="+Inf"}`]: '0+100x30',
        'partner_postgres_pool_max_connections{pool="main"}': '20x30',
      }),
    ],
  }),
];
