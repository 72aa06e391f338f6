import { createClient } from '@connectrpc/connect';
import {
  AccessService,
  AuthenticationService,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { AuditService } from '@partner/proto-contracts/gen/partner/audit/v1/audit_service_pb';
import { ContractorJobService } from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import { JobService } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { AppointmentService } from '@partner/proto-contracts/gen/partner/leads/v1/appointment_service_pb';
import { LeadService } from '@partner/proto-contracts/gen/partner/leads/v1/lead_service_pb';
import { OperatorService } from '@partner/proto-contracts/gen/partner/operator/v1/operator_service_pb';
import { EndpointService } from '@partner/proto-contracts/gen/partner/webhooks/v1/endpoint_service_pb';
import { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { SandboxService } from '@partner/proto-contracts/gen/partner/sandbox/v1/sandbox_service_pb';
import { CURRENT_SCHEMA_VERSION } from '@partner/proto-contracts/public-api/versions';
import {
  DELIVERY_RESULTS,
  JOB_STATE_OPERATOR_RPC,
  JOB_STATE_MANAGEMENT_RPC,
  JOB_STATE_RPC,
  PLATFORM_MESSAGES,
  QUEUES,
  WEBHOOK_DISPATCHER_RPC,
} from '@partner/proto-contracts/topology';
import { createAmqpConnection } from '@partner/kernel/amqp/connection';
import { startConsumer } from '@partner/kernel/amqp/consumer';
import { startQueueWatch } from '@partner/kernel/amqp/start-queue-watch';
import { createPublisher } from '@partner/kernel/amqp/publisher';
import { rpcService, startRpcServer } from '@partner/kernel/amqp/rpc-server';
import { createRpcTransport } from '@partner/kernel/amqp/rpc-transport';
import { runService } from '@partner/kernel/service';
import { createAccessService } from './access/access-service.js';
import { createAuthenticationService } from './access/authentication-service.js';
import { startKeyUsage } from './access/start-key-usage.js';
import { createAppointmentService } from './appointments/appointment-service.js';
import { startAnnouncingChanges } from './changes/start-announcing-changes.js';
import { createAuditService } from './audit/audit-service.js';
import { configSchema } from './config.js';
import { createContractorJobService } from './contractor-jobs/contractor-job-service.js';
import { createDatabase } from './database/database.js';
import { createPoolMetrics } from './database/pool-metrics.js';
import { retryWhileUnavailable } from './database/retry-while-unavailable.js';
import { waitForSchema } from './database/migrations/wait-for-schema.js';
import { createJobService } from './jobs/job-service.js';
import { createLeadService } from './leads/lead-service.js';
import { createOperatorService } from './operator/operator-service.js';
import { startOutboxRelay } from './outbox/start-outbox-relay.js';
import { createPlatformMessageHandler } from './platform/handle-platform-message.js';
import { startWaitingMessages } from './platform/start-waiting-messages.js';
import { startRetention } from './retention/start-retention.js';
import { createSandboxService } from './sandbox/sandbox-service.js';
import { createDeliveryService } from './webhooks/delivery-service.js';
import { createDeliveryResultsHandler } from './webhooks/attempts/delivery-results.js';
import { startScheduler } from './webhooks/schedule/release-due.js';
import { EVENTS_SETTLED_MS, startBulkReplays } from './webhooks/replay/run-bulk-replays.js';
import { startFollowingSubscriptionState } from './webhooks/subscriptions/follow-subscription-state.js';
import { startSecretMaintenance } from './webhooks/subscriptions/maintain-secrets.js';
import { createSubscriptionService } from './webhooks/subscriptions/subscription-service.js';

const BULK_REPLAYS_INTERVAL_MS = 1_000;
const KEY_USAGE_INTERVAL_MS = 60_000;
/** People ask, one question after another. */
const OPERATOR_PREFETCH = 2;
const QUEUE_POOL_SIZE = 5;
const QUEUE_WATCH_INTERVAL_MS = 15_000;
const RETENTION_INTERVAL_MS = 3_600_000;
const SCHEMA_PAUSE_MS = 500;
const SECRETS_INTERVAL_MS = 60_000;
const SUBSCRIPTION_STATES_INTERVAL_MS = 1_000;
const WAITING_INTERVAL_MS = 1_000;

await runService({
  name: 'job-state',
  config: configSchema,
  async start(config, { logger, metrics, lifecycle }) {
    const clock = () => new Date();
    const poolMetrics = createPoolMetrics(metrics);
    const database = createDatabase({
      url: config.POSTGRES_URL,
      poolSize: config.POSTGRES_POOL_SIZE,
      logger,
      environment: config.PARTNER_ENVIRONMENT,
      measured: { by: poolMetrics, pool: 'main' },
    });
    lifecycle.addReadinessCheck('database', () => database.isReady());
    lifecycle.onShutdown('database', () => database.end());
    // Of its own, so that deliveries that are due, or have been made, never wait for a connection behind a burst of writes.
    const queue = createDatabase({
      url: config.POSTGRES_URL,
      poolSize: QUEUE_POOL_SIZE,
      logger,
      plainIndexScans: true,
      measured: { by: poolMetrics, pool: 'queue' },
    });
    lifecycle.onShutdown('queue-database', () => queue.end());
    await waitForSchema(database, { logger, pauseMs: SCHEMA_PAUSE_MS });

    // A broker that runs out of resources blocks connections that publish; acknowledgements have to go on.
    const publishing = createAmqpConnection({
      url: config.AMQP_URL,
      topology: config.AMQP_TOPOLOGY,
      name: 'job-state publish',
      logger,
      metrics,
    });
    const consuming = createAmqpConnection({
      url: config.AMQP_URL,
      topology: config.AMQP_TOPOLOGY,
      name: 'job-state consume',
      logger,
      metrics,
    });
    lifecycle.addReadinessCheck('broker-publish', () => publishing.isReady());
    lifecycle.addReadinessCheck('broker-consume', () => consuming.isReady());
    lifecycle.onShutdown('broker-publish', () => publishing.close());
    lifecycle.onShutdown('broker-consume', () => consuming.close());

    const queueWatch = startQueueWatch({
      connection: consuming,
      queues: QUEUES,
      metrics,
      clock,
      intervalMs: QUEUE_WATCH_INTERVAL_MS,
    });
    lifecycle.onShutdown('queue-watch', () => queueWatch.stop());

    const publisher = createPublisher({ connection: publishing, logger, metrics });
    lifecycle.onShutdown('publisher', () => publisher.flush());
    // A channel of its own: what may be lost takes no place from what must not be.
    const changesPublisher = createPublisher({ connection: publishing, logger, metrics });
    const announcements = startAnnouncingChanges({
      databases: [database, queue],
      publisher: changesPublisher,
    });
    lifecycle.onShutdown('changes', async () => announcements.stop());
    const keyUsage = startKeyUsage({ database, logger, metrics, intervalMs: KEY_USAGE_INTERVAL_MS });
    lifecycle.onShutdown('key-usage', () => keyUsage.stop());
    const retention = startRetention({
      database,
      settings: {
        deliveriesDays: config.RETENTION_DELIVERIES_DAYS,
        feedDays: config.RETENTION_FEED_DAYS,
      },
      clock,
      logger,
      metrics,
      intervalMs: RETENTION_INTERVAL_MS,
    });
    lifecycle.onShutdown('retention', () => retention.stop());
    const relay = startOutboxRelay({
      database,
      publisher,
      logger,
      metrics,
      intervalMs: config.SCHEDULER_INTERVAL_MS,
    });
    lifecycle.onShutdown('outbox-relay', () => relay.stop());
    const scheduler = startScheduler({
      database: queue,
      publisher,
      logger,
      metrics,
      elapsedMs: () => performance.now(),
      intervalMs: config.SCHEDULER_INTERVAL_MS,
      leaseSeconds: config.DELIVERY_LEASE_SECONDS,
      inFlight: config.DELIVERIES_IN_FLIGHT,
      batchSize: 200,
    });
    database.onWake('deliveries', scheduler.wake);
    queue.onWake('room', scheduler.wakeLater);
    lifecycle.onShutdown('scheduler', () => scheduler.stop());
    const bulkReplays = startBulkReplays({
      database,
      logger,
      metrics,
      eventsSettledMs: EVENTS_SETTLED_MS,
      intervalMs: BULK_REPLAYS_INTERVAL_MS,
    });
    lifecycle.onShutdown('bulk-replays', () => bulkReplays.stop());
    const subscriptionStates = startFollowingSubscriptionState({
      database,
      logger,
      metrics,
      intervalMs: SUBSCRIPTION_STATES_INTERVAL_MS,
    });
    database.onWake('subscriptions', () => subscriptionStates.wake());
    lifecycle.onShutdown('subscription-states', () => subscriptionStates.stop());
    const secrets = startSecretMaintenance({
      database,
      sealingKeys: config.WEBHOOK_SEALING_KEYS,
      clock,
      logger,
      metrics,
      intervalMs: SECRETS_INTERVAL_MS,
    });
    lifecycle.onShutdown('webhook-secrets', () => secrets.stop());

    const dispatcherTransport = createRpcTransport({
      connection: publishing,
      queue: WEBHOOK_DISPATCHER_RPC,
      logger,
      metrics,
    });
    lifecycle.onShutdown('dispatcher-rpc', () => dispatcherTransport.close());

    const platformMessages = startConsumer({
      connection: consuming,
      queue: PLATFORM_MESSAGES,
      prefetch: 50,
      logger,
      metrics,
      handle: retryWhileUnavailable(createPlatformMessageHandler({ database, clock, logger, metrics })),
    });
    lifecycle.onShutdown('platform-messages', () => platformMessages.stop());
    const waitingMessages = startWaitingMessages({
      database,
      publisher,
      deadLetterQueue: PLATFORM_MESSAGES.deadLetterQueue,
      clock,
      logger,
      metrics,
      intervalMs: WAITING_INTERVAL_MS,
    });
    lifecycle.onShutdown('platform-waiting', () => waitingMessages.stop());
    const deliveryResults = startConsumer({
      connection: consuming,
      queue: DELIVERY_RESULTS,
      prefetch: 50,
      logger,
      metrics,
      handle: retryWhileUnavailable(
        createDeliveryResultsHandler({
          database: queue,
          logger,
          metrics,
          retryBaseMs: config.WEBHOOK_RETRY_BASE_MS,
          random: Math.random,
        }),
      ),
    });
    lifecycle.onShutdown('delivery-results', () => deliveryResults.stop());

    // Much more than can run at once: what waits for its turn, or for a stuck row of its company, must not keep the rest out.
    const rpcPrefetch = 40 * config.POSTGRES_POOL_SIZE;
    const rpcServer = startRpcServer({
      // Its replies are publishes: they must not stand in the way of the consumers' acknowledgements.
      connection: publishing,
      queue: JOB_STATE_RPC,
      prefetch: rpcPrefetch,
      services: [
        rpcService(
          JobService,
          createJobService({ database, clock, logger, feedDays: config.RETENTION_FEED_DAYS }),
        ),
        rpcService(LeadService, createLeadService({ database, clock, logger })),
        rpcService(AppointmentService, createAppointmentService({ database, clock, logger })),
        rpcService(ContractorJobService, createContractorJobService({ database, clock, logger })),
        rpcService(
          AuthenticationService,
          createAuthenticationService({
            database,
            clock,
            logger,
            keyUsage,
            environment: config.PARTNER_ENVIRONMENT,
          }),
        ),
      ],
      logger,
      metrics,
    });
    lifecycle.onShutdown('rpc-server', () => rpcServer.stop());
    const managementRpcServer = startRpcServer({
      connection: publishing,
      queue: JOB_STATE_MANAGEMENT_RPC,
      prefetch: rpcPrefetch,
      services: [
        rpcService(
          AccessService,
          createAccessService({ database, clock, logger, environment: config.PARTNER_ENVIRONMENT }),
        ),
        rpcService(AuditService, createAuditService({ database })),
        ...(config.PARTNER_ENVIRONMENT === 'sandbox'
          ? [rpcService(SandboxService, createSandboxService({ database, logger }))]
          : []),
        rpcService(DeliveryService, createDeliveryService({ database, logger })),
        rpcService(
          SubscriptionService,
          createSubscriptionService({
            database,
            endpoints: createClient(EndpointService, dispatcherTransport),
            sealingKeys: config.WEBHOOK_SEALING_KEYS,
            newestSchemaVersion: CURRENT_SCHEMA_VERSION,
            secretOverlapHours: config.SECRET_OVERLAP_HOURS,
            logger,
            clock,
          }),
        ),
      ],
      logger,
      metrics,
    });
    lifecycle.onShutdown('management-rpc-server', () => managementRpcServer.stop());
    const operatorRpcServer = startRpcServer({
      connection: publishing,
      queue: JOB_STATE_OPERATOR_RPC,
      prefetch: OPERATOR_PREFETCH,
      services: [
        rpcService(
          OperatorService,
          createOperatorService({
            database,
            clock,
            logger,
            environment: config.PARTNER_ENVIRONMENT,
            inFlight: config.DELIVERIES_IN_FLIGHT,
          }),
        ),
      ],
      logger,
      metrics,
    });
    lifecycle.onShutdown('operator-rpc-server', () => operatorRpcServer.stop());
  },
});
