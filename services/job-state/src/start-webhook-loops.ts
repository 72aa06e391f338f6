import type { Publisher } from '@partner/kernel/amqp/publisher';
import type { ServiceKit } from '@partner/kernel/process/service';
import type { Config } from './config.js';
import type { Databases } from './connections.js';
import { startJournalBackfills } from './journal/start-journal-backfills.js';
import { startNotifications } from './notifications/start-notifications.js';
import { webhookFaults } from './sandbox/webhook-faults.js';
import { setReleaser } from './webhooks/deliveries/releaser.js';
import { startBulkReplays } from './webhooks/replay/run-bulk-replays.js';
import { startScheduler } from './webhooks/schedule/release-due.js';
import { startFollowingSubscriptionState } from './webhooks/subscriptions/follow-subscription-state.js';
import { startSecretMaintenance } from './webhooks/subscriptions/maintain-secrets.js';

const BULK_REPLAYS_INTERVAL_MS = 1_000;
const SECRETS_INTERVAL_MS = 60_000;
const JOURNAL_BACKFILLS_INTERVAL_MS = 1_000;
const NOTIFICATIONS_INTERVAL_MS = 10_000;
const SUBSCRIPTION_STATES_INTERVAL_MS = 1_000;

/**
 * Starts the loops behind webhooks: the scheduler that releases due deliveries, bulk replays, the deliveries of
 * subscriptions whose state changed, journal entries whose links changed late, the upkeep of signing secrets, and
 * notifications to owners.
 */
export function startWebhookLoops(
  config: Config,
  { logger, metrics, lifecycle }: ServiceKit,
  deps: Databases & { readonly publisher: Publisher; readonly clock: () => Date },
): void {
  const { database, queue, publisher, clock } = deps;
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
    ...(config.PARTNER_ENVIRONMENT === 'sandbox' && { withhold: webhookFaults(queue) }),
  });
  database.onWake('deliveries', scheduler.wake);
  queue.onWake('room', scheduler.refill);
  setReleaser(database, scheduler.releaser);
  lifecycle.onShutdown('scheduler', () => scheduler.stop());
  const bulkReplays = startBulkReplays({
    database,
    logger,
    metrics,
    clock,
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
  const journalBackfills = startJournalBackfills({
    database,
    logger,
    metrics,
    clock,
    intervalMs: JOURNAL_BACKFILLS_INTERVAL_MS,
  });
  database.onWake('journal', () => journalBackfills.wake());
  lifecycle.onShutdown('journal-backfills', () => journalBackfills.stop());
  const secrets = startSecretMaintenance({
    database,
    sealingKeys: config.WEBHOOK_SEALING_KEYS,
    clock,
    logger,
    metrics,
    intervalMs: SECRETS_INTERVAL_MS,
  });
  lifecycle.onShutdown('webhook-secrets', () => secrets.stop());
  const notifications = startNotifications({
    database,
    secretOverlapHours: config.SECRET_OVERLAP_HOURS,
    clock,
    logger,
    metrics,
    intervalMs: NOTIFICATIONS_INTERVAL_MS,
  });
  lifecycle.onShutdown('notifications', () => notifications.stop());
}
