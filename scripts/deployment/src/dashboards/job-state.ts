import type { Dashboard } from './dashboard.js';
import { callPanels, counted, messagePanels, perSecond, processQuestion, quantile } from './panels.js';

const OF = 'partner_service="job-state"';

/** job-state: deliveries, outbox, platform, database, loops. */
export const JOB_STATE: Dashboard = {
  uid: 'partner-job-state',
  title: 'Partner: job-state',
  about: 'The only owner of the database: due deliveries, dead letters, and what delays them.',
  questions: [
    {
      question: 'Is a partner missing something?',
      panels: [
        {
          kind: 'stat',
          title: 'Oldest due, endpoints that work',
          about: 'Over 60 s: PartnerDeliveriesLate.',
          unit: 's',
          queries: [{ expr: 'max(partner_webhook_oldest_due_seconds{endpoint_state="healthy"})' }],
          warnAt: 15,
          alarmAt: 60,
        },
        {
          kind: 'stat',
          title: 'Oldest due, endpoints that fail',
          about:
            'They wait for a slot of their endpoint, or for one of the half that all failing endpoints share.',
          unit: 's',
          queries: [{ expr: 'max(partner_webhook_oldest_due_seconds{endpoint_state="failing"})' }],
        },
        {
          kind: 'stat',
          title: 'Endpoints that fail',
          about: 'Active subscriptions whose last five attempts, or more, failed.',
          unit: 'short',
          queries: [{ expr: 'max(partner_webhook_failing_endpoints)' }],
          warnAt: 1,
        },
        {
          kind: 'stat',
          title: 'Leases that expired in 1 h',
          about:
            'Deliveries whose attempt was lost on the way; they are attempted again. PartnerLeasesExpire.',
          unit: 'short',
          queries: [{ expr: counted('partner_webhook_lease_expiries_total', '1h') }],
          warnAt: 20,
        },
        {
          kind: 'stat',
          title: 'Oldest message to the platform',
          about: 'Over 30 s: PartnerOutboxLate.',
          unit: 's',
          queries: [{ expr: 'max(partner_outbox_oldest_age_seconds)' }],
          warnAt: 10,
          alarmAt: 30,
        },
        {
          kind: 'stat',
          title: 'Platform messages that wait',
          about: 'For the job or company that they build on.',
          unit: 'short',
          queries: [{ expr: 'max(partner_platform_waiting_messages)' }],
          warnAt: 1,
        },
        {
          kind: 'stat',
          title: 'The longest of them',
          about: 'Over 1 h: PartnerPlatformMessagesWait; at 24 h it is given up.',
          unit: 's',
          queries: [{ expr: 'max(partner_platform_waiting_oldest_age_seconds)' }],
          warnAt: 3_600,
          alarmAt: 43_200,
        },
        {
          kind: 'stat',
          title: 'Messages in dead-letter queues',
          about: 'PartnerDeadLetterQueue; scripts/partnerctl dead-letters list.',
          unit: 'short',
          queries: [{ expr: 'max by (queue) (partner_dead_letter_queue_messages)', legend: '{{queue}}' }],
          warnAt: 1,
        },
        {
          kind: 'timeline',
          title: 'Attempts by outcome',
          about: 'Recorded attempts a second.',
          unit: 'ops',
          queries: [
            {
              expr: perSecond('partner_webhook_attempts_recorded_total', {
                by: ['company_class', 'outcome'],
              }),
              legend: '{{company_class}} {{outcome}}',
            },
          ],
        },
        {
          kind: 'timeline',
          title: 'Deliveries that were given up',
          about: 'In an hour, by the class of the company.',
          unit: 'short',
          queries: [
            {
              expr: counted('partner_webhook_dead_letters_total', '1h', { by: ['company_class'] }),
              legend: '{{company_class}}',
            },
          ],
        },
        {
          kind: 'timeline',
          title: 'Messages of the platform',
          about: 'A second, by what they did.',
          unit: 'ops',
          queries: [
            { expr: perSecond('partner_platform_messages_total', { by: ['result'] }), legend: '{{result}}' },
          ],
        },
        {
          kind: 'timeline',
          title: 'Outbox',
          about: 'Messages a second that were given to the broker, by result.',
          unit: 'ops',
          queries: [
            { expr: perSecond('partner_outbox_messages_total', { by: ['result'] }), legend: '{{result}}' },
          ],
        },
      ],
    },
    {
      question: 'Are we fast?',
      panels: [
        {
          kind: 'timeline',
          title: 'From commit to delivered, at the first attempt',
          about: 'From the transaction of the event to the record that it was delivered.',
          unit: 's',
          queries: [0.5, 0.95, 0.99].map((q) => ({
            expr: quantile(q, 'partner_webhook_delivery_seconds', { where: 'attempt="first"' }),
            legend: `p${q * 100}`,
          })),
          warnAt: 2,
          alarmAt: 10,
        },
        {
          kind: 'timeline',
          title: 'From commit to delivered, by class (p95)',
          about: 'With later attempts apart: those waited for a retry.',
          unit: 's',
          queries: [
            {
              expr: quantile(0.95, 'partner_webhook_delivery_seconds', { by: ['company_class', 'attempt'] }),
              legend: '{{company_class}}, {{attempt}} attempt',
            },
          ],
        },
        {
          kind: 'timeline',
          title: 'Response times of calls (p95)',
          about: 'From the receipt of a request to its response, by method.',
          unit: 's',
          queries: [
            {
              expr: quantile(0.95, 'partner_rpc_server_seconds', { where: OF, by: ['method'] }),
              legend: '{{method}}',
            },
          ],
          warnAt: 0.25,
          alarmAt: 1,
        },
        {
          kind: 'timeline',
          title: 'Calls without a response',
          about: 'A second, by why.',
          unit: 'ops',
          queries: [
            {
              expr: perSecond('partner_rpc_server_dropped_total', { where: OF, by: ['cause'] }),
              legend: '{{cause}}',
            },
          ],
        },
        {
          kind: 'timeline',
          title: 'Wait for a connection to Postgres (p95)',
          about: 'By pool. PartnerPostgresPoolFull.',
          unit: 's',
          queries: [
            {
              expr: quantile(0.95, 'partner_postgres_connection_wait_seconds', { by: ['pool'] }),
              legend: '{{pool}}',
            },
          ],
          warnAt: 0.1,
          alarmAt: 0.5,
        },
        {
          kind: 'timeline',
          title: 'Deliveries released at once (p95)',
          about: 'More at once: there is a backlog.',
          unit: 'short',
          queries: [{ expr: quantile(0.95, 'partner_webhook_release_batch_size') }],
        },
        ...callPanels('job-state'),
        ...messagePanels('job-state'),
      ],
    },
    {
      question: 'Does the work in the background go on?',
      panels: [
        {
          kind: 'timeline',
          title: 'Since the last success of each loop',
          about: 'In whichever replica. Over 5 minutes: PartnerLoopStopped; the retention runs once an hour.',
          unit: 's',
          queries: [
            {
              expr: 'time() - max by (loop) (partner_loop_last_success_timestamp_seconds)',
              legend: '{{loop}}',
            },
          ],
        },
        {
          kind: 'timeline',
          title: 'Runs that failed',
          about: 'In 5 minutes. The log says <loop>.failing and why.',
          unit: 'short',
          queries: [
            { expr: counted('partner_loop_failures_total', '5m', { by: ['loop'] }), legend: '{{loop}}' },
          ],
        },
        {
          kind: 'timeline',
          title: 'Deliveries that could not be released',
          about: 'In 5 minutes: the broker did not take them; they are due again.',
          unit: 'short',
          queries: [{ expr: counted('partner_webhook_failed_releases_total', '5m') }],
        },
        {
          kind: 'timeline',
          title: 'Age of the oldest data',
          about: 'By table, as of the last run of the retention.',
          unit: 's',
          queries: [{ expr: 'max by (table) (partner_retention_oldest_seconds)', legend: '{{table}}' }],
        },
        {
          kind: 'stat',
          title: 'Last retention',
          about: 'Over 6 h ago: PartnerRetentionStopped.',
          unit: 'dateTimeFromNow',
          queries: [{ expr: 'max(partner_retention_last_success_timestamp_seconds) * 1000' }],
        },
        {
          kind: 'stat',
          title: 'Partitions that are kept',
          about: 'Past their time and still needed. Of the outbox: PartnerOutboxKept.',
          unit: 'short',
          queries: [
            { expr: 'max by (table) (partner_retention_overdue_partitions) > 0', legend: '{{table}}' },
          ],
          warnAt: 1,
        },
        {
          kind: 'stat',
          title: 'Rows deleted in 24 h',
          about: 'For their age.',
          unit: 'short',
          queries: [{ expr: counted('partner_retention_purged_rows_total', '24h') }],
        },
        {
          kind: 'stat',
          title: 'Secrets under former keys',
          about: 'While there are any, a former sealing key must not be taken out.',
          unit: 'short',
          queries: [{ expr: 'max(partner_webhook_secrets_under_former_keys)' }],
          warnAt: 1,
        },
      ],
    },
    {
      question: 'Do database and broker keep up?',
      panels: [
        {
          kind: 'timeline',
          title: 'Postgres: connections in use',
          about: 'By pool, of all replicas.',
          unit: 'short',
          queries: [
            {
              expr: 'sum by (pool) (partner_postgres_pool_connections - partner_postgres_pool_idle_connections)',
              legend: '{{pool}} in use',
            },
            { expr: 'sum by (pool) (partner_postgres_pool_max_connections)', legend: '{{pool}} at most' },
          ],
        },
        {
          kind: 'timeline',
          title: 'Postgres: who waits for a connection',
          about: 'By pool.',
          unit: 'short',
          queries: [{ expr: 'sum by (pool) (partner_postgres_pool_waiting)', legend: '{{pool}}' }],
        },
        {
          kind: 'timeline',
          title: 'Messages in queues',
          about: 'Over 1,000 for 10 minutes: PartnerQueueBacklog.',
          unit: 'short',
          queries: [{ expr: 'max by (queue) (partner_queue_messages)', legend: '{{queue}}' }],
          alarmAt: 1_000,
        },
        {
          kind: 'timeline',
          title: 'Consumers of queues',
          about: 'None: PartnerQueueWithoutConsumer.',
          unit: 'short',
          queries: [{ expr: 'max by (queue) (partner_queue_consumers)', legend: '{{queue}}' }],
        },
      ],
    },
    processQuestion('job-state'),
  ],
};
