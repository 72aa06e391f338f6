import type { Caller } from '@partner/proto-contracts/call';
import { CONSOLE_CALLS, CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import { INBOUND_CALLS, INBOUND_OPERATIONS } from '@partner/proto-contracts/surfaces/inbound';
import { INSTALLER_CALLS, INSTALLER_OPERATIONS } from '@partner/proto-contracts/surfaces/installer';
import { OPERATOR_CALLS, OPERATOR_OPERATIONS } from '@partner/proto-contracts/surfaces/operators';
import {
  JOB_STATE_INBOUND_RPC,
  JOB_STATE_INSTALLER_RPC,
  JOB_STATE_MANAGEMENT_RPC,
  JOB_STATE_OPERATOR_RPC,
} from '@partner/proto-contracts/topology';
import type { AmqpConnection } from '@partner/kernel/amqp/connection';
import type { Implementation } from '@partner/kernel/amqp/implement';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import { startRpcServer } from '@partner/kernel/amqp/rpc-server';
import type { Logger } from '@partner/kernel/telemetry/logger';
import type { ServiceKit } from '@partner/kernel/process/service';
import { accessOperations } from './access/access-operations.js';
import { keyOperations } from './access/authenticate-key.js';
import type { KeyUsage } from './access/start-key-usage.js';
import { appointmentOperations } from './appointments/appointment-operations.js';
import { auditOperations } from './audit/audit-operations.js';
import type { Config } from './config.js';
import { contractorJobOperations } from './contractor-jobs/contractor-job-operations.js';
import type { Database } from './database/database.js';
import { jobOperations } from './jobs/job-operations.js';
import { leadOperations } from './leads/lead-operations.js';
import { notificationOperations } from './notifications/notification-operations.js';
import { operatorOperations } from './operator/operator-operations.js';
import { faultOperations } from './sandbox/fault-operations.js';
import { deliveryOperations } from './webhooks/attempts/delivery-operations.js';
import { manifestOperations } from './webhooks/attempts/read-manifest.js';
import { eventFeedOperations } from './webhooks/events/event-feed.js';
import { eventOperations } from './webhooks/events/event-operations.js';
import { eventReplayOperations } from './webhooks/replay/event-replay-operations.js';
import { replayOperations } from './webhooks/replay/replay-operations.js';
import { subscriptionCapOf } from './webhooks/deliveries/claim-rule.js';
import { serviceStatusOperations } from './webhooks/schedule/service-status-operations.js';
import { statisticsOperations } from './webhooks/statistics/statistics-operations.js';
import { endpointsOver } from './webhooks/subscriptions/check-endpoint.js';
import { subscriptionOperations } from './webhooks/subscriptions/subscription-operations.js';

/** Operators send few requests, each of them one after another. */
const OPERATOR_PREFETCH = 10;

interface ServiceDeps {
  readonly database: Database;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly keyUsage: KeyUsage;
  /** To the dispatcher, which vets endpoints. */
  readonly dispatcher: Pick<OperationClient, 'callInternal'>;
}

/**
 * Starts the RPC servers: one for each gateway, one for the console, one for operators. Each serves its own
 * queue.
 */
export function startRpcServers(
  config: Config,
  { logger, metrics, lifecycle }: ServiceKit,
  { publishing, ...deps }: Omit<ServiceDeps, 'logger'> & { readonly publishing: AmqpConnection },
): void {
  const serviceDeps: ServiceDeps = { ...deps, logger };
  // Far more than can run at once: requests that wait for a connection or a locked row must not block the others.
  const prefetch = 40 * config.POSTGRES_POOL_SIZE;
  // Replies use the publishing connection, so that they cannot delay the consumers' acknowledgements.
  const shared = { connection: publishing, logger, metrics };
  const implementations = implementationsOf(config, serviceDeps);
  /** A queue serves the operations of its surface only, in the name of the callers that its clients have. */
  const served = (surface: readonly Pick<Implementation, 'id'>[], kinds: readonly Caller['kind'][]) => {
    const ids = new Set(surface.map(({ id }) => id));
    return { implementations: implementations.filter(({ id }) => ids.has(id)), callers: kinds };
  };
  const inboundRpcServer = startRpcServer({
    ...shared,
    queue: JOB_STATE_INBOUND_RPC,
    prefetch,
    operations: served([...INBOUND_OPERATIONS, ...INBOUND_CALLS], ['key', 'service']),
  });
  lifecycle.onShutdown('inbound-rpc-server', () => inboundRpcServer.stop());
  const installerRpcServer = startRpcServer({
    ...shared,
    queue: JOB_STATE_INSTALLER_RPC,
    prefetch,
    operations: served([...INSTALLER_OPERATIONS, ...INSTALLER_CALLS], ['key', 'service']),
  });
  lifecycle.onShutdown('installer-rpc-server', () => installerRpcServer.stop());
  const managementRpcServer = startRpcServer({
    ...shared,
    queue: JOB_STATE_MANAGEMENT_RPC,
    prefetch,
    operations: served([...CONSOLE_OPERATIONS, ...CONSOLE_CALLS], ['owner', 'service']),
  });
  lifecycle.onShutdown('management-rpc-server', () => managementRpcServer.stop());
  const operatorRpcServer = startRpcServer({
    ...shared,
    queue: JOB_STATE_OPERATOR_RPC,
    prefetch: OPERATOR_PREFETCH,
    operations: served([...OPERATOR_OPERATIONS, ...OPERATOR_CALLS], ['operator']),
  });
  lifecycle.onShutdown('operator-rpc-server', () => operatorRpcServer.stop());
}

/** Every operation, with its use case. */
export function implementationsOf(
  config: Config,
  { database, clock, logger, keyUsage, dispatcher }: ServiceDeps,
): readonly Implementation[] {
  const deps = { database, clock, logger };
  return [
    ...keyOperations({ ...deps, keyUsage, environment: config.PARTNER_ENVIRONMENT }),
    ...jobOperations({ ...deps, feedDays: config.RETENTION_FEED_DAYS }),
    ...leadOperations(deps),
    ...appointmentOperations(deps),
    ...contractorJobOperations(deps),
    ...eventFeedOperations({ ...deps, deliveriesDays: config.RETENTION_DELIVERIES_DAYS }),
    ...eventReplayOperations(deps),
    ...manifestOperations(deps),
    ...accessOperations({
      ...deps,
      environment: config.PARTNER_ENVIRONMENT,
      sealingKeys: config.WEBHOOK_SEALING_KEYS,
    }),
    ...auditOperations(deps),
    ...notificationOperations(deps),
    ...operatorOperations({
      ...deps,
      environment: config.PARTNER_ENVIRONMENT,
      inFlight: config.DELIVERIES_IN_FLIGHT,
    }),
    ...subscriptionOperations({
      ...deps,
      endpoints: endpointsOver(dispatcher),
      sealingKeys: config.WEBHOOK_SEALING_KEYS,
      secretOverlapHours: config.SECRET_OVERLAP_HOURS,
    }),
    ...deliveryOperations(deps),
    ...eventOperations(deps),
    ...replayOperations(deps),
    ...(config.PARTNER_ENVIRONMENT === 'sandbox' ? faultOperations(deps) : []),
    ...statisticsOperations(deps),
    ...serviceStatusOperations({
      ...deps,
      capacity: {
        inFlight: config.DELIVERIES_IN_FLIGHT,
        subscriptionCap: subscriptionCapOf(config.DELIVERIES_IN_FLIGHT),
      },
    }),
  ];
}
