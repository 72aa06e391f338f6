export type { components, operations, paths } from './gen/schema.js';
export { type EventPage, followEvents, followJobs, type FollowOptions, type JobPage } from './follow-feed.js';
export { createPartnerClient, type PartnerClient, type PartnerClientOptions } from './partner-client.js';
export {
  ApiError,
  ConnectionError,
  type ErrorBody,
  PartnerError,
  VersionConflictError,
  type Violation,
} from './partner-error.js';
export { type ManifestEntry, reconcile, type Reconciliation, type ReconcileOptions } from './reconcile.js';
export type { RetryLimits } from './send-with-retries.js';
export { createMemoryStore, type Store } from './store.js';
export { eventFeedSecret } from './verify-signature.js';
export {
  createWebhookReceiver,
  type Delivery,
  type WebhookEvent,
  type WebhookReceiver,
  type WebhookReceiverOptions,
  type WebhookResponse,
} from './webhook-receiver.js';
