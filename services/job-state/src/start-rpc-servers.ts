import { AUTOMATION_OPERATIONS, SERVED_FOR_AUTOMATION } from '@partner/proto-contracts/surfaces/automation';
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
import { COLLEAGUE_OPERATIONS } from './access/colleagues/colleagues.js';
import { PASSWORD_OPERATIONS } from './access/colleagues/passwords.js';
import { SECOND_FACTOR_OPERATIONS } from './access/colleagues/second-factor.js';
import { SIGN_IN_OPERATIONS } from './access/colleagues/sign-in.js';
import { API_KEY_OPERATIONS } from './access/keys/api-keys.js';
import { keyOperations } from './access/keys/authenticate-key.js';
import type { KeyUsage } from './access/keys/start-key-usage.js';
import { TECHNICAL_CONTACT_OPERATIONS } from './access/technical-contact/technical-contact.js';
import { bookAppointment } from './appointments/book-appointment.js';
import { auditOperations } from './audit/audit-operations.js';
import type { Config } from './config.js';
import { appendJobNote, listContractorJobs } from './contractor-jobs/contractor-jobs.js';
import type { Database } from './database/database.js';
import { getJob, listTechnicians } from './jobs/job-reads.js';
import { recordStatusEvent, replaceAssignments, setSchedule } from './jobs/job-writes.js';
import { listJobFeed } from './jobs/list-job-feed.js';
import { createLead } from './leads/create-lead.js';
import { notificationOperations } from './notifications/emails.js';
import { operatorOperations } from './operator/operator-operations.js';
import { faultOperations } from './sandbox/fault-scripts.js';
import { testReceiverOperations } from './sandbox/test-requests.js';
import { deliveryOperations } from './webhooks/attempts/delivery-operations.js';
import { manifestOperations } from './webhooks/attempts/read-manifest.js';
import { eventFeedOperations } from './webhooks/events/event-feed.js';
import { eventOperations } from './webhooks/events/event-operations.js';
import { eventReplayOperations, replayOperations } from './webhooks/replay/replay-operations.js';
import { subscriptionCapOf } from './webhooks/deliveries/claim-rule.js';
import { serviceStatusOperations } from './webhooks/schedule/service-status.js';
import { statisticsOperations } from './webhooks/statistics/statistics-operations.js';
import { endpointsOver } from './webhooks/subscriptions/check-endpoint.js';
import { subscriptionOperations } from './webhooks/subscriptions/subscription-operations.js';

interface ServiceDeps {
  readonly database: Database;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly keyUsage: KeyUsage;
  /** To the dispatcher, which vets endpoints. */
  readonly dispatcher: Pick<OperationClient, 'callInternal'>;
}

export const ACCESS_OPERATIONS = [
  ...[...SIGN_IN_OPERATIONS, ...PASSWORD_OPERATIONS, ...SECOND_FACTOR_OPERATIONS],
  ...[...COLLEAGUE_OPERATIONS, ...API_KEY_OPERATIONS, ...TECHNICAL_CONTACT_OPERATIONS],
];

/** A queue serves the operations of its surface only, in the name of the callers that its clients have. */
const SERVERS = [
  {
    name: 'inbound',
    queue: JOB_STATE_INBOUND_RPC,
    surface: [...INBOUND_OPERATIONS, ...INBOUND_CALLS],
    served: { callers: ['key', 'service'] },
  },
  {
    name: 'installer',
    queue: JOB_STATE_INSTALLER_RPC,
    surface: [...INSTALLER_OPERATIONS, ...INSTALLER_CALLS],
    served: { callers: ['key', 'service'] },
  },
  {
    name: 'management',
    queue: JOB_STATE_MANAGEMENT_RPC,
    surface: [...CONSOLE_OPERATIONS, ...CONSOLE_CALLS, ...AUTOMATION_OPERATIONS],
    served: { callers: ['owner', 'service'], forKeys: SERVED_FOR_AUTOMATION },
  },
  {
    name: 'operator',
    queue: JOB_STATE_OPERATOR_RPC,
    surface: [...OPERATOR_OPERATIONS, ...OPERATOR_CALLS],
    served: { callers: ['operator'] },
    // Operators send few requests, each of them one after another.
    prefetch: 10,
  },
] as const;

export function startRpcServers(
  config: Config,
  { logger, metrics, lifecycle }: ServiceKit,
  { publishing, ...deps }: Omit<ServiceDeps, 'logger'> & { readonly publishing: AmqpConnection },
): void {
  const all = implementationsOf(config, { ...deps, logger });
  for (const { name, queue, surface, served, ...more } of SERVERS) {
    const ids: ReadonlySet<string> = new Set(surface.map(({ id }) => id));
    const server = startRpcServer({
      // Replies use the publishing connection, so that they cannot delay the consumers' acknowledgements.
      ...{ connection: publishing, queue, logger, metrics },
      // Far more than can run at once: requests that wait for a connection or a locked row must not block the others.
      prefetch: 40 * config.POSTGRES_POOL_SIZE,
      ...more,
      operations: { implementations: all.filter(({ id }) => ids.has(id)), ...served },
    });
    lifecycle.onShutdown(`${name}-rpc-server`, () => server.stop());
  }
}

export function implementationsOf(
  config: Config,
  { dispatcher, ...given }: ServiceDeps,
): readonly Implementation[] {
  const inFlight = config.DELIVERIES_IN_FLIGHT;
  const deps = {
    ...given,
    environment: config.PARTNER_ENVIRONMENT,
    feedDays: config.RETENTION_FEED_DAYS,
    deliveriesDays: config.RETENTION_DELIVERIES_DAYS,
    sealingKeys: config.WEBHOOK_SEALING_KEYS,
    signingKeys: config.WEBHOOK_SIGNING_KEYS,
    secretOverlapHours: config.SECRET_OVERLAP_HOURS,
    endpoints: endpointsOver(dispatcher),
    inFlight,
    capacity: { inFlight, subscriptionCap: subscriptionCapOf(inFlight) },
  };
  return [
    ...[listJobFeed, getJob, listTechnicians, recordStatusEvent, setSchedule, replaceAssignments],
    ...[createLead, bookAppointment, listContractorJobs, appendJobNote],
    ...ACCESS_OPERATIONS,
  ]
    .map((operation) => operation(deps))
    .concat(
      [
        ...[keyOperations, auditOperations, notificationOperations, operatorOperations],
        ...[eventFeedOperations, eventReplayOperations, manifestOperations, eventOperations],
        ...[subscriptionOperations, deliveryOperations, replayOperations, statisticsOperations],
        ...[
          serviceStatusOperations,
          ...(deps.environment === 'sandbox' ? [faultOperations, testReceiverOperations] : []),
        ],
      ].flatMap((operations) => operations(deps)),
    );
}
