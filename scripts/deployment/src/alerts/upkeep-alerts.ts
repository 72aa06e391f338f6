import { type Alert, noData } from './alert.js';

const LOOPS = 'partner_loop_last_success_timestamp_seconds';
const WAITS = 'partner_postgres_connection_wait_seconds';
const SECRETS = 'partner_webhook_secrets_under_former_keys';

/** The upkeep of job-state itself: its loops, retention, sealing keys and connection pool. */
export const UPKEEP_ALERTS: readonly Alert[] = [
  {
    name: 'PartnerLoopStopped',
    severity: 'critical',
    expr: `time() - max by (loop) (${LOOPS}{loop!="retention"}) > 300\nor absent(${LOOPS})`,
    for: '2m',
    summary: 'A loop of job-state does not go on',
    description: 'The loop {{ $labels.loop }} has not ended a run well for 5 minutes, in any replica.',
    cases: [
      {
        when: 'the runs of a loop fail in both replicas',
        series: {
          [`${LOOPS}{loop="outbox",instance="a"}`]: '0+60x5 300x30',
          [`${LOOPS}{loop="outbox",instance="b"}`]: '0+60x5 300x30',
          [`${LOOPS}{loop="deliveries",instance="a"}`]: '0+60x35',
        },
        at: '15m',
        firing: [{ loop: 'outbox' }],
      },
      {
        when: 'a loop has never had a run that went well',
        series: { [`${LOOPS}{loop="outbox"}`]: '0x30' },
        at: '15m',
        firing: [{ loop: 'outbox' }],
      },
      noData(),
      {
        when: 'it goes on in one replica; the retention rests for an hour',
        series: {
          [`${LOOPS}{loop="outbox",instance="a"}`]: '0x35',
          [`${LOOPS}{loop="outbox",instance="b"}`]: '0+60x35',
          [`${LOOPS}{loop="retention",instance="b"}`]: '60x35',
        },
        at: '15m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerRetentionStopped',
    severity: 'warning',
    expr: 'time() - max(partner_retention_last_success_timestamp_seconds) > 21600\nor absent(partner_retention_last_success_timestamp_seconds)',
    for: '15m',
    summary: 'Old data are not dropped',
    description: 'No replica has ended a run of the retention well for 6 hours.',
    cases: [
      {
        when: 'its runs fail',
        series: { partner_retention_last_success_timestamp_seconds: '600x420' },
        at: '400m',
        firing: [{}],
      },
      noData(),
      {
        when: 'the other replica did it',
        series: {
          'partner_retention_last_success_timestamp_seconds{instance="a"}': '0x420',
          'partner_retention_last_success_timestamp_seconds{instance="b"}': '0+60x420',
        },
        at: '400m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerOutboxKept',
    severity: 'critical',
    expr: 'max(partner_retention_overdue_partitions{table="outbox"}) > 0',
    for: '5m',
    summary: 'Messages have waited for the broker for over a week',
    description:
      'A partition of the outbox that is a week old still has messages that the broker has not confirmed.',
    cases: [
      {
        when: 'one is kept',
        series: { 'partner_retention_overdue_partitions{table="outbox"}': '0x5 1x30' },
        at: '15m',
        firing: [{}],
      },
      {
        when: 'one of another table is kept',
        series: {
          'partner_retention_overdue_partitions{table="outbox"}': '0x30',
          'partner_retention_overdue_partitions{table="events"}': '2x30',
        },
        at: '15m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerSecretsUnderFormerKeys',
    severity: 'warning',
    expr: `max(${SECRETS}) > 0\nor absent(${SECRETS} >= 0)`,
    for: '1h',
    summary: 'Secrets are still sealed under a former key',
    description:
      'An hour after a new sealing key, secrets are left under a former one: that one must not be taken out.',
    cases: [
      {
        when: 'a secret cannot be sealed anew',
        series: { [SECRETS]: '0x5 9000x2 3x120' },
        at: '90m',
        firing: [{}],
      },
      noData({}, '90m'),
      {
        when: 'all were sealed anew in some minutes',
        series: { [SECRETS]: '0x5 9000x2 4000x2 0x120' },
        at: '90m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerPostgresPoolFull',
    severity: 'warning',
    expr: [
      `sum by (pool) (increase(${WAITS}_bucket{le="0.5"}[5m])) / sum by (pool) (increase(${WAITS}_bucket{le="+Inf"}[5m])) < 0.95`,
      'or absent(partner_postgres_pool_max_connections)',
    ].join('\n'),
    for: '5m',
    summary: 'job-state waits for connections to Postgres',
    description:
      'More than 5 % of the waits for a connection of the pool {{ $labels.pool }} have taken over half a second for 5 minutes.',
    cases: [
      {
        when: 'statements are slow',
        series: {
          [`${WAITS}_bucket{pool="main",le="0.5"}`]: '0+80x30',
          [`${WAITS}_bucket{pool="main",le="+Inf"}`]: '0+100x30',
          [`${WAITS}_bucket{pool="queue",le="0.5"}`]: '0+100x30',
          [`${WAITS}_bucket{pool="queue",le="+Inf"}`]: '0+100x30',
          'partner_postgres_pool_max_connections{pool="main"}': '20x30',
        },
        at: '15m',
        firing: [{ pool: 'main' }],
      },
      noData(),
      {
        when: 'connections are free',
        series: {
          [`${WAITS}_bucket{pool="main",le="0.5"}`]: '0+100x30',
          [`${WAITS}_bucket{pool="main",le="+Inf"}`]: '0+100x30',
          'partner_postgres_pool_max_connections{pool="main"}': '20x30',
        },
        at: '15m',
        firing: [],
      },
    ],
  },
];
