import type { AnyOperation } from '../api/operation.js';
import type { Scope } from '../api/scopes.js';
import { listAuditEntriesOperation } from '../resources/audit-entry/operations.js';
import * as bulkReplay from '../resources/bulk-replay/operations.js';
import * as delivery from '../resources/delivery/operations.js';
import * as statistics from '../resources/statistics/operations.js';
import * as subscription from '../resources/subscription/operations.js';
import * as webhookProposal from '../resources/webhook-proposal/operations.js';

/**
 * What a company's own programs may use, with an API key of kind `automation`, in the order of the reference: operations of the console, and
 * those with which they propose webhooks.
 */
export const AUTOMATION_OPERATIONS: readonly AnyOperation[] = [
  withKey(subscription.listWebhooksOperation, 'webhooks:read'),
  withKey(subscription.getWebhookOperation, 'webhooks:read'),
  withKey(delivery.listCompanyDeliveriesOperation, 'deliveries:read'),
  withKey(delivery.listDeliveriesOperation, 'deliveries:read'),
  withKey(delivery.getDeliveryOperation, 'deliveries:read'),
  withKey(delivery.retryDeliveryOperation, 'deliveries:retry'),
  withKey(delivery.replayDeliveryOperation, 'deliveries:retry'),
  withKey(bulkReplay.replayDeliveriesOperation, 'deliveries:retry'),
  withKey(bulkReplay.listReplaysOperation, 'deliveries:read'),
  withKey(bulkReplay.getReplayOperation, 'deliveries:read'),
  withKey(bulkReplay.cancelReplayOperation, 'deliveries:retry'),
  withKey(statistics.getWebhookStatisticsOperation, 'statistics:read'),
  withKey(statistics.getStatisticsOperation, 'statistics:read'),
  withKey(listAuditEntriesOperation, 'audit:read'),
  webhookProposal.exportWebhooksOperation,
  webhookProposal.planWebhooksOperation,
  webhookProposal.proposeWebhooksOperation,
];

/** The ids of the operations that job-state runs for such a key. */
export const SERVED_FOR_AUTOMATION: readonly string[] = AUTOMATION_OPERATIONS.map(
  ({ id, servedBy = id }) => servedBy,
);

/** The same operation, which a key with the scope calls under `/automation/v1`. An owner has confirmed the password to create the key. */
function withKey({ needsConfirmation: _ofOwners, ...operation }: AnyOperation, scope: Scope): AnyOperation {
  return {
    ...operation,
    id: `automation${operation.id.charAt(0).toUpperCase()}${operation.id.slice(1)}`,
    path: operation.path.replace('/partner-api/', '/automation/v1/'),
    scope,
    servedBy: operation.id,
  };
}
