import { type Alert, critical, fires, noData, quiet, UNKNOWN, warning } from './alert.js';

const DUE = 'partner_webhook_oldest_due_seconds{endpoint_state="healthy"}';
const BUSY = 'partner_webhook_oldest_due_seconds{endpoint_state="busy"}';
const RECORDED = 'partner_webhook_attempts_recorded_total';

/** Webhook deliveries: late, slow, failing or lost. job-state reads them from its database. */
export const DELIVERY_ALERTS: readonly Alert[] = [
  critical('PartnerDeliveriesLate', '2m', {
    expr: `max(${DUE}) > 60\nor absent(${DUE} >= 0)`,
    summary: 'Webhooks are late',
    description:
      'A delivery to an endpoint that works has been due for more than a minute, or the delay is unknown.',
    cases: [
      fires({}, 'nothing is released', '15m', { [DUE]: ['0x5 0+60x30', '0x5 0+60x30'] }),
      noData(),
      fires({}, 'no replica reaches the database', '15m', { [DUE]: `0x5 ${UNKNOWN}` }),
      quiet('one replica reaches it, and only failing or slow endpoints have a backlog', '15m', {
        [DUE]: ['2x30', UNKNOWN],
        'partner_webhook_oldest_due_seconds{endpoint_state="failing",instance="a"}': '9000x30',
        'partner_webhook_oldest_due_seconds{endpoint_state="busy",instance="a"}': '90x30',
      }),
    ],
  }),
  warning('PartnerEndpointsBusy', '10m', {
    expr: `max(${BUSY}) > 600`,
    summary: 'Webhooks wait for a free slot of their endpoint',
    description:
      'A delivery has been due for more than 10 minutes to an endpoint at capacity: its responses are slower than its events, or all services lack processor time.',
    cases: [
      fires({}, 'an endpoint accepts fewer events than occur', '30m', { [BUSY]: '0x5 0+60x40' }),
      quiet('a backlog shrinks', '30m', { [BUSY]: '0x5 0+60x15 120x20', [DUE]: '2x40' }),
    ],
  }),
  critical('PartnerNothingDelivered', '10m', {
    expr: `sum(increase(${RECORDED}{outcome="delivered"}[1h])) == 0\nand sum(increase(${RECORDED}[1h])) > 10`,
    summary: 'No webhook arrives anywhere',
    description: 'More than 10 attempts within an hour, and no endpoint accepted one.',
    cases: [
      fires({}, 'the way out is broken in a quiet installation', '90m', {
        [`${RECORDED}{company_class="sales",outcome="delivered"}`]: '40x120',
        [`${RECORDED}{company_class="sales",outcome="timed_out",instance="a"}`]: '0x10 0+1x110',
        [`${RECORDED}{company_class="installer",outcome="timed_out",instance="b"}`]: '0x110',
      }),
      quiet('one endpoint of several is down', '100m', {
        [`${RECORDED}{company_class="sales",outcome="delivered"}`]: '0x60 1x60',
        [`${RECORDED}{company_class="sales",outcome="timed_out"}`]: '0+1x120',
      }),
      quiet('there is hardly anything to deliver', '100m', {
        [`${RECORDED}{company_class="sales",outcome="delivered"}`]: '0x120',
        [`${RECORDED}{company_class="sales",outcome="rejected"}`]: '0x60 0+1x5 5x60',
      }),
    ],
  }),
  warning('PartnerDeliveriesFail', '10m', {
    expr: [
      `sum by (company_class) (increase(${RECORDED}{outcome="delivered"}[30m]))`,
      `  / sum by (company_class) (increase(${RECORDED}[30m])) < 0.5`,
      `and sum by (company_class) (increase(${RECORDED}[30m])) > 50`,
      `or absent(${RECORDED})`,
    ].join('\n'),
    summary: 'Most attempts fail',
    description:
      'Fewer than half of the attempts to endpoints of companies of class {{ $labels.company_class }} succeed.',
    cases: [
      fires({ company_class: 'sales' }, 'one of two replicas records failures alone', '50m', {
        [`${RECORDED}{company_class="sales",outcome="delivered",instance="a"}`]: '0+2x60',
        [`${RECORDED}{company_class="sales",outcome="rejected",instance="b"}`]: '0+6x60',
        [`${RECORDED}{company_class="installer",outcome="delivered",instance="a"}`]: '0+6x60',
      }),
      noData(),
      quiet('a few attempts of a quiet night fail', '50m', {
        [`${RECORDED}{company_class="sales",outcome="delivered"}`]: '0x60',
        [`${RECORDED}{company_class="sales",outcome="rejected"}`]: '0+1x60',
      }),
    ],
  }),
  warning('PartnerDeadLetters', '0m', {
    expr: 'sum by (company_class) (increase(partner_webhook_dead_letters_total[1h])) > 10\nor absent(partner_webhook_dead_letters_total)',
    summary: 'Subscribers miss events',
    description:
      'More than 10 deliveries to companies of class {{ $labels.company_class }} have been given up within an hour, after 8 attempts each.',
    cases: [
      fires(
        { company_class: 'sales' },
        'an endpoint has been down for two hours, and both replicas record it',
        '60m',
        {
          'partner_webhook_dead_letters_total{company_class="sales"}': ['0+1x90', '0+1x90'],
          'partner_webhook_dead_letters_total{company_class="installer",instance="a"}': '0x90',
        },
      ),
      noData(),
      quiet('there were some before a restart', '80m', {
        'partner_webhook_dead_letters_total{company_class="sales"}': '500x40 0x50',
      }),
    ],
  }),
  warning('PartnerLeasesExpire', '5m', {
    expr: 'sum(increase(partner_webhook_lease_expiries_total[15m])) > 20\nor absent(partner_webhook_lease_expiries_total)',
    summary: 'Attempts are lost',
    description:
      'The leases of more than 20 deliveries have ended within 15 minutes without a result: commands or results get lost.',
    cases: [
      fires({}, 'the dispatcher crashes repeatedly', '30m', {
        partner_webhook_lease_expiries_total: ['0+2x40', '0+2x40'],
      }),
      noData(),
      quiet('a dispatcher was killed once', '20m', { partner_webhook_lease_expiries_total: '0x10 15x30' }),
    ],
  }),
  warning('PartnerEndpointsFailing', '5m', {
    expr: 'max(partner_webhook_failing_endpoints) - min(min_over_time(partner_webhook_failing_endpoints[30m])) > 10\nor absent(partner_webhook_failing_endpoints >= 0)',
    summary: 'Many endpoints have started to fail',
    description:
      'More than 10 endpoints have failed five times in a row within half an hour, or the number is unknown.',
    cases: [
      fires({}, 'thirty endpoints fail at once', '50m', { partner_webhook_failing_endpoints: '4x40 34x30' }),
      noData(),
      quiet('the number of failing endpoints stays the same', '80m', {
        partner_webhook_failing_endpoints: '60x60 63x30',
      }),
    ],
  }),
];
