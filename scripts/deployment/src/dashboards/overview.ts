import type { Dashboard } from './dashboard.js';

export const OVERVIEW: Dashboard = {
  uid: 'partner-overview',
  title: 'Partner: overview',
  about:
    'Is a partner missing something, since when, and which service is the cause? The runbooks are in charts/docs/runbooks.md.',
  panels: `
# Is a partner missing something, and since when?
stat(s) Oldest webhook that is due | warn 15, alarm 60
  To working endpoints with free slots. Over 60 s: PartnerDeliveriesLate.
  > max(partner_webhook_oldest_due_seconds{endpoint_state="healthy"})
stat(s) Oldest message to the platform | warn 10, alarm 30
  That the broker has not confirmed. Over 30 s: PartnerOutboxLate.
  > max(partner_outbox_oldest_age_seconds)
stat(short) Messages that were given up | warn 1
  In the broker’s dead-letter queues. Any: PartnerDeadLetterQueue, partnerctl dead-letters.
  > [Messages that were given up] sum(max by (queue) (partner_dead_letter_queue_messages))
stat(short) Webhooks that were given up in 24 h | warn 1
  Deliveries that failed eight times, by the class of the company. Owners see which, and can replay them.
  > sum by (company_class) (increase(partner_webhook_dead_letters_total[24h]))
timeline(s) Current delays | alarm 60
  Age of the oldest due delivery, of the oldest message in the outbox, and of the oldest message of the
  platform that waits for its job or company.
  > [webhooks to {{endpoint_state}} endpoints] max by (endpoint_state) (partner_webhook_oldest_due_seconds)
  > [to the platform] max(partner_outbox_oldest_age_seconds)
  > [of the platform] max(partner_platform_waiting_oldest_age_seconds)
timeline(percentunit) Attempts that succeed | warn below 0.9, alarm below 0.5
  Share of attempts that received 2xx, by the class of the company.
  > sum by (company_class) (rate(partner_webhook_attempts_recorded_total{outcome="delivered"}[5m])) / sum by
    (company_class) (rate(partner_webhook_attempts_recorded_total[5m]))
table(dateTimeFromNow) Dead-letter queues, and since when
  Only queues with something in them.
  > min by (queue) (partner_dead_letter_queue_nonempty_since_timestamp_seconds > 0) * 1000
table(short) Alerts that fire
  Each has a section in charts/docs/runbooks.md.
  > [Alerts that fire] sum by (alertname, severity, partner_service, queue, company_class, loop)
    (ALERTS{alertname=~"Partner.*",alertstate="firing"})
# Do we keep our promises?
stat(percentunit) Error budgets left | warn below 0.5, alarm below 0.1 | width 12
  Share of the errors allowed in 30 days that is left, or since Prometheus began to record. The promises are
  in charts/docs/metrics.md.
  > [{{slo}} of {{partner_service}} {{company_class}}] 1 - sum_over_time(partner:slo_bad:rate5m[30d]) /
    sum_over_time(partner:slo_events:rate5m[30d]) / on (namespace, partner_service, slo) group_left ()
    partner:slo_budget
timeline(short) Speed at which budgets are spent | warn 1, alarm 14.4
  Over an hour; at 1 a budget lasts for its 30 days. Over 14.4, or over 6 for six hours:
  PartnerBudgetBurnsFast. Over 3 for a day, or over 1 for three: PartnerBudgetBurns.
  > [{{slo}} of {{partner_service}} {{company_class}}] sum_over_time(partner:slo_bad:rate5m[1h]) /
    sum_over_time(partner:slo_events:rate5m[1h]) / on (namespace, partner_service, slo) group_left ()
    partner:slo_budget
# Are we fast?
timeline(s) From commit to delivered (p95) | warn 2, alarm 10
  Of deliveries that succeeded at the first attempt, from the transaction of the event to the record of the
  success, by the class of the company.
  > p95 by company_class of partner_webhook_delivery_seconds{attempt="first"}
timeline(s) Requests (p95) | warn 0.5, alarm 1
  Of partners and owners, by service.
  > p95 by partner_service of partner_http_request_duration_seconds
timeline(ops) Webhooks
  Attempts a second by outcome.
  > sum by (outcome) (rate(partner_webhook_attempts_recorded_total[5m]))
timeline(reqps) Requests by status
  Requests a second, by service and status.
  > sum by (partner_service, status_class) (rate(partner_http_request_duration_seconds_count[5m]))
# Are the services healthy?
stat(short) Ready replicas | warn below 1, alarm below 1 | width 12
  By service. A service that is not listed does not run.
  > sum by (partner_service) (partner_service_ready)
stat(percentunit) Broker connections | warn below 1, alarm below 0.5
  Share of connections to the broker that are up.
  > avg(partner_amqp_connection_up)
stat(short) Counting without Redis | warn 1
  Replicas that do not reach Redis.
  > sum(partner_rate_limiter_degraded)
timeline(short) Messages in queues
  Messages that wait in the broker.
  > max by (queue) (partner_queue_messages)
timeline(s) Event loop lag (p99) | warn 0.1, alarm 0.25
  Of the slowest replica of each service.
  > max by (partner_service) (nodejs_eventloop_lag_p99_seconds{partner_service!=""}) - 0.5
`,
};
