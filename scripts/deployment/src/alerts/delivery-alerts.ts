import { type Alert, noData, UNKNOWN } from './alert.js';

const DUE = 'partner_webhook_oldest_due_seconds{endpoint_state="healthy"}';
const BUSY = 'partner_webhook_oldest_due_seconds{endpoint_state="busy"}';
const DELIVERY = 'partner_webhook_delivery_seconds';
const RECORDED = 'partner_webhook_attempts_recorded_total';

/** Webhook deliveries: late, slow, failing or lost. job-state sees them in its database. */
export const DELIVERY_ALERTS: readonly Alert[] = [
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
];
