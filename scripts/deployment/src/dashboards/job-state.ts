import { type Dashboard, stat, timeline } from './dashboard.js';
import {
  callPanels,
  counted,
  messagePanels,
  perSecond,
  processQuestion,
  quantile,
  quantiles,
} from './panels.js';

const OF = 'partner_service="job-state"';

export const JOB_STATE: Dashboard = {
  uid: 'partner-job-state',
  title: 'Partner: job-state',
  about: 'The only owner of the database: due deliveries, dead letters, and what delays them.',
  questions: {
    'Is a partner missing something?': [
      stat('Oldest due, endpoints that work', 's', {
        about: 'Over 60 s: PartnerDeliveriesLate.',
        query: 'max(partner_webhook_oldest_due_seconds{endpoint_state="healthy"})',
        limits: { warn: 15, alarm: 60 },
      }),
      stat('Oldest due, endpoints that fail', 's', {
        about:
          'They wait for a slot of their endpoint, or for one of the half that all failing endpoints share.',
        query: 'max(partner_webhook_oldest_due_seconds{endpoint_state="failing"})',
      }),
      stat('Endpoints that fail', 'short', {
        about: 'Active subscriptions whose last five attempts, or more, failed.',
        query: 'max(partner_webhook_failing_endpoints)',
        limits: { warn: 1 },
      }),
      stat('Leases that expired in 1 h', 'short', {
        about: 'Deliveries whose attempt was lost; they are attempted again. PartnerLeasesExpire.',
        query: counted('partner_webhook_lease_expiries_total', '1h'),
        limits: { warn: 20 },
      }),
      stat('Oldest message to the platform', 's', {
        about: 'Over 30 s: PartnerOutboxLate.',
        query: 'max(partner_outbox_oldest_age_seconds)',
        limits: { warn: 10, alarm: 30 },
      }),
      stat('Platform messages that wait', 'short', {
        about: 'For the job or company that they refer to.',
        query: 'max(partner_platform_waiting_messages)',
        limits: { warn: 1 },
      }),
      stat('The longest wait', 's', {
        about: 'Over 1 h: PartnerPlatformMessagesWait; at 24 h it is given up.',
        query: 'max(partner_platform_waiting_oldest_age_seconds)',
        limits: { warn: 3_600, alarm: 43_200 },
      }),
      stat('Messages in dead-letter queues', 'short', {
        about: 'PartnerDeadLetterQueue; scripts/partnerctl dead-letters list.',
        query: 'max by (queue) (partner_dead_letter_queue_messages)',
        limits: { warn: 1 },
      }),
      timeline('Attempts by outcome', 'ops', {
        about: 'Recorded attempts a second.',
        query: perSecond('partner_webhook_attempts_recorded_total', {
          by: ['company_class', 'outcome'],
        }),
      }),
      timeline('Deliveries that were given up', 'short', {
        about: 'In an hour, by the class of the company.',
        query: counted('partner_webhook_dead_letters_total', '1h', { by: ['company_class'] }),
      }),
      timeline('Messages of the platform', 'ops', {
        about: 'A second, by effect.',
        query: perSecond('partner_platform_messages_total', { by: ['result'] }),
      }),
      timeline('Outbox', 'ops', {
        about: 'Messages a second that were published to the broker, by result.',
        query: perSecond('partner_outbox_messages_total', { by: ['result'] }),
      }),
    ],
    'Are we fast?': [
      timeline('From commit to delivered, at the first attempt', 's', {
        about: 'From the transaction of the event to the record that it was delivered.',
        query: quantiles('partner_webhook_delivery_seconds', { where: 'attempt="first"' }),
        limits: { warn: 2, alarm: 10 },
      }),
      timeline('From commit to delivered, by class (p95)', 's', {
        about: 'With later attempts apart: those waited for a retry.',
        query: {
          expr: quantile(0.95, 'partner_webhook_delivery_seconds', { by: ['company_class', 'attempt'] }),
          legend: '{{company_class}}, {{attempt}} attempt',
        },
      }),
      timeline('Response times of calls (p95)', 's', {
        about: 'From the receipt of a request to its response, by method.',
        query: quantile(0.95, 'partner_rpc_server_seconds', { where: OF, by: ['method'] }),
        limits: { warn: 0.25, alarm: 1 },
      }),
      timeline('Calls without a response', 'ops', {
        about: 'A second, by why.',
        query: perSecond('partner_rpc_server_dropped_total', { where: OF, by: ['cause'] }),
      }),
      timeline('Wait for a connection to Postgres (p95)', 's', {
        about: 'By pool. PartnerPostgresPoolFull.',
        query: quantile(0.95, 'partner_postgres_connection_wait_seconds', { by: ['pool'] }),
        limits: { warn: 0.1, alarm: 0.5 },
      }),
      timeline('Deliveries released at once (p95)', 'short', {
        about: 'More at once: there is a backlog.',
        query: quantile(0.95, 'partner_webhook_release_batch_size'),
      }),
      ...callPanels('job-state'),
      ...messagePanels('job-state'),
    ],
    'Does the background work run?': [
      timeline('Since the last success of each loop', 's', {
        about: 'In any replica. Over 5 minutes: PartnerLoopStopped; the retention runs once an hour.',
        query: 'time() - max by (loop) (partner_loop_last_success_timestamp_seconds)',
      }),
      timeline('Runs that failed', 'short', {
        about: 'In 5 minutes. The log says <loop>.failing and why.',
        query: counted('partner_loop_failures_total', '5m', { by: ['loop'] }),
      }),
      timeline('Deliveries that could not be released', 'short', {
        about: 'In 5 minutes: the broker did not accept them; they are due again.',
        query: counted('partner_webhook_failed_releases_total', '5m'),
      }),
      timeline('Age of the oldest data', 's', {
        about: 'By table, at the last run of the retention.',
        query: 'max by (table) (partner_retention_oldest_seconds)',
      }),
      stat('Last retention', 'dateTimeFromNow', {
        about: 'Over 6 h ago: PartnerRetentionStopped.',
        query: 'max(partner_retention_last_success_timestamp_seconds) * 1000',
      }),
      stat('Partitions that are kept', 'short', {
        about: 'Past their time and still needed. Of the outbox: PartnerOutboxKept.',
        query: 'max by (table) (partner_retention_overdue_partitions) > 0',
        limits: { warn: 1 },
      }),
      stat('Rows deleted in 24 h', 'short', {
        about: 'Because of their age.',
        query: counted('partner_retention_purged_rows_total', '24h'),
      }),
      stat('Secrets under former keys', 'short', {
        about: 'While there are any, do not remove a former sealing key.',
        query: 'max(partner_webhook_secrets_under_former_keys)',
        limits: { warn: 1 },
      }),
    ],
    'Do database and broker keep up?': [
      timeline('Postgres: connections in use', 'short', {
        about: 'By pool, of all replicas.',
        query: [
          {
            expr: 'sum by (pool) (partner_postgres_pool_connections - partner_postgres_pool_idle_connections)',
            legend: '{{pool}} in use',
          },
          { expr: 'sum by (pool) (partner_postgres_pool_max_connections)', legend: '{{pool}} at most' },
        ],
      }),
      timeline('Postgres: waits for a connection', 'short', {
        about: 'By pool.',
        query: 'sum by (pool) (partner_postgres_pool_waiting)',
      }),
      timeline('Messages in queues', 'short', {
        about: 'Over 1,000 for 10 minutes: PartnerQueueBacklog.',
        query: 'max by (queue) (partner_queue_messages)',
        limits: { alarm: 1_000 },
      }),
      timeline('Consumers of queues', 'short', {
        about: 'None: PartnerQueueWithoutConsumer.',
        query: 'max by (queue) (partner_queue_consumers)',
      }),
    ],
    ...processQuestion('job-state'),
  },
};
