import type { Dashboard } from './dashboard.js';

const CALLS = `timeline(s) Calls by method (p95) | warn 0.5, alarm 2
  Time of calls over the broker, failed ones included.
  > p95 by method of partner_rpc_client_seconds{$service}
timeline(short) Calls without a response
  Calls a second whose deadline passed, or that were not sent because the broker is down.
  PartnerRpcUnavailable.
  > [too late: {{method}}] sum by (method) (rate(partner_rpc_client_timeouts_total{$service}[5m]))
  > [no response, in all] sum(rate(partner_rpc_client_seconds_count{$service,outcome="unavailable"}[5m]))
timeline(short) Calls in flight | warn 100, alarm 200
  Calls that wait for a response; at most 200 for each replica and queue.
  > sum by (queue) (partner_rpc_client_in_flight{$service})`;

const MESSAGES = `timeline(s) Confirms of the broker (p95) | warn 0.5, alarm 2
  From publish to confirm, by exchange.
  > p95 by exchange of partner_publish_confirm_seconds{$service}
timeline(short) Messages that were not published
  Publishes a second that failed, by exchange and kind. They are retried.
  > sum by (exchange, kind) (rate(partner_publish_failures_total{$service}[5m]))
timeline(short) Messages by outcome
  Consumed messages a second by queue and outcome; dead ones are in the queue’s dead-letter queue.
  > sum by (queue, outcome) (rate(partner_consumer_outcomes_total{$service}[5m]))
timeline(s) Time of a message (p95)
  Time in the handler, by queue.
  > p95 by queue of partner_consumer_seconds{$service}`;

const PROCESSES = `
# Are the services healthy?
stat(short) Ready replicas | warn below 1, alarm below 1
  Replicas whose /readyz returns 200. None: PartnerServiceNotReady.
  > sum(partner_service_ready{$service})
stat(dateTimeFromNow) Started
  Start of the youngest replica.
  > max(process_start_time_seconds{$service}) * 1000
stat(short) Channels that are missing | warn 1
  Channels to the broker that are wanted and not open.
  > sum(partner_amqp_channels_wanted{$service}) - sum(partner_amqp_channels_open{$service})
stat(short) Blocked connections | alarm 1
  Connections that the broker does not read from, because it is short of memory or disk.
  > sum(partner_amqp_connection_blocked{$service})
timeline(short) Conditions of being ready
  1 where a condition is true at all replicas, by its name in /readyz.
  > min by (check) (partner_service_readiness_check{$service})
timeline(short) Dependencies
  1 where all replicas reach a dependency. A loss leaves them ready. At none: PartnerDependencyDown.
  > min by (dependency) (partner_service_dependency_available{$service})
timeline(s) Event loop lag | warn 0.1, alarm 0.25
  Delay of iterations of the event loop, at the slowest replica. Over 250 ms: PartnerEventLoopSlow.
  > [p50] max(nodejs_eventloop_lag_p50_seconds{$service}) - 0.5
  > [p99] max(nodejs_eventloop_lag_p99_seconds{$service}) - 0.5
timeline(short) Processor
  Processors that each replica keeps busy.
  > [{{instance}}] rate(process_cpu_seconds_total{$service}[5m])
timeline(bytes) Memory
  Resident memory of each replica.
  > [{{instance}}] process_resident_memory_bytes{$service}
timeline(short) Broker: connections
  1 while all replicas have the connection.
  > min by (connection) (partner_amqp_connection_up{$service})
timeline(short) Broker: losses and failures
  Connections that were lost or failed, and channels that were reopened, in five minutes.
  > [lost] sum(increase(partner_amqp_connection_losses_total{$service}[5m]))
  > [not made] sum(increase(partner_amqp_connect_failures_total{$service}[5m]))
  > [channel {{channel}} reopened] sum by (channel)
    (increase(partner_amqp_channel_rebuilds_total{$service}[5m]))`;

const HTTP = `
# Is a partner missing something?
stat(percentunit) Failed requests | warn 0.005, alarm 0.02
  Share of requests of the last 5 minutes that returned 5xx. Many use up the error budget:
  PartnerBudgetBurnsFast.
  > (sum(increase(partner_http_request_duration_seconds_count{$service,status_class="5xx"}[5m])) or
    vector(0)) / sum(increase(partner_http_request_duration_seconds_count{$service}[5m]))
stat(short) Refused because of a limit
  Requests of the last hour that received 429.
  > sum(increase(partner_rate_limit_decisions_total{$service,outcome="refused"}[1h]))
stat(short) Counting without Redis | warn 1
  Replicas that count requests locally. PartnerRateLimiterDegraded.
  > sum(partner_rate_limiter_degraded{$service})
stat(short) Given up by clients
  Requests of the last hour whose client left before the response was sent.
  > sum(increase(partner_http_request_duration_seconds_count{$service,status_class="aborted"}[1h]))
timeline(reqps) Requests by status
  Requests a second.
  > sum by (status_class) (rate(partner_http_request_duration_seconds_count{$service}[5m]))
timeline(percentunit) Success by class of company | warn below 0.99, alarm below 0.98
  Share of requests that did not return 5xx, by the class of the calling company.
  > 1 - ((sum by (company_class)
    (rate(partner_http_company_class_request_duration_seconds_count{$service,status_class="5xx"}[5m]))) or 0
    * sum by (company_class)
    (rate(partner_http_company_class_request_duration_seconds_count{$service}[5m]))) / sum by
    (company_class) (rate(partner_http_company_class_request_duration_seconds_count{$service}[5m]))
# Are we fast?
timeline(s) Requests (p50, p95, p99) | warn 0.5, alarm 1
  From the first byte of a request to the last of its response; streams are excluded.
  > p50 p95 p99 of partner_http_request_duration_seconds{$service}
timeline(s) By class of company (p95) | warn 0.5, alarm 1
  As on the left, by the class of the calling company.
  > p95 by company_class of partner_http_company_class_request_duration_seconds{$service}
timeline(s) By endpoint (p95)
  By path pattern and method.
  > p95 by method, route of partner_http_request_duration_seconds{$service}
${CALLS}`;

export const JOB_STATE: Dashboard = {
  uid: 'partner-job-state',
  title: 'Partner: job-state',
  about: 'The only owner of the database: due deliveries, dead letters, and what delays them.',
  service: 'job-state',
  panels: `
# Is a partner missing something?
stat(s) Oldest due, endpoints that work | warn 15, alarm 60
  Over 60 s: PartnerDeliveriesLate.
  > max(partner_webhook_oldest_due_seconds{endpoint_state="healthy"})
stat(s) Oldest due, endpoints that fail
  They wait for a slot of their endpoint, or for one of the half that all failing endpoints share.
  > max(partner_webhook_oldest_due_seconds{endpoint_state="failing"})
stat(short) Endpoints that fail | warn 1
  Active subscriptions whose last five or more attempts failed.
  > max(partner_webhook_failing_endpoints)
stat(short) Leases that expired in 1 h | warn 20
  Deliveries whose attempt was lost; they are attempted again. PartnerLeasesExpire.
  > sum(increase(partner_webhook_lease_expiries_total[1h]))
stat(s) Oldest message to the platform | warn 10, alarm 30
  Over 30 s: PartnerOutboxLate.
  > max(partner_outbox_oldest_age_seconds)
stat(short) Platform messages that wait | warn 1
  For the job or company that they refer to.
  > max(partner_platform_waiting_messages)
stat(s) The longest wait | warn 3600, alarm 43200
  Over 1 h: PartnerPlatformMessagesWait; at 24 h it is given up.
  > max(partner_platform_waiting_oldest_age_seconds)
stat(short) Messages in dead-letter queues | warn 1
  PartnerDeadLetterQueue; scripts/partnerctl dead-letters list.
  > max by (queue) (partner_dead_letter_queue_messages)
timeline(ops) Attempts by outcome
  Recorded attempts a second.
  > sum by (company_class, outcome) (rate(partner_webhook_attempts_recorded_total[5m]))
timeline(short) Deliveries that were given up
  In an hour, by the class of the company.
  > sum by (company_class) (increase(partner_webhook_dead_letters_total[1h]))
timeline(ops) Messages of the platform
  A second, by effect.
  > sum by (result) (rate(partner_platform_messages_total[5m]))
timeline(ops) Outbox
  Messages a second that were published to the broker, by result.
  > sum by (result) (rate(partner_outbox_messages_total[5m]))
# Are we fast?
timeline(s) From commit to delivered, at the first attempt | warn 2, alarm 10
  From the transaction of the event to the record that it was delivered.
  > p50 p95 p99 of partner_webhook_delivery_seconds{attempt="first"}
timeline(s) From commit to delivered, by class (p95)
  With later attempts apart: those waited for a retry.
  > [{{company_class}}, {{attempt}} attempt] p95 by company_class, attempt of partner_webhook_delivery_seconds
timeline(s) Response times of calls (p95) | warn 0.25, alarm 1
  From the receipt of a request to its response, by method.
  > p95 by method of partner_rpc_server_seconds{$service}
timeline(ops) Calls without a response
  A second, by reason.
  > sum by (cause) (rate(partner_rpc_server_dropped_total{$service}[5m]))
timeline(s) Wait for a connection to Postgres (p95) | warn 0.1, alarm 0.5
  By pool. PartnerPostgresPoolFull.
  > p95 by pool of partner_postgres_connection_wait_seconds
timeline(short) Deliveries released at once (p95)
  More at once: there is a backlog.
  > p95 of partner_webhook_release_batch_size
${CALLS}
${MESSAGES}
# Does the background work run?
timeline(s) Since the last success of each loop
  In any replica. Over 5 minutes: PartnerLoopStopped; the retention runs once an hour.
  > time() - max by (loop) (partner_loop_last_success_timestamp_seconds)
timeline(short) Runs that failed
  In 5 minutes. The log says <loop>.failing and why.
  > sum by (loop) (increase(partner_loop_failures_total[5m]))
timeline(short) Deliveries that could not be released
  In 5 minutes: the broker did not accept them; they are due again.
  > sum(increase(partner_webhook_failed_releases_total[5m]))
timeline(s) Age of the oldest data
  By table, at the last run of the retention.
  > max by (table) (partner_retention_oldest_seconds)
stat(dateTimeFromNow) Last retention
  Over 6 h ago: PartnerRetentionStopped.
  > max(partner_retention_last_success_timestamp_seconds) * 1000
stat(short) Partitions that are kept | warn 1
  Past their time and still needed. Of the outbox: PartnerOutboxKept.
  > max by (table) (partner_retention_overdue_partitions) > 0
stat(short) Rows deleted in 24 h
  Because of their age.
  > sum(increase(partner_retention_purged_rows_total[24h]))
stat(short) Secrets under former keys | warn 1
  While there are any, do not remove a former sealing key.
  > max(partner_webhook_secrets_under_former_keys)
# Do database and broker keep up?
timeline(short) Postgres: connections in use
  By pool, of all replicas.
  > [{{pool}} in use] sum by (pool) (partner_postgres_pool_connections -
    partner_postgres_pool_idle_connections)
  > [{{pool}} at most] sum by (pool) (partner_postgres_pool_max_connections)
timeline(short) Postgres: waits for a connection
  By pool.
  > sum by (pool) (partner_postgres_pool_waiting)
timeline(short) Postgres: oldest snapshot in seconds | alarm 300
  Over 5 minutes: PartnerSnapshotHeld.
  > max(partner_database_snapshot_seconds)
timeline(short) Messages in queues | alarm 1000
  Over 1,000 for 10 minutes: PartnerQueueBacklog.
  > max by (queue) (partner_queue_messages)
timeline(short) Consumers of queues
  None: PartnerQueueWithoutConsumer.
  > max by (queue) (partner_queue_consumers)
${PROCESSES}
`,
};

export const WEBHOOK_DISPATCHER: Dashboard = {
  uid: 'partner-webhook-dispatcher',
  title: 'Partner: webhook-dispatcher',
  about: 'Signs and POSTs: outcomes of attempts, and whether the outbound network works.',
  service: 'webhook-dispatcher',
  panels: `
# Is a partner missing something?
stat(percentunit) Attempts that succeed | warn below 0.9, alarm below 0.5
  Of the last 10 minutes.
  > sum(increase(partner_webhook_attempts_total{outcome="delivered"}[10m])) /
    sum(increase(partner_webhook_attempts_total[10m]))
stat(short) Results that were lost in 24 h | warn 1
  These subscribers received an event again. PartnerResultsLost.
  > sum(increase(partner_webhook_results_lost_total[24h]))
stat(short) Secrets that cannot be opened, 1 h | alarm 1
  Nothing is delivered to these subscriptions. PartnerSecretsUnreadable.
  > sum(increase(partner_webhook_commands_dropped_total{reason="secret_unreadable"}[1h])) or vector(0)
stat(short) Clock is off, 1 h | alarm 1
  Commands whose lease shows that the clock of a replica is off. PartnerClockSkewed.
  > sum(increase(partner_webhook_clock_skewed_total[1h])) or vector(0)
timeline(ops) Attempts by outcome
  A second. Many that reach no endpoint at once: PartnerWayOutBroken.
  > sum by (outcome) (rate(partner_webhook_attempts_total[5m]))
timeline(ops) Endpoints that the guard refused
  Attempts a second, by reason. lookup_failed: their name does not resolve.
  > sum by (refusal) (rate(partner_webhook_attempts_total{refusal!=""}[5m]))
timeline(short) Commands that were not executed
  In 5 minutes, by reason.
  > sum by (reason) (increase(partner_webhook_commands_dropped_total[5m]))
timeline(short) Commands in the queue
  That no replica has received yet.
  > max(partner_queue_messages{queue="webhook-dispatcher.deliveries"})
# Are we fast?
timeline(s) Time of an attempt
  From the lookup of the name to the end of the response: mostly the time of the endpoints.
  > p50 p95 p99 of partner_webhook_attempt_seconds
timeline(short) Attempts in flight | warn 400, alarm 500
  By replica; at most DELIVERY_CONCURRENCY (500).
  > [{{instance}}] partner_webhook_attempts_in_flight
${MESSAGES}
${PROCESSES}
`,
};

const gateway = (service: 'inbound-gateway' | 'installer-gateway', about: string): Dashboard => ({
  uid: `partner-${service}`,
  title: `Partner: ${service}`,
  ...{ about, service },
  panels: `
${HTTP}
# Who is authenticated?
timeline(ops) Checks of API keys by outcome
  Requests a second. Many refused at once: a key was revoked, or an attacker tries keys.
  > sum by (outcome) (rate(partner_key_authentications_total{$service}[5m]))
timeline(ops) Limits
  Requests a second that count toward a limit, by outcome and by whether Redis counted them.
  > [{{outcome}}, {{counted}}] sum by (outcome, counted)
    (rate(partner_rate_limit_decisions_total{$service}[5m]))
${PROCESSES}
`,
});

export const INBOUND_GATEWAY = gateway(
  'inbound-gateway',
  'Submissions of selling companies: leads, appointments, jobs and their notes.',
);

export const INSTALLER_GATEWAY = gateway(
  'installer-gateway',
  'Reads and reports of installers: change feed, jobs, status, schedules.',
);

export const CONSOLE: Dashboard = {
  uid: 'partner-console',
  title: 'Partner: console',
  about: 'The owners’ web app and its API.',
  service: 'console',
  panels: `
${HTTP}
# Can owners sign in?
stat(short) Streams of changes
  Pages of owners that are kept up to date.
  > sum(partner_console_change_streams)
stat(short) Sign-ins that wait | warn 5, alarm 10
  Password checks that are queued. Over 10: PartnerPasswordChecksQueue.
  > sum(partner_console_password_checks{state="waiting"})
stat(short) Refused because of the queue, 1 h | warn 1
  Sign-ins that received 503 because too many waited.
  > sum(increase(partner_console_password_checks_refused_total[1h]))
stat(s) Password check (p95) | warn 0.25, alarm 1
  Slow on purpose, some tens of milliseconds.
  > p95 of partner_console_password_check_seconds
timeline(short) Sign-ins by outcome | width 24
  In 5 minutes. Many that fail: PartnerLoginsFail.
  > sum by (outcome) (increase(partner_console_logins_total[5m]))
${PROCESSES}
`,
};
