export const SERVICE_ALERTS = `
critical PartnerServiceDown 2m: No replica of $name runs
  Prometheus cannot read metrics from any replica of $name.
  > absent(process_start_time_seconds{$service})
  quiet at 20m: one of two replicas runs
    process_start_time_seconds{$service}: 1000x30
critical PartnerServiceNotReady 2m: No replica of $name is ready
  Replicas of $name are running, but none is ready: each is starting, has not reached a dependency, or is stopping.
  > max by (partner_service) (partner_service_ready{$service}) < 1
  > or absent(partner_service_ready{$service})
  fires at 10m {$service}: both replicas stop and do not come back
    partner_service_ready{$service}: 1x5 0x30 | 1x5 0x30
  quiet at 20m: one replica is ready
    partner_service_ready{$service}: 1x30 | 0x30
critical PartnerDependencyDown 2m: No replica of $name reaches a dependency
  No replica of $name can reach the dependency "{{ $labels.dependency }}".
  > max by (partner_service, dependency) (partner_service_dependency_available{$service}) < 1
  > or absent(partner_service_dependency_available{$service})
  fires at 10m {$service,dependency="d"}: both replicas lose the broker
    partner_service_dependency_available{$service,dependency="d"}: 1x5 0x30 | 1x5 0x30
  quiet at 20m: one replica reaches it
    partner_service_dependency_available{$service,dependency="d"}: 1x30 | 0x30
warning PartnerReplicaCutOff 10m: A replica of $name does not reach a dependency
  A replica of $name has not reached "{{ $labels.dependency }}" for 10 minutes. It stays ready and receives
  requests.
  > min by (partner_service, dependency) (partner_service_dependency_available{$service}) < 1
  fires at 20m {$service,dependency="d"}: the node of one of two replicas is cut off
    partner_service_dependency_available{$service,dependency="d"}: 1x30 | 1x5 0x30
  quiet at 20m: the broker restarts
    partner_service_dependency_available{$service,dependency="d"}: 1x5 0x3 1x20
warning PartnerReplicaNotReady 10m: A replica of $name is not becoming ready
  A replica of $name has not become ready in 10 minutes; the others handle its requests.
  > min by (partner_service) (partner_service_ready{$service}) < 1
  fires at 20m {$service}: one of two replicas hangs in its start
    partner_service_ready{$service}: 1x30 | 0x30
  quiet at 20m: a rollout takes three minutes
    partner_service_ready{$service}: 1x5 0x3 1x20
warning PartnerServiceRestarts 0m: $name restarts repeatedly
  Replicas of $name have been restarted at least three times in 30 minutes.
  > sum by (partner_service) (changes(process_start_time_seconds{$service}[30m])) >= 3
  fires at 20m {$service}: a replica crashes every five minutes
    process_start_time_seconds{$service}: 100x5 400x5 700x5 1000x10
  quiet at 20m: each of two replicas was restarted once
    process_start_time_seconds{$service}: 100x5 400x20 | 100x9 700x20
warning PartnerEventLoopSlow 5m: The event loop of $name is slow
  One in a hundred iterations of the event loop of a replica of $name starts more than 250 ms late.
  > max by (partner_service) (nodejs_eventloop_lag_p99_seconds{$service}) - 0.5 > 0.25
  > or absent(nodejs_eventloop_lag_p99_seconds{$service})
  fires at 10m {$service}: one of two replicas is busy
    nodejs_eventloop_lag_p99_seconds{$service}: 0.52x30 | 0.9x30
  quiet at 10m: a start takes a moment
    nodejs_eventloop_lag_p99_seconds{$service}: 1.4x2 0.52x30
warning PartnerBrokerConnectionDown 3m: $name does not reach the broker
  A replica of $name has had no connection "{{ $labels.connection }}" to the broker for 3 minutes.
  > min by (partner_service, connection) (partner_amqp_connection_up{$service}) < 1
  > or absent(partner_amqp_connection_up{$service})
  fires at 15m {$service,connection="c"}: one of two replicas is cut off
    partner_amqp_connection_up{$service,connection="c"}: 1x30 | 1x5 0x30
  quiet at 15m: the broker was restarted
    partner_amqp_connection_up{$service,connection="c"}: 1x5 0x2 1x30
critical PartnerBrokerBlocked 1m: The broker accepts nothing from $name
  The broker is short of memory or disk and reads nothing from the connection "{{ $labels.connection }}" of
  $name.
  > max by (partner_service, connection) (partner_amqp_connection_blocked{$service}) > 0
  > or absent(partner_amqp_connection_blocked{$service})
  fires at 10m {$service,connection="c"}: the disk of the broker is full
    partner_amqp_connection_blocked{$service,connection="c"}: 0x5 1x30
  quiet at 10m: it is well
    partner_amqp_connection_blocked{$service,connection="c"}: 0x30
warning PartnerChannelsMissing 5m: A channel of $name cannot be opened
  A channel of the connection "{{ $labels.connection }}" of $name has not opened within 5 minutes.
  > max by (partner_service, connection) (partner_amqp_channels_wanted{$service} -
      partner_amqp_channels_open{$service}) > 0
  > or absent(partner_amqp_channels_open{$service})
  fires at 10m {$service,connection="c"}: another program has declared a queue with other arguments
    partner_amqp_channels_wanted{$service,connection="c"}: 4x30
    partner_amqp_channels_open{$service,connection="c"}: 3x30
  quiet at 10m: all are open
    partner_amqp_channels_wanted{$service,connection="c"}: 4x30
    partner_amqp_channels_open{$service,connection="c"}: 4x5 3x2 4x30
`;

export const SURFACE_ALERTS = `
warning PartnerRpcUnavailable 5m: $name receives no responses from job-state
  More than 2 % of the calls of $name have ended without a response for 5 minutes: too late, or not sent at
  all.
  > sum by (partner_service)
      (increase(partner_rpc_client_seconds_count{$service,outcome="unavailable"}[5m]))
  >   / sum by (partner_service) (increase(partner_rpc_client_seconds_count{$service}[5m])) > 0.02
  > and sum by (partner_service)
      (increase(partner_rpc_client_seconds_count{$service,outcome="unavailable"}[5m])) > 5
  fires at 20m {$service}: every tenth call ends without a response
    partner_rpc_client_seconds_count{$service,method="m",outcome="ok"}: 0+90x30
    partner_rpc_client_seconds_count{$service,method="m",outcome="unavailable"}: 0+10x30
  quiet at 20m: job-state refuses calls for their content
    partner_rpc_client_seconds_count{$service,method="m",outcome="ok"}: 0+90x30
    partner_rpc_client_seconds_count{$service,method="m",outcome="not_found"}: 0+10x30
warning PartnerRateLimiterDegraded 2m: $name counts requests without Redis
  A replica of $name has counted requests locally for 2 minutes, since Redis does not respond.
  > max by (partner_service) (partner_rate_limiter_degraded{$service}) > 0
  > or absent(partner_rate_limiter_degraded{$service})
  fires at 10m {$service}: one of two replicas does not reach Redis
    partner_rate_limiter_degraded{$service}: 0x30 | 0x5 1x30
  quiet at 10m: Redis was restarted
    partner_rate_limiter_degraded{$service}: 0x5 1x1 0x30
`;

/** Messages of a service that publishes. Broadcasts of changes may be lost. */
export const PUBLISH_ALERTS = `
warning PartnerPublishFailures 2m: The broker does not accept messages of $name
  More than 10 publishes of $name to the exchange {{ $labels.exchange }} have failed within 10 minutes; each is
  retried.
  > sum by (partner_service, exchange)
      (increase(partner_publish_failures_total{$service,exchange!="partner.webhook-changes"}[10m])) > 10
  fires at 20m {$service,exchange="partner.commands"}: both replicas fail occasionally
    partner_publish_failures_total{$service,exchange="partner.commands",kind="k",instance="a"}: 0+1x30
    partner_publish_failures_total{$service,exchange="partner.commands",kind="k",instance="b"}: 0+1x30
  quiet at 20m: changes are not received, and there was a failure once
    partner_publish_failures_total{$service,exchange="partner.webhook-changes",kind="k",instance="a"}:
      0+9x30
    partner_publish_failures_total{$service,exchange="partner.commands",kind="k",instance="a"}: 4x30
`;

export const CONSOLE_ALERTS = `
critical PartnerSessionsUnavailable 2m: Owners cannot work in the console
  A replica of the console has not reached Redis for 2 minutes: it returns 503 to owners.
  > min(partner_console_session_redis_up) < 1
  > or absent(partner_console_session_redis_up)
  fires at 10m: one of two replicas does not reach Redis
    partner_console_session_redis_up: 1x30 | 1x5 0x30
  quiet at 10m: Redis was restarted
    partner_console_session_redis_up: 1x5 0x1 1x30
warning PartnerPasswordChecksQueue 2m: Sign-ins to the console queue up
  More than 10 password checks have been waiting at one replica for 2 minutes.
  > max(partner_console_password_checks{state="waiting"}) > 10
  > or absent(partner_console_password_checks{state="waiting"})
  fires at 10m: a flood of logins reaches one of two replicas
    partner_console_password_checks{state="waiting"}: 0x30 | 0x5 40x30
  quiet at 10m: a few wait
    partner_console_password_checks{state="waiting"}: 3x30
warning PartnerLoginsFail 0m: Many sign-ins to the console fail
  More than 100 sign-ins have been refused in 15 minutes: someone may be guessing passwords.
  > sum(increase(partner_console_logins_total{outcome=~"wrong|provider_refused|limited"}[15m])) > 100
  fires at 20m: someone guesses, through two replicas
    partner_console_logins_total{outcome="wrong",instance="a"}: 0+5x30
    partner_console_logins_total{outcome="limited",instance="b"}: 0+5x30
  quiet at 20m: many people sign in, and some mistype
    partner_console_logins_total{outcome="signed_in"}: 0+50x30
    partner_console_logins_total{outcome="wrong"}: 0+2x30
warning PartnerNotificationEmailsFail 0m: Owners receive no emails about failing webhooks
  In 30 minutes the mail server has accepted no notification email of the console, and attempts failed.
  > sum(increase(partner_notification_emails_total{outcome="failed"}[30m])) > 3
  > unless sum(increase(partner_notification_emails_total{outcome="sent"}[30m])) > 0
  fires at 30m: the mail server is down
    partner_notification_emails_total{outcome="failed"}: 0+1x6 6+1x30
  quiet at 30m: the mail server was restarted
    partner_notification_emails_total{outcome="failed"}: 0+1x5 5x30
    partner_notification_emails_total{outcome="sent"}: 3x5 4x30
`;

export const DISPATCHER_ALERTS = `
critical PartnerWayOutBroken 5m: Most endpoints cannot be reached
  More than half of all attempts cannot reach their endpoint or resolve its name: the cause is probably our
  network, not the endpoints.
  > sum(increase(partner_webhook_attempts_total{outcome=~"connection_failed|timed_out|tls_failed"}[10m]) or
      increase(partner_webhook_attempts_total{refusal="lookup_failed"}[10m]))
  >   / sum(increase(partner_webhook_attempts_total[10m])) > 0.5
  > and sum(increase(partner_webhook_attempts_total[10m])) > 50
  fires at 20m: egress is cut off
    partner_webhook_attempts_total{outcome="delivered",refusal=""}: 0+2x30
    partner_webhook_attempts_total{outcome="connection_failed",refusal="",instance="a"}: 0+5x30
    partner_webhook_attempts_total{outcome="endpoint_refused",refusal="lookup_failed",instance="b"}: 0+5x30
  fires at 20m: no name has ever resolved
    partner_webhook_attempts_total{outcome="endpoint_refused",refusal="lookup_failed"}: 0+10x30
  quiet at 20m: some endpoints are down, others refuse
    partner_webhook_attempts_total{outcome="delivered",refusal=""}: 0+20x30
    partner_webhook_attempts_total{outcome="connection_failed",refusal=""}: 0+5x30
    partner_webhook_attempts_total{outcome="rejected",refusal=""}: 0+20x30
warning PartnerResultsLost 0m: Results of attempts are lost
  The broker did not accept results within 15 minutes: subscribers receive these events again.
  > sum(increase(partner_webhook_results_lost_total[15m])) > 0
  > or absent(partner_webhook_results_lost_total)
  fires at 10m: one of two replicas loses results
    partner_webhook_results_lost_total: 0x30 | 0x5 3x30
  quiet at 40m: a replica was restarted, and has lost nothing since
    partner_webhook_results_lost_total: 7x20 0x30
critical PartnerSecretsUnreadable 1m: Signing secrets cannot be opened
  The dispatcher lacks the sealing key of some secrets: nothing is delivered to these subscriptions.
  > sum(increase(partner_webhook_commands_dropped_total{reason="secret_unreadable"}[10m])) > 0
  fires at 10m: a former key was removed too early
    partner_webhook_commands_dropped_total{reason="secret_unreadable"}: 0+4x30
  quiet at 15m: commands arrive late
    partner_webhook_commands_dropped_total{reason="too_late"}: 0+4x30
    partner_webhook_commands_dropped_total{reason="secret_unreadable"}: 2x30
warning PartnerCommandsDropped 5m: Commands to deliver are dropped
  More than 20 commands have been dropped in 15 minutes as {{ $labels.reason }}; each delivery is due again
  when its lease ends.
  > sum by (reason) (increase(partner_webhook_commands_dropped_total{reason=~"too_late|malformed"}[15m])) >
      20
  fires at 25m {reason="too_late"}: commands wait longer in the queue than their leases last
    partner_webhook_commands_dropped_total{reason="too_late"}: 0+2x40 | 0+2x40
  quiet at 25m: commands that were executed arrive again
    partner_webhook_commands_dropped_total{reason="already_reported"}: 0+50x40
critical PartnerClockSkewed 2m: The clock of a dispatcher is off
  The clock of a replica is {{ $labels.direction }} of the database: deliveries are late, repeated, or
  refused for their timestamp.
  > sum by (direction) (increase(partner_webhook_clock_skewed_total[15m])) > 0
  fires at 10m {direction="ahead"}: the clock of one replica runs ahead
    partner_webhook_clock_skewed_total{direction="ahead"}: 0+1x30 | 0x30
  fires at 25m {direction="behind"}: the first command that shows it arrives long after the start
    partner_webhook_clock_skewed_total{direction="behind"}: 0x20 1x30
  quiet at 50m: it was right again an hour ago
    partner_webhook_clock_skewed_total{direction="ahead"}: 5x60
`;
