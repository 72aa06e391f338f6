import { type Alert, critical, fires, noData, quiet, warning } from './alert.js';

const ATTEMPTS = 'partner_webhook_attempts_total';
const UNREACHED = `${ATTEMPTS}{outcome=~"connection_failed|timed_out|tls_failed"}`;

export const DISPATCHER_ALERTS: readonly Alert[] = [
  critical('PartnerWayOutBroken', '5m', {
    expr: [
      `sum(increase(${UNREACHED}[10m]) or increase(${ATTEMPTS}{refusal="lookup_failed"}[10m]))`,
      `  / sum(increase(${ATTEMPTS}[10m])) > 0.5`,
      `and sum(increase(${ATTEMPTS}[10m])) > 50`,
    ].join('\n'),
    summary: 'Most endpoints cannot be reached',
    description:
      'More than half of all attempts reach no endpoint, or cannot resolve its name: the cause is probably our network, not the endpoints.',
    cases: [
      fires({}, 'egress is cut off', '20m', {
        [`${ATTEMPTS}{outcome="delivered",refusal=""}`]: '0+2x30',
        [`${ATTEMPTS}{outcome="connection_failed",refusal="",instance="a"}`]: '0+5x30',
        [`${ATTEMPTS}{outcome="endpoint_refused",refusal="lookup_failed",instance="b"}`]: '0+5x30',
      }),
      fires({}, 'no name has ever resolved', '20m', {
        [`${ATTEMPTS}{outcome="endpoint_refused",refusal="lookup_failed"}`]: '0+10x30',
      }),
      quiet('some endpoints are down, others refuse', '20m', {
        [`${ATTEMPTS}{outcome="delivered",refusal=""}`]: '0+20x30',
        [`${ATTEMPTS}{outcome="connection_failed",refusal=""}`]: '0+5x30',
        [`${ATTEMPTS}{outcome="rejected",refusal=""}`]: '0+20x30',
      }),
    ],
  }),
  warning('PartnerResultsLost', '0m', {
    expr: 'sum(increase(partner_webhook_results_lost_total[15m])) > 0\nor absent(partner_webhook_results_lost_total)',
    summary: 'Results of attempts are lost',
    description:
      'The broker did not accept results before their leases ended: subscribers receive these events again.',
    cases: [
      fires({}, 'one of two replicas loses results', '10m', {
        partner_webhook_results_lost_total: ['0x30', '0x5 3x30'],
      }),
      noData(),
      quiet('a replica was restarted, and has lost nothing since', '40m', {
        partner_webhook_results_lost_total: '7x20 0x30',
      }),
    ],
  }),
  critical('PartnerSecretsUnreadable', '1m', {
    expr: 'sum(increase(partner_webhook_commands_dropped_total{reason="secret_unreadable"}[10m])) > 0',
    summary: 'Signing secrets cannot be opened',
    description:
      'The dispatcher lacks the sealing key of some secrets: nothing is delivered to these subscriptions.',
    cases: [
      fires({}, 'a former key was removed too early', '10m', {
        'partner_webhook_commands_dropped_total{reason="secret_unreadable"}': '0+4x30',
      }),
      quiet('commands arrive late', '15m', {
        'partner_webhook_commands_dropped_total{reason="too_late"}': '0+4x30',
        'partner_webhook_commands_dropped_total{reason="secret_unreadable"}': '2x30',
      }),
    ],
  }),
  warning('PartnerCommandsDropped', '5m', {
    expr: 'sum by (reason) (increase(partner_webhook_commands_dropped_total{reason=~"too_late|malformed"}[15m])) > 20',
    summary: 'Commands to deliver are dropped',
    description:
      'More than 20 commands have been dropped in 15 minutes as {{ $labels.reason }}; each delivery is due again when its lease ends.',
    cases: [
      fires({ reason: 'too_late' }, 'commands wait longer in the queue than their leases last', '25m', {
        'partner_webhook_commands_dropped_total{reason="too_late"}': ['0+2x40', '0+2x40'],
      }),
      quiet('commands that were executed arrive again', '25m', {
        'partner_webhook_commands_dropped_total{reason="already_reported"}': '0+50x40',
      }),
    ],
  }),
  critical('PartnerClockSkewed', '2m', {
    expr: 'sum by (direction) (increase(partner_webhook_clock_skewed_total[15m])) > 0',
    summary: 'The clock of a dispatcher is off',
    description:
      'The clock of a replica is {{ $labels.direction }} of the database: deliveries are late, repeated, or refused for their timestamp.',
    cases: [
      fires({ direction: 'ahead' }, 'the clock of one replica runs ahead', '10m', {
        'partner_webhook_clock_skewed_total{direction="ahead"}': ['0+1x30', '0x30'],
      }),
      fires({ direction: 'behind' }, 'the first command that shows it arrives long after the start', '25m', {
        'partner_webhook_clock_skewed_total{direction="behind"}': '0x20 1x30',
      }),
      quiet('it was right again an hour ago', '50m', {
        'partner_webhook_clock_skewed_total{direction="ahead"}': '5x60',
      }),
    ],
  }),
];
