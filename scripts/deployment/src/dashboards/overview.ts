import { SLO_SERIES } from '../alerts/objectives.js';
import { type Dashboard, stat, table, timeline } from './dashboard.js';
import { counted, perSecond, quantile } from './panels.js';

const RECORDED = 'partner_webhook_attempts_recorded_total';

/** Returns how many times the bad ones of a span use up the budget of that span. */
const spent = (span: string) =>
  `sum_over_time(${SLO_SERIES.bad}[${span}]) / sum_over_time(${SLO_SERIES.events}[${span}]) / on (namespace, partner_service, slo) group_left () ${SLO_SERIES.budget}`;
const OF_WHOM = '{{slo}} of {{partner_service}} {{company_class}}';

/** The whole service on one page, for the engineer on call. */
export const OVERVIEW: Dashboard = {
  uid: 'partner-overview',
  title: 'Partner: overview',
  about:
    'Is a partner missing something, since when, and which service is the cause? The runbooks are in charts/docs/runbooks.md.',
  questions: {
    'Is a partner missing something, and since when?': [
      stat('Oldest webhook that is due', 's', {
        about: 'To working endpoints with free slots. Over 60 s: PartnerDeliveriesLate.',
        query: 'max(partner_webhook_oldest_due_seconds{endpoint_state="healthy"})',
        limits: { warn: 15, alarm: 60 },
      }),
      stat('Oldest message to the platform', 's', {
        about: 'That the broker has not confirmed. Over 30 s: PartnerOutboxLate.',
        query: 'max(partner_outbox_oldest_age_seconds)',
        limits: { warn: 10, alarm: 30 },
      }),
      stat('Messages that were given up', 'short', {
        about: 'In the broker’s dead-letter queues. Any: PartnerDeadLetterQueue, partnerctl dead-letters.',
        query: {
          expr: 'sum(max by (queue) (partner_dead_letter_queue_messages))',
          legend: 'Messages that were given up',
        },
        limits: { warn: 1 },
      }),
      stat('Webhooks that were given up in 24 h', 'short', {
        about:
          'Deliveries that failed eight times, by the class of the company. Owners see which, and can replay them.',
        query: counted('partner_webhook_dead_letters_total', '24h', { by: ['company_class'] }),
        limits: { warn: 1 },
      }),
      timeline('Current delays', 's', {
        about:
          'Age of the oldest due delivery, of the oldest message in the outbox, and of the oldest message of the platform that waits for its job or company.',
        query: [
          {
            expr: 'max by (endpoint_state) (partner_webhook_oldest_due_seconds)',
            legend: 'webhooks to {{endpoint_state}} endpoints',
          },
          { expr: 'max(partner_outbox_oldest_age_seconds)', legend: 'to the platform' },
          { expr: 'max(partner_platform_waiting_oldest_age_seconds)', legend: 'of the platform' },
        ],
        limits: { alarm: 60 },
      }),
      timeline('Attempts that succeed', 'percentunit', {
        about: 'Share of attempts that received 2xx, by the class of the company.',
        query: `${perSecond(RECORDED, { by: ['company_class'], where: 'outcome="delivered"' })} / ${perSecond(RECORDED, { by: ['company_class'] })}`,
        limits: { warn: 0.9, alarm: 0.5, isGoodWhenHigh: true },
      }),
      table('Dead-letter queues, and since when', 'dateTimeFromNow', {
        about: 'Only queues with something in them.',
        query: 'min by (queue) (partner_dead_letter_queue_nonempty_since_timestamp_seconds > 0) * 1000',
      }),
      table('Alerts that fire', 'short', {
        about: 'Each has a section in charts/docs/runbooks.md.',
        query: {
          expr: 'sum by (alertname, severity, partner_service, queue, company_class, loop) (ALERTS{alertname=~"Partner.*",alertstate="firing"})',
          legend: 'Alerts that fire',
        },
      }),
    ],
    'Do we keep our promises?': [
      stat('Error budgets left', 'percentunit', {
        about:
          'Share of the errors allowed in 30 days that is left, or since Prometheus began to record. The promises are in charts/docs/metrics.md.',
        query: { expr: `1 - ${spent('30d')}`, legend: OF_WHOM },
        limits: { warn: 0.5, alarm: 0.1, isGoodWhenHigh: true },
        width: 12,
      }),
      timeline('Speed at which budgets are spent', 'short', {
        about:
          'Over an hour; at 1 a budget lasts for its 30 days. Over 14.4, or over 6 for six hours: PartnerBudgetBurnsFast. Over 3 for a day, or over 1 for three: PartnerBudgetBurns.',
        query: { expr: spent('1h'), legend: OF_WHOM },
        limits: { warn: 1, alarm: 14.4 },
      }),
    ],
    'Are we fast?': [
      timeline('From commit to delivered (p95)', 's', {
        about:
          'Of deliveries that succeeded at the first attempt, from the transaction of the event to the record of the success, by the class of the company.',
        query: quantile(0.95, 'partner_webhook_delivery_seconds', {
          by: ['company_class'],
          where: 'attempt="first"',
        }),
        limits: { warn: 2, alarm: 10 },
      }),
      timeline('Requests (p95)', 's', {
        about: 'Of partners and owners, by service.',
        query: quantile(0.95, 'partner_http_request_duration_seconds', { by: ['partner_service'] }),
        limits: { warn: 0.5, alarm: 1 },
      }),
      timeline('Webhooks', 'ops', {
        about: 'Attempts a second by outcome.',
        query: perSecond(RECORDED, { by: ['outcome'] }),
      }),
      timeline('Requests by status', 'reqps', {
        about: 'Requests a second, by service and status.',
        query: perSecond('partner_http_request_duration_seconds_count', {
          by: ['partner_service', 'status_class'],
        }),
      }),
    ],
    'Are the services healthy?': [
      stat('Ready replicas', 'short', {
        about: 'By service. A service that is not listed does not run.',
        query: 'sum by (partner_service) (partner_service_ready)',
        limits: { warn: 1, alarm: 1, isGoodWhenHigh: true },
        width: 12,
      }),
      stat('Broker connections', 'percentunit', {
        about: 'Share of connections to the broker that are up.',
        query: 'avg(partner_amqp_connection_up)',
        limits: { warn: 1, alarm: 0.5, isGoodWhenHigh: true },
      }),
      stat('Counting without Redis', 'short', {
        about: 'Replicas that do not reach Redis.',
        query: 'sum(partner_rate_limiter_degraded)',
        limits: { warn: 1 },
      }),
      timeline('Messages in queues', 'short', {
        about: 'Messages that wait in the broker.',
        query: 'max by (queue) (partner_queue_messages)',
      }),
      timeline('Event loop lag (p99)', 's', {
        about: 'Of the slowest replica of each service.',
        query: 'max by (partner_service) (nodejs_eventloop_lag_p99_seconds{partner_service!=""})',
        limits: { warn: 0.1, alarm: 0.25 },
      }),
    ],
  },
};
