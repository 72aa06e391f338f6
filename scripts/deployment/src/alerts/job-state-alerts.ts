/**
 * Alerts of job-state only: it inspects the database and all queues. Webhook deliveries that are late, slow, failing or lost;
 * messages that wait; its loops, retention, sealing keys and connection pool.
 */
export const JOB_STATE_ALERTS = `
critical PartnerDeliveriesLate 2m: Webhooks are late
  A delivery to an endpoint that works has been due for more than a minute, or the delay is unknown.
  > max(partner_webhook_oldest_due_seconds{endpoint_state="healthy"}) > 60
  > or absent(partner_webhook_oldest_due_seconds{endpoint_state="healthy"} >= 0)
  fires at 15m: nothing is released
    partner_webhook_oldest_due_seconds{endpoint_state="healthy"}: 0x5 0+60x30 | 0x5 0+60x30
  fires at 15m: no replica reaches the database
    partner_webhook_oldest_due_seconds{endpoint_state="healthy"}: 0x5 unknown
  quiet at 15m: one replica reaches it, and only failing or slow endpoints have a backlog
    partner_webhook_oldest_due_seconds{endpoint_state="healthy"}: 2x30 | unknown
    partner_webhook_oldest_due_seconds{endpoint_state="failing",instance="a"}: 9000x30
    partner_webhook_oldest_due_seconds{endpoint_state="busy",instance="a"}: 90x30
warning PartnerEndpointsBusy 10m: Webhooks wait for a free slot of their endpoint
  A delivery has been due for more than 10 minutes to an endpoint at capacity: its responses are slower than
  its events, or all services lack processor time.
  > max(partner_webhook_oldest_due_seconds{endpoint_state="busy"}) > 600
  fires at 30m: an endpoint accepts fewer events than occur
    partner_webhook_oldest_due_seconds{endpoint_state="busy"}: 0x5 0+60x40
  quiet at 30m: a backlog shrinks
    partner_webhook_oldest_due_seconds{endpoint_state="busy"}: 0x5 0+60x15 120x20
    partner_webhook_oldest_due_seconds{endpoint_state="healthy"}: 2x40
critical PartnerNothingDelivered 10m: No webhook arrives anywhere
  More than 10 attempts within an hour, and no endpoint accepted one.
  > sum(increase(partner_webhook_attempts_recorded_total{outcome="delivered"}[1h])) == 0
  > and sum(increase(partner_webhook_attempts_recorded_total[1h])) > 10
  fires at 90m: the way out is broken in a quiet installation
    partner_webhook_attempts_recorded_total{company_class="sales",outcome="delivered"}: 40x120
    partner_webhook_attempts_recorded_total{company_class="sales",outcome="timed_out",instance="a"}: 0x10
      0+1x110
    partner_webhook_attempts_recorded_total{company_class="installer",outcome="timed_out",instance="b"}:
      0x110
  quiet at 100m: one endpoint of several is down
    partner_webhook_attempts_recorded_total{company_class="sales",outcome="delivered"}: 0x60 1x60
    partner_webhook_attempts_recorded_total{company_class="sales",outcome="timed_out"}: 0+1x120
  quiet at 100m: there is hardly anything to deliver
    partner_webhook_attempts_recorded_total{company_class="sales",outcome="delivered"}: 0x120
    partner_webhook_attempts_recorded_total{company_class="sales",outcome="rejected"}: 0x60 0+1x5 5x60
warning PartnerDeliveriesFail 10m: Most attempts fail
  Fewer than half of the attempts to endpoints of companies of class {{ $labels.company_class }} succeed.
  > sum by (company_class) (increase(partner_webhook_attempts_recorded_total{outcome="delivered"}[30m]))
  >   / sum by (company_class) (increase(partner_webhook_attempts_recorded_total[30m])) < 0.5
  > and sum by (company_class) (increase(partner_webhook_attempts_recorded_total[30m])) > 50
  > or absent(partner_webhook_attempts_recorded_total)
  fires at 50m {company_class="sales"}: one of two replicas records failures alone
    partner_webhook_attempts_recorded_total{company_class="sales",outcome="delivered",instance="a"}: 0+2x60
    partner_webhook_attempts_recorded_total{company_class="sales",outcome="rejected",instance="b"}: 0+6x60
    partner_webhook_attempts_recorded_total{company_class="installer",outcome="delivered",instance="a"}:
      0+6x60
  quiet at 50m: a few attempts of a quiet night fail
    partner_webhook_attempts_recorded_total{company_class="sales",outcome="delivered"}: 0x60
    partner_webhook_attempts_recorded_total{company_class="sales",outcome="rejected"}: 0+1x60
warning PartnerDeadLetters 0m: Subscribers miss events
  More than 10 deliveries to companies of class {{ $labels.company_class }} have been given up within an
  hour, after 8 attempts each.
  > sum by (company_class) (increase(partner_webhook_dead_letters_total[1h])) > 10
  > or absent(partner_webhook_dead_letters_total)
  fires at 60m {company_class="sales"}: an endpoint has been down for two hours, and both replicas record it
    partner_webhook_dead_letters_total{company_class="sales"}: 0+1x90 | 0+1x90
    partner_webhook_dead_letters_total{company_class="installer",instance="a"}: 0x90
  quiet at 80m: there were some before a restart
    partner_webhook_dead_letters_total{company_class="sales"}: 500x40 0x50
warning PartnerLeasesExpire 5m: Attempts are lost
  The leases of more than 20 deliveries, and of 1 % of the attempts, have ended within 15 minutes without a
  result: commands or results get lost.
  > sum(increase(partner_webhook_lease_expiries_total[15m])) >
  >   20 + 0.01 * (sum(increase(partner_webhook_attempts_recorded_total[15m])) or vector(0))
  > or absent(partner_webhook_lease_expiries_total)
  fires at 30m: the dispatcher crashes repeatedly
    partner_webhook_lease_expiries_total: 0+2x40 | 0+2x40
  quiet at 20m: a dispatcher was killed once
    partner_webhook_lease_expiries_total: 0x10 150x30
    partner_webhook_attempts_recorded_total: 0+1500x40
warning PartnerEndpointsFailing 5m: Many endpoints have started to fail
  More than 10 endpoints have failed five times in a row within half an hour, or the number is unknown.
  > max(partner_webhook_failing_endpoints) - min(min_over_time(partner_webhook_failing_endpoints[30m])) > 10
  > or absent(partner_webhook_failing_endpoints >= 0)
  fires at 50m: thirty endpoints fail at once
    partner_webhook_failing_endpoints: 4x40 34x30
  quiet at 80m: the number of failing endpoints stays the same
    partner_webhook_failing_endpoints: 60x60 63x30
critical PartnerOutboxLate 2m: The platform receives no messages
  A message to the platform or the gateways has waited for the broker for more than 30 s, or the age is
  unknown.
  > max(partner_outbox_oldest_age_seconds) > 30
  > or absent(partner_outbox_oldest_age_seconds >= 0)
  fires at 15m: the broker confirms nothing
    partner_outbox_oldest_age_seconds: 0x5 0+60x30
  fires at 15m: no replica reaches the database
    partner_outbox_oldest_age_seconds: unknown | unknown
  quiet at 15m: messages are sent at once
    partner_outbox_oldest_age_seconds: 0x5 1x30
warning PartnerDeadLetterQueue 2m: A message was given up
  There are messages in the dead-letter queue {{ $labels.queue }} without a handler, or their number is
  unknown.
  > max by (queue) (partner_dead_letter_queue_messages) > 0
  > or absent(partner_dead_letter_queue_messages >= 0)
  fires at 15m {queue="q.dead"}: a message of the platform was malformed; both replicas report it
    partner_dead_letter_queue_messages{queue="q.dead"}: 0x5 1x30 | 0x5 1x30
    partner_dead_letter_queue_messages{queue="r.dead",instance="a"}: 0x35
  fires at 15m: the broker is down
    partner_dead_letter_queue_messages{queue="q.dead"}: unknown
  quiet at 15m: all are empty
    partner_dead_letter_queue_messages{queue="q.dead"}: 0x30
warning PartnerQueueBacklog 10m: A queue is not read fast enough
  More than 1,000 messages have waited in the queue {{ $labels.queue }} for 10 minutes.
  > max by (queue) (partner_queue_messages) > 1000
  > or absent(partner_queue_messages >= 0)
  fires at 30m {queue="platform.partner-events"}: the platform does not read its queue
    partner_queue_messages{queue="platform.partner-events"}: 0+300x40
    partner_queue_messages{queue="job-state.delivery-results"}: 3x40
  quiet at 20m: a burst is processed
    partner_queue_messages{queue="webhook-dispatcher.deliveries"}: 0x5 4000x4 10x30
critical PartnerQueueWithoutConsumer 2m: A queue has no consumer
  The queue {{ $labels.queue }} has had no consumer for 2 minutes.
  > max by (queue) (partner_queue_consumers{queue!="platform.partner-events"}) < 1
  > or absent(partner_queue_consumers >= 0)
  fires at 15m {queue="webhook-dispatcher.deliveries"}: the dispatcher does not run
    partner_queue_consumers{queue="webhook-dispatcher.deliveries"}: 2x5 0x30
    partner_queue_consumers{queue="job-state.installer-rpc"}: 2x40
  quiet at 15m: the platform does not listen
    partner_queue_consumers{queue="webhook-dispatcher.deliveries"}: 2x5 1x30
    partner_queue_consumers{queue="platform.partner-events"}: 0x40
warning PartnerPlatformMessagesWait 5m: A message of the platform waits for its job or company
  A message of the platform has waited for its job or company for more than an hour; after 24 h it is given
  up.
  > max(partner_platform_waiting_oldest_age_seconds) > 3600
  > or absent(partner_platform_waiting_oldest_age_seconds >= 0)
  fires at 80m: the message that creates a job never arrived
    partner_platform_waiting_oldest_age_seconds: 0+60x90
  quiet at 80m: messages arrive in the wrong order
    partner_platform_waiting_oldest_age_seconds: 0x20 30x10 0x90
critical PartnerLoopStopped 2m: A loop of job-state has stopped
  The loop {{ $labels.loop }} has had no successful run for 5 minutes, in any replica.
  > time() - max by (loop) (partner_loop_last_success_timestamp_seconds{loop!="retention"}) > 300
  > or absent(partner_loop_last_success_timestamp_seconds)
  fires at 15m {loop="outbox"}: the runs of a loop fail in both replicas
    partner_loop_last_success_timestamp_seconds{loop="outbox"}: 0+60x5 300x30 | 0+60x5 300x30
    partner_loop_last_success_timestamp_seconds{loop="deliveries",instance="a"}: 0+60x35
  fires at 15m {loop="outbox"}: a loop has never had a successful run
    partner_loop_last_success_timestamp_seconds{loop="outbox"}: 0x30
  quiet at 15m: it runs in one replica; the retention pauses for an hour
    partner_loop_last_success_timestamp_seconds{loop="outbox"}: 0x35 | 0+60x35
    partner_loop_last_success_timestamp_seconds{loop="retention",instance="b"}: 60x35
warning PartnerRetentionStopped 15m: Old data is not deleted
  No replica has had a successful run of the retention for 6 hours.
  > time() - max(partner_retention_last_success_timestamp_seconds) > 21600
  > or absent(partner_retention_last_success_timestamp_seconds)
  fires at 400m: its runs fail
    partner_retention_last_success_timestamp_seconds: 600x420
  quiet at 400m: the other replica did it
    partner_retention_last_success_timestamp_seconds: 0x420 | 0+60x420
critical PartnerOutboxKept 5m: Messages have waited for the broker for over a week
  A partition of the outbox that is a week old still has messages that the broker has not confirmed.
  > max(partner_retention_overdue_partitions{table="outbox"}) > 0
  fires at 15m: one is kept
    partner_retention_overdue_partitions{table="outbox"}: 0x5 1x30
  quiet at 15m: one of another table is kept
    partner_retention_overdue_partitions{table="outbox"}: 0x30
    partner_retention_overdue_partitions{table="events"}: 2x30
warning PartnerSecretsUnderFormerKeys 1h: Secrets are still sealed under a former key
  An hour after a new sealing key, secrets are still sealed under a former one: do not remove that one.
  > max(partner_webhook_secrets_under_former_keys) > 0
  > or absent(partner_webhook_secrets_under_former_keys >= 0)
  fires at 90m: a secret cannot be sealed again
    partner_webhook_secrets_under_former_keys: 0x5 9000x2 3x120
  quiet at 90m: all were sealed again within minutes
    partner_webhook_secrets_under_former_keys: 0x5 9000x2 4000x2 0x120
warning PartnerPostgresPoolFull 5m: job-state waits for connections to Postgres
  More than 5 % of the waits for a connection of the pool {{ $labels.pool }} have taken over half a second
  for 5 minutes.
  > sum by (pool) (increase(partner_postgres_connection_wait_seconds_bucket{le="0.5"}[5m])) / sum by (pool)
      (increase(partner_postgres_connection_wait_seconds_bucket{le="+Inf"}[5m])) < 0.95
  > or absent(partner_postgres_pool_max_connections)
  fires at 15m {pool="main"}: statements are slow
    partner_postgres_connection_wait_seconds_bucket{pool="main",le="0.5"}: 0+80x30
    partner_postgres_connection_wait_seconds_bucket{pool="main",le="+Inf"}: 0+100x30
    partner_postgres_connection_wait_seconds_bucket{pool="queue",le="0.5"}: 0+100x30
    partner_postgres_connection_wait_seconds_bucket{pool="queue",le="+Inf"}: 0+100x30
    partner_postgres_pool_max_connections{pool="main"}: 20x30
  quiet at 15m: connections are free
    partner_postgres_connection_wait_seconds_bucket{pool="main",le="0.5"}: 0+100x30
    partner_postgres_connection_wait_seconds_bucket{pool="main",le="+Inf"}: 0+100x30
    partner_postgres_pool_max_connections{pool="main"}: 20x30
warning PartnerSnapshotHeld 1m: A session of the database holds an old snapshot
  A transaction has held one snapshot for more than 5 minutes. Until it ends, dead rows stay, and everything gets
  slower. The line database.snapshot_held in the log of job-state names its session.
  > max(partner_database_snapshot_seconds) > 300
  fires at 8m: a transaction was forgotten
    partner_database_snapshot_seconds: 0+60x30
  quiet at 15m: transactions end
    partner_database_snapshot_seconds: 0 40 0 250 0x30
`;
