import { type Alert, noData } from './alert.js';

const ATTEMPTS = 'partner_webhook_attempts_total';
const UNREACHED = `${ATTEMPTS}{outcome=~"connection_failed|timed_out|tls_failed"}`;

/** What only the dispatcher can suffer from. */
export const DISPATCHER_ALERTS: readonly Alert[] = [
  {
    name: 'PartnerWayOutBroken',
    severity: 'critical',
    expr: [
      `sum(increase(${UNREACHED}[10m]) or increase(${ATTEMPTS}{refusal="lookup_failed"}[10m]))`,
      `  / sum(increase(${ATTEMPTS}[10m])) > 0.5`,
      `and sum(increase(${ATTEMPTS}[10m])) > 50`,
    ].join('\n'),
    for: '5m',
    summary: 'Most endpoints cannot be reached',
    description:
      'More than half of all attempts reach no endpoint, or cannot resolve its name: our own network is likelier than all endpoints.',
    cases: [
      {
        when: 'egress is cut off',
        series: {
          [`${ATTEMPTS}{outcome="delivered",refusal=""}`]: '0+2x30',
          [`${ATTEMPTS}{outcome="connection_failed",refusal="",instance="a"}`]: '0+5x30',
          [`${ATTEMPTS}{outcome="endpoint_refused",refusal="lookup_failed",instance="b"}`]: '0+5x30',
        },
        at: '20m',
        firing: [{}],
      },
      {
        when: 'no name can be looked up, and never could',
        series: { [`${ATTEMPTS}{outcome="endpoint_refused",refusal="lookup_failed"}`]: '0+10x30' },
        at: '20m',
        firing: [{}],
      },
      {
        when: 'some endpoints are down, others refuse',
        series: {
          [`${ATTEMPTS}{outcome="delivered",refusal=""}`]: '0+20x30',
          [`${ATTEMPTS}{outcome="connection_failed",refusal=""}`]: '0+5x30',
          [`${ATTEMPTS}{outcome="rejected",refusal=""}`]: '0+20x30',
        },
        at: '20m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerResultsLost',
    severity: 'warning',
    expr: 'sum(increase(partner_webhook_results_lost_total[15m])) > 0\nor absent(partner_webhook_results_lost_total)',
    for: '0m',
    summary: 'Results of attempts get lost',
    description:
      'The broker did not take results before their leases ended: subscribers get these events again.',
    cases: [
      {
        when: 'one of two replicas loses results',
        series: {
          'partner_webhook_results_lost_total{instance="a"}': '0x30',
          'partner_webhook_results_lost_total{instance="b"}': '0x5 3x30',
        },
        at: '10m',
        firing: [{}],
      },
      noData(),
      {
        when: 'a replica was started again, and nothing is lost since',
        series: { partner_webhook_results_lost_total: '7x20 0x30' },
        at: '40m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerSecretsUnreadable',
    severity: 'critical',
    expr: 'sum(increase(partner_webhook_commands_dropped_total{reason="secret_unreadable"}[10m])) > 0',
    for: '1m',
    summary: 'Signing secrets cannot be opened',
    description:
      'The dispatcher lacks the sealing key of some secrets: nothing is delivered to these subscriptions.',
    cases: [
      {
        when: 'a former key was taken out too early',
        series: { 'partner_webhook_commands_dropped_total{reason="secret_unreadable"}': '0+4x30' },
        at: '10m',
        firing: [{}],
      },
      {
        when: 'commands come late',
        series: {
          'partner_webhook_commands_dropped_total{reason="too_late"}': '0+4x30',
          'partner_webhook_commands_dropped_total{reason="secret_unreadable"}': '2x30',
        },
        at: '15m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerCommandsDropped',
    severity: 'warning',
    expr: 'sum by (reason) (increase(partner_webhook_commands_dropped_total{reason=~"too_late|malformed"}[15m])) > 20',
    for: '5m',
    summary: 'Commands to deliver are dropped',
    description:
      'More than 20 commands have been dropped in 15 minutes as {{ $labels.reason }}; each delivery is due again when its lease ends.',
    cases: [
      {
        when: 'commands wait longer in the queue than their leases last',
        series: {
          'partner_webhook_commands_dropped_total{reason="too_late",instance="a"}': '0+2x40',
          'partner_webhook_commands_dropped_total{reason="too_late",instance="b"}': '0+2x40',
        },
        at: '25m',
        firing: [{ reason: 'too_late' }],
      },
      {
        when: 'commands come again that were carried out',
        series: { 'partner_webhook_commands_dropped_total{reason="already_reported"}': '0+50x40' },
        at: '25m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerClockSkewed',
    severity: 'critical',
    expr: 'sum by (direction) (increase(partner_webhook_clock_skewed_total[15m])) > 0',
    for: '2m',
    summary: 'The clock of a dispatcher is off',
    description:
      'The clock of a replica is {{ $labels.direction }} of the database: deliveries are late, made twice, or refused for their timestamp.',
    cases: [
      {
        when: 'the clock of one replica runs ahead',
        series: {
          'partner_webhook_clock_skewed_total{direction="ahead",instance="a"}': '0+1x30',
          'partner_webhook_clock_skewed_total{direction="ahead",instance="b"}': '0x30',
        },
        at: '10m',
        firing: [{ direction: 'ahead' }],
      },
      {
        when: 'the first command that shows it comes long after the start',
        series: { 'partner_webhook_clock_skewed_total{direction="behind"}': '0x20 1x30' },
        at: '25m',
        firing: [{ direction: 'behind' }],
      },
      {
        when: 'it was right again an hour ago',
        series: { 'partner_webhook_clock_skewed_total{direction="ahead"}': '5x60' },
        at: '50m',
        firing: [],
      },
    ],
  },
];
