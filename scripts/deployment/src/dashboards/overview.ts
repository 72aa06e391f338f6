import type { Dashboard } from './dashboard.js';
import { counted, perSecond, quantile } from './panels.js';

const RECORDED = 'partner_webhook_attempts_recorded_total';

/** The whole service on one page, for the engineer on call. */
export const OVERVIEW: Dashboard = {
  uid: 'partner-overview',
  title: 'Partner: overview',
  about:
    'Is a partner missing something, since when, and which service is the cause? The runbooks are in charts/docs/runbooks.md.',
  questions: [
    {
      question: 'Is a partner missing something, and since when?',
      panels: [
        {
          kind: 'stat',
          title: 'Oldest webhook that is due',
          about: 'To endpoints that work and have places left. Over 60 s: PartnerDeliveriesLate.',
          unit: 's',
          queries: [{ expr: 'max(partner_webhook_oldest_due_seconds{endpoint_state="healthy"})' }],
          warnAt: 15,
          alarmAt: 60,
        },
        {
          kind: 'stat',
          title: 'Oldest message to the platform',
          about: 'That the broker has not confirmed. Over 30 s: PartnerOutboxLate.',
          unit: 's',
          queries: [{ expr: 'max(partner_outbox_oldest_age_seconds)' }],
          warnAt: 10,
          alarmAt: 30,
        },
        {
          kind: 'stat',
          title: 'Messages that were given up',
          about: 'In the broker’s dead-letter queues. Any: PartnerDeadLetterQueue, partnerctl dead-letters.',
          unit: 'short',
          queries: [{ expr: 'sum(max by (queue) (partner_dead_letter_queue_messages))' }],
          warnAt: 1,
        },
        {
          kind: 'stat',
          title: 'Webhooks that were given up in 24 h',
          about:
            'Deliveries that failed eight times, by the class of the company. Owners see which, and can replay them.',
          unit: 'short',
          queries: [
            {
              expr: counted('partner_webhook_dead_letters_total', '24h', { by: ['company_class'] }),
              legend: '{{company_class}}',
            },
          ],
          warnAt: 1,
        },
        {
          kind: 'timeline',
          title: 'How late we are',
          about:
            'Age of the oldest due delivery, of the oldest message in the outbox, and of the oldest message of the platform that waits for what it builds on.',
          unit: 's',
          queries: [
            {
              expr: 'max by (endpoint_state) (partner_webhook_oldest_due_seconds)',
              legend: 'webhooks to {{endpoint_state}} endpoints',
            },
            { expr: 'max(partner_outbox_oldest_age_seconds)', legend: 'to the platform' },
            { expr: 'max(partner_platform_waiting_oldest_age_seconds)', legend: 'of the platform' },
          ],
          alarmAt: 60,
        },
        {
          kind: 'timeline',
          title: 'Attempts that succeed',
          about: 'Share of attempts that got 2xx, by the class of the company.',
          unit: 'percentunit',
          queries: [
            {
              expr: `${perSecond(RECORDED, { by: ['company_class'], where: 'outcome="delivered"' })} / ${perSecond(RECORDED, { by: ['company_class'] })}`,
              legend: '{{company_class}}',
            },
          ],
          isGoodWhenHigh: true,
          warnAt: 0.9,
          alarmAt: 0.5,
        },
        {
          kind: 'table',
          title: 'Dead-letter queues, and since when',
          about: 'Only queues with something in them.',
          unit: 'dateTimeFromNow',
          queries: [
            {
              expr: 'min by (queue) (partner_dead_letter_queue_nonempty_since_timestamp_seconds > 0) * 1000',
              legend: '{{queue}}',
            },
          ],
        },
        {
          kind: 'table',
          title: 'Alerts that fire',
          about: 'Each has a section in charts/docs/runbooks.md.',
          unit: 'short',
          queries: [
            {
              expr: 'sum by (alertname, severity, partner_service, queue, company_class, loop) (ALERTS{alertname=~"Partner.*",alertstate="firing"})',
            },
          ],
        },
      ],
    },
    {
      question: 'Are we fast?',
      panels: [
        {
          kind: 'timeline',
          title: 'From commit to delivered (p95)',
          about:
            'Of deliveries that their first attempt made, from the transaction of the event to the record of the success, by the class of the company.',
          unit: 's',
          queries: [
            {
              expr: quantile(0.95, 'partner_webhook_delivery_seconds', {
                by: ['company_class'],
                where: 'attempt="first"',
              }),
              legend: '{{company_class}}',
            },
          ],
          warnAt: 2,
          alarmAt: 10,
        },
        {
          kind: 'timeline',
          title: 'Requests (p95)',
          about: 'Of partners and owners, by service.',
          unit: 's',
          queries: [
            {
              expr: quantile(0.95, 'partner_http_request_duration_seconds', { by: ['partner_service'] }),
              legend: '{{partner_service}}',
            },
          ],
          warnAt: 0.5,
          alarmAt: 1,
        },
        {
          kind: 'timeline',
          title: 'Webhooks',
          about: 'Attempts a second by how they ended.',
          unit: 'ops',
          queries: [{ expr: perSecond(RECORDED, { by: ['outcome'] }), legend: '{{outcome}}' }],
        },
        {
          kind: 'timeline',
          title: 'Requests by status',
          about: 'Requests a second, by service and status.',
          unit: 'reqps',
          queries: [
            {
              expr: perSecond('partner_http_request_duration_seconds_count', {
                by: ['partner_service', 'status_class'],
              }),
              legend: '{{partner_service}} {{status_class}}',
            },
          ],
        },
      ],
    },
    {
      question: 'Are the services healthy?',
      panels: [
        {
          kind: 'stat',
          title: 'Ready replicas',
          about: 'By service. A service that is not listed is not there.',
          unit: 'short',
          queries: [
            { expr: 'sum by (partner_service) (partner_service_ready)', legend: '{{partner_service}}' },
          ],
          warnAt: 1,
          alarmAt: 1,
          isGoodWhenHigh: true,
          width: 12,
        },
        {
          kind: 'stat',
          title: 'Broker connections',
          about: 'Share of connections to the broker that are up.',
          unit: 'percentunit',
          queries: [{ expr: 'avg(partner_amqp_connection_up)' }],
          warnAt: 1,
          alarmAt: 0.5,
          isGoodWhenHigh: true,
        },
        {
          kind: 'stat',
          title: 'Counting without Redis',
          about: 'Replicas that do not reach Redis.',
          unit: 'short',
          queries: [{ expr: 'sum(partner_rate_limiter_degraded)' }],
          warnAt: 1,
        },
        {
          kind: 'timeline',
          title: 'Messages in queues',
          about: 'What waits in the broker.',
          unit: 'short',
          queries: [{ expr: 'max by (queue) (partner_queue_messages)', legend: '{{queue}}' }],
        },
        {
          kind: 'timeline',
          title: 'Event loop lag (p99)',
          about: 'Of the slowest replica of each service.',
          unit: 's',
          queries: [
            {
              expr: 'max by (partner_service) (nodejs_eventloop_lag_p99_seconds{partner_service!=""})',
              legend: '{{partner_service}}',
            },
          ],
          warnAt: 0.1,
          alarmAt: 0.25,
        },
      ],
    },
  ],
};
