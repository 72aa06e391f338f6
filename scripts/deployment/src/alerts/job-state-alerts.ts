import { type Alert, noData } from './alert.js';

/** Half an hour in which the value is not known. */
const UNKNOWN = Array.from({ length: 30 }, () => 'NaN').join(' ');
const DUE = 'partner_webhook_oldest_due_seconds{endpoint_state="healthy"}';
const BUSY = 'partner_webhook_oldest_due_seconds{endpoint_state="busy"}';
const DELIVERY = 'partner_webhook_delivery_seconds';
const RECORDED = 'partner_webhook_attempts_recorded_total';
const LOOPS = 'partner_loop_last_success_timestamp_seconds';
const WAITS = 'partner_postgres_connection_wait_seconds';
const SECRETS = 'partner_webhook_secrets_under_former_keys';

/** What only job-state can suffer from, or tell: it sees the database and all queues. */
export const JOB_STATE_ALERTS: readonly Alert[] = [
  {
    name: 'PartnerDeliveriesLate',
    severity: 'critical',
    expr: `max(${DUE}) > 60\nor absent(${DUE} >= 0)`,
    for: '2m',
    summary: 'Webhooks are late',
    description:
      'A delivery to an endpoint that works has been due for more than a minute, or the delay is not known.',
    cases: [
      {
        when: 'nothing is released',
        series: {
          'partner_webhook_oldest_due_seconds{endpoint_state="healthy",instance="a"}': '0x5 0+60x30',
          'partner_webhook_oldest_due_seconds{endpoint_state="healthy",instance="b"}': '0x5 0+60x30',
        },
        at: '15m',
        firing: [{}],
      },
      noData(),
      {
        when: 'no replica can ask the database',
        series: { [DUE]: `0x5 ${UNKNOWN}` },
        at: '15m',
        firing: [{}],
      },
      {
        when: 'one replica can ask, and only endpoints that fail, or take their time, have a backlog',
        series: {
          'partner_webhook_oldest_due_seconds{endpoint_state="healthy",instance="a"}': '2x30',
          'partner_webhook_oldest_due_seconds{endpoint_state="healthy",instance="b"}': UNKNOWN,
          'partner_webhook_oldest_due_seconds{endpoint_state="failing",instance="a"}': '9000x30',
          'partner_webhook_oldest_due_seconds{endpoint_state="busy",instance="a"}': '90x30',
        },
        at: '15m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerEndpointsBusy',
    severity: 'warning',
    expr: `max(${BUSY}) > 600`,
    for: '10m',
    summary: 'Webhooks wait for places of their own',
    description:
      'A delivery has been due for more than 10 minutes to an endpoint at capacity: it is slower than its events, or all are starved of processors.',
    cases: [
      {
        when: 'an endpoint takes less than comes',
        series: { [BUSY]: '0x5 0+60x40' },
        at: '30m',
        firing: [{}],
      },
      {
        when: 'a backlog is worked off',
        series: { [BUSY]: '0x5 0+60x15 120x20', [DUE]: '2x40' },
        at: '30m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerNothingDelivered',
    severity: 'critical',
    expr: `sum(increase(${RECORDED}{outcome="delivered"}[1h])) == 0\nand sum(increase(${RECORDED}[1h])) > 10`,
    for: '10m',
    summary: 'No webhook arrives anywhere',
    description:
      'Of more than 10 attempts within an hour none was taken by its endpoint, however few there are.',
    cases: [
      {
        when: 'the way out is broken in a quiet installation',
        series: {
          [`${RECORDED}{company_class="sales",outcome="delivered"}`]: '40x120',
          [`${RECORDED}{company_class="sales",outcome="timed_out",instance="a"}`]: '0x10 0+1x110',
          [`${RECORDED}{company_class="installer",outcome="timed_out",instance="b"}`]: '0x110',
        },
        at: '90m',
        firing: [{}],
      },
      {
        when: 'one endpoint of several is down',
        series: {
          [`${RECORDED}{company_class="sales",outcome="delivered"}`]: '0x60 1x60',
          [`${RECORDED}{company_class="sales",outcome="timed_out"}`]: '0+1x120',
        },
        at: '100m',
        firing: [],
      },
      {
        when: 'there is hardly anything to deliver',
        series: {
          [`${RECORDED}{company_class="sales",outcome="delivered"}`]: '0x120',
          [`${RECORDED}{company_class="sales",outcome="rejected"}`]: '0x60 0+1x5 5x60',
        },
        at: '100m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerDeliverySlow',
    severity: 'warning',
    expr: [
      `sum by (company_class) (increase(${DELIVERY}_bucket{attempt="first",le=~"10|10.0"}[15m]))`,
      `  / sum by (company_class) (increase(${DELIVERY}_bucket{attempt="first",le="+Inf"}[15m])) < 0.95`,
      `and sum by (company_class) (increase(${DELIVERY}_bucket{attempt="first",le="+Inf"}[15m])) > 20`,
      `or absent(${DELIVERY}_bucket{attempt="first"})`,
    ].join('\n'),
    for: '5m',
    summary: 'Webhooks take long',
    description:
      'More than 5 % of the deliveries to companies of class {{ $labels.company_class }} that their first attempt made took over 10 s from the commit of the event.',
    cases: [
      {
        when: 'one delivery in ten to installers takes longer',
        series: {
          [`${DELIVERY}_bucket{company_class="installer",attempt="first",le="10"}`]: '0+9x40',
          [`${DELIVERY}_bucket{company_class="installer",attempt="first",le="+Inf"}`]: '0+10x40',
          [`${DELIVERY}_bucket{company_class="sales",attempt="first",le="10"}`]: '0+10x40',
          [`${DELIVERY}_bucket{company_class="sales",attempt="first",le="+Inf"}`]: '0+10x40',
        },
        at: '30m',
        firing: [{ company_class: 'installer' }],
      },
      noData({ attempt: 'first' }),
      {
        when: 'only retries take long, and a replica was started again',
        series: {
          [`${DELIVERY}_bucket{company_class="installer",attempt="first",le="10"}`]: '0+10x15 0+10x30',
          [`${DELIVERY}_bucket{company_class="installer",attempt="first",le="+Inf"}`]: '0+10x15 0+10x30',
          [`${DELIVERY}_bucket{company_class="installer",attempt="later",le="10"}`]: '0x45',
          [`${DELIVERY}_bucket{company_class="installer",attempt="later",le="+Inf"}`]: '0+10x45',
        },
        at: '30m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerDeliveriesFail',
    severity: 'warning',
    expr: [
      `sum by (company_class) (increase(${RECORDED}{outcome="delivered"}[30m]))`,
      `  / sum by (company_class) (increase(${RECORDED}[30m])) < 0.5`,
      `and sum by (company_class) (increase(${RECORDED}[30m])) > 50`,
      `or absent(${RECORDED})`,
    ].join('\n'),
    for: '10m',
    summary: 'Most attempts fail',
    description:
      'Fewer than half of the attempts to endpoints of companies of class {{ $labels.company_class }} succeed.',
    cases: [
      {
        when: 'one of two replicas records failures alone',
        series: {
          [`${RECORDED}{company_class="sales",outcome="delivered",instance="a"}`]: '0+2x60',
          [`${RECORDED}{company_class="sales",outcome="rejected",instance="b"}`]: '0+6x60',
          [`${RECORDED}{company_class="installer",outcome="delivered",instance="a"}`]: '0+6x60',
        },
        at: '50m',
        firing: [{ company_class: 'sales' }],
      },
      noData(),
      {
        when: 'a few attempts of a quiet night fail',
        series: {
          [`${RECORDED}{company_class="sales",outcome="delivered"}`]: '0x60',
          [`${RECORDED}{company_class="sales",outcome="rejected"}`]: '0+1x60',
        },
        at: '50m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerDeadLetters',
    severity: 'warning',
    expr: 'sum by (company_class) (increase(partner_webhook_dead_letters_total[1h])) > 10\nor absent(partner_webhook_dead_letters_total)',
    for: '0m',
    summary: 'Subscribers miss events',
    description:
      'More than 10 deliveries to companies of class {{ $labels.company_class }} have been given up within an hour, after 8 attempts each.',
    cases: [
      {
        when: 'an endpoint has been down for two hours, and both replicas record it',
        series: {
          'partner_webhook_dead_letters_total{company_class="sales",instance="a"}': '0+1x90',
          'partner_webhook_dead_letters_total{company_class="sales",instance="b"}': '0+1x90',
          'partner_webhook_dead_letters_total{company_class="installer",instance="a"}': '0x90',
        },
        at: '60m',
        firing: [{ company_class: 'sales' }],
      },
      noData(),
      {
        when: 'there were some before a restart',
        series: { 'partner_webhook_dead_letters_total{company_class="sales"}': '500x40 0x50' },
        at: '80m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerLeasesExpire',
    severity: 'warning',
    expr: 'sum(increase(partner_webhook_lease_expiries_total[15m])) > 20\nor absent(partner_webhook_lease_expiries_total)',
    for: '5m',
    summary: 'Attempts get lost on the way',
    description:
      'The leases of more than 20 deliveries have ended within 15 minutes without a result: commands or results get lost.',
    cases: [
      {
        when: 'the dispatcher dies again and again',
        series: {
          'partner_webhook_lease_expiries_total{instance="a"}': '0+2x40',
          'partner_webhook_lease_expiries_total{instance="b"}': '0+2x40',
        },
        at: '30m',
        firing: [{}],
      },
      noData(),
      {
        when: 'a dispatcher was killed once',
        series: { partner_webhook_lease_expiries_total: '0x10 15x30' },
        at: '20m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerEndpointsFailing',
    severity: 'warning',
    expr: 'max(partner_webhook_failing_endpoints) - min(min_over_time(partner_webhook_failing_endpoints[30m])) > 10\nor absent(partner_webhook_failing_endpoints >= 0)',
    for: '5m',
    summary: 'Many endpoints have begun to fail',
    description:
      'More than 10 endpoints have failed five times in a row within half an hour, or the number is not known.',
    cases: [
      {
        when: 'thirty endpoints fail at once',
        series: { partner_webhook_failing_endpoints: '4x40 34x30' },
        at: '50m',
        firing: [{}],
      },
      noData(),
      {
        when: 'as many as ever fail',
        series: { partner_webhook_failing_endpoints: '60x60 63x30' },
        at: '80m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerOutboxLate',
    severity: 'critical',
    expr: 'max(partner_outbox_oldest_age_seconds) > 30\nor absent(partner_outbox_oldest_age_seconds >= 0)',
    for: '2m',
    summary: 'The platform receives nothing from us',
    description:
      'A message to the platform or the gateways has waited for the broker for more than 30 s, or the age is not known.',
    cases: [
      {
        when: 'the broker confirms nothing',
        series: { partner_outbox_oldest_age_seconds: '0x5 0+60x30' },
        at: '15m',
        firing: [{}],
      },
      noData(),
      {
        when: 'the database is away for all replicas',
        series: {
          'partner_outbox_oldest_age_seconds{instance="a"}': UNKNOWN,
          'partner_outbox_oldest_age_seconds{instance="b"}': UNKNOWN,
        },
        at: '15m',
        firing: [{}],
      },
      {
        when: 'messages go out at once',
        series: { partner_outbox_oldest_age_seconds: '0x5 1x30' },
        at: '15m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerDeadLetterQueue',
    severity: 'warning',
    expr: 'max by (queue) (partner_dead_letter_queue_messages) > 0\nor absent(partner_dead_letter_queue_messages >= 0)',
    for: '2m',
    summary: 'A message was given up',
    description:
      'There are messages in the dead-letter queue {{ $labels.queue }} without a handler, or their number is not known.',
    cases: [
      {
        when: 'a message of the platform could not be read; both replicas look',
        series: {
          'partner_dead_letter_queue_messages{queue="q.dead",instance="a"}': '0x5 1x30',
          'partner_dead_letter_queue_messages{queue="q.dead",instance="b"}': '0x5 1x30',
          'partner_dead_letter_queue_messages{queue="r.dead",instance="a"}': '0x35',
        },
        at: '15m',
        firing: [{ queue: 'q.dead' }],
      },
      noData(),
      {
        when: 'the broker is away',
        series: { 'partner_dead_letter_queue_messages{queue="q.dead"}': UNKNOWN },
        at: '15m',
        firing: [{}],
      },
      {
        when: 'all are empty',
        series: { 'partner_dead_letter_queue_messages{queue="q.dead"}': '0x30' },
        at: '15m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerQueueBacklog',
    severity: 'warning',
    expr: 'max by (queue) (partner_queue_messages) > 1000\nor absent(partner_queue_messages >= 0)',
    for: '10m',
    summary: 'A queue is not read fast enough',
    description: 'More than 1,000 messages have waited in the queue {{ $labels.queue }} for 10 minutes.',
    cases: [
      {
        when: 'the platform does not read what it is told',
        series: {
          'partner_queue_messages{queue="platform.partner-events"}': '0+300x40',
          'partner_queue_messages{queue="job-state.delivery-results"}': '3x40',
        },
        at: '30m',
        firing: [{ queue: 'platform.partner-events' }],
      },
      noData(),
      {
        when: 'a burst is worked off',
        series: { 'partner_queue_messages{queue="webhook-dispatcher.deliveries"}': '0x5 4000x4 10x30' },
        at: '20m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerQueueWithoutConsumer',
    severity: 'critical',
    expr: 'max by (queue) (partner_queue_consumers{queue!="platform.partner-events"}) < 1\nor absent(partner_queue_consumers >= 0)',
    for: '2m',
    summary: 'A queue has no consumer',
    description: 'The queue {{ $labels.queue }} has had no consumer for 2 minutes.',
    cases: [
      {
        when: 'the dispatcher is gone',
        series: {
          'partner_queue_consumers{queue="webhook-dispatcher.deliveries"}': '2x5 0x30',
          'partner_queue_consumers{queue="job-state.rpc"}': '2x40',
        },
        at: '15m',
        firing: [{ queue: 'webhook-dispatcher.deliveries' }],
      },
      noData(),
      {
        when: 'the platform does not listen',
        series: {
          'partner_queue_consumers{queue="webhook-dispatcher.deliveries"}': '2x5 1x30',
          'partner_queue_consumers{queue="platform.partner-events"}': '0x40',
        },
        at: '15m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerPlatformMessagesWait',
    severity: 'warning',
    expr: 'max(partner_platform_waiting_oldest_age_seconds) > 3600\nor absent(partner_platform_waiting_oldest_age_seconds >= 0)',
    for: '5m',
    summary: 'A message of the platform waits for what it builds on',
    description:
      'A message of the platform has waited for its job or company for more than an hour; after 24 h it is given up.',
    cases: [
      {
        when: 'the message that creates a job never came',
        series: { partner_platform_waiting_oldest_age_seconds: '0+60x90' },
        at: '80m',
        firing: [{}],
      },
      noData(),
      {
        when: 'messages come in the wrong order',
        series: { partner_platform_waiting_oldest_age_seconds: '0x20 30x10 0x90' },
        at: '80m',
        firing: [],
      },
    ],
  },
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
    expr: 'max(partner_retention_kept_partitions{table="outbox"}) > 0',
    for: '5m',
    summary: 'Messages have waited for the broker for over a week',
    description:
      'A partition of the outbox that is a week old still has messages that the broker has not confirmed.',
    cases: [
      {
        when: 'one is kept',
        series: { 'partner_retention_kept_partitions{table="outbox"}': '0x5 1x30' },
        at: '15m',
        firing: [{}],
      },
      {
        when: 'one of another table is kept',
        series: {
          'partner_retention_kept_partitions{table="outbox"}': '0x30',
          'partner_retention_kept_partitions{table="events"}': '2x30',
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
