import type { Publisher } from '@partner/kernel/amqp/publisher';
import type { ServiceKit } from '@partner/kernel/process/service';
import type { Config } from './config.js';
import type { Databases } from './connections.js';
import { startLoop } from './database/start-loop.js';
import { backfillLeft, startJournalBackfills } from './journal/backfills.js';
import { startNotifications } from './notifications/start-notifications.js';
import { webhookFaults } from './sandbox/webhook-faults.js';
import { limitsOfSlots } from './webhooks/deliveries/claim-rule.js';
import { deliveriesWaiting, setReleaser, slotsFreed } from './webhooks/deliveries/releaser.js';
import { deleteFormerNumbers } from './database/event-numbers.js';
import { startBulkReplays } from './webhooks/replay/run-bulk-replays.js';
import { startScheduler } from './webhooks/schedule/release-due.js';
import { followIncidents } from './webhooks/schedule/service-status.js';
import { foldStatistics } from './webhooks/statistics/fold-statistics.js';
import {
  startFollowingSubscriptionState,
  subscriptionStateChanged,
} from './webhooks/subscriptions/follow-subscription-state.js';
import { bulkReplayStarted } from './webhooks/subscriptions/start-backfill.js';
import { startSecretMaintenance } from './webhooks/subscriptions/maintain-secrets.js';
import { sealedPrivateKeys } from './webhooks/deliveries/signing-keys.js';

const BULK_REPLAYS_INTERVAL_MS = 1_000;
const SECRETS_INTERVAL_MS = 60_000;
const JOURNAL_BACKFILLS_INTERVAL_MS = 5_000;
const NOTIFICATIONS_INTERVAL_MS = 10_000;
const SUBSCRIPTION_STATES_INTERVAL_MS = 1_000;
const COMPACTION_INTERVAL_MS = 60_000;
const INCIDENTS_INTERVAL_MS = 30_000;

export function startWebhookLoops(
  config: Config,
  { logger, metrics, lifecycle }: ServiceKit,
  deps: Pick<Databases, 'database' | 'queue'> & {
    readonly publisher: Publisher;
    readonly clock: () => Date;
    readonly canResultsArrive: () => boolean;
  },
): void {
  const { database, queue, publisher, clock, canResultsArrive } = deps;
  const shared = { database, clock, logger, metrics, elapsedMs: () => performance.now() };
  const scheduler = startScheduler({
    ...shared,
    database: queue,
    publisher,
    privateKeys: sealedPrivateKeys(config),
    intervalMs: config.SCHEDULER_INTERVAL_MS,
    leaseSeconds: config.DELIVERY_LEASE_SECONDS,
    inFlight: config.DELIVERIES_IN_FLIGHT,
    batchSize: 200,
    canResultsArrive,
    ...(config.PARTNER_ENVIRONMENT === 'sandbox' && { withhold: webhookFaults(queue) }),
  });
  deliveriesWaiting.listen(database, scheduler.wake);
  slotsFreed.listen(database, scheduler.refill);
  setReleaser(database, scheduler.releaser);
  const subscriptionStates = startFollowingSubscriptionState({
    ...shared,
    intervalMs: SUBSCRIPTION_STATES_INTERVAL_MS,
  });
  subscriptionStateChanged.listen(database, subscriptionStates.wake);
  const journalBackfills = startJournalBackfills({ ...shared, intervalMs: JOURNAL_BACKFILLS_INTERVAL_MS });
  backfillLeft.listen(database, journalBackfills.wake);
  const bulkReplays = startBulkReplays({ ...shared, intervalMs: BULK_REPLAYS_INTERVAL_MS });
  bulkReplayStarted.listen(database, bulkReplays.wake);
  const loops = {
    scheduler,
    'bulk-replays': bulkReplays,
    'subscription-states': subscriptionStates,
    'journal-backfills': journalBackfills,
    'webhook-secrets': startSecretMaintenance({
      ...shared,
      sealingKeys: config.WEBHOOK_SEALING_KEYS,
      intervalMs: SECRETS_INTERVAL_MS,
    }),
    // Of rows that hot statements leave behind. Any number of replicas can run it.
    compaction: startLoop({
      ...{ name: 'compaction', intervalMs: COMPACTION_INTERVAL_MS, logger, metrics },
      async runOnce() {
        await deleteFormerNumbers(database);
        return foldStatistics(database);
      },
    }),
    incidents: startLoop({
      ...{ name: 'incidents', intervalMs: INCIDENTS_INTERVAL_MS, logger, metrics },
      async runOnce() {
        const capacity = limitsOfSlots(config.DELIVERIES_IN_FLIGHT, config.DELIVERY_LEASE_SECONDS);
        await followIncidents({ database, capacity, clock });
        return 'idle';
      },
    }),
    notifications: startNotifications({
      ...shared,
      secretOverlapHours: config.SECRET_OVERLAP_HOURS,
      intervalMs: NOTIFICATIONS_INTERVAL_MS,
    }),
  };
  for (const [name, loop] of Object.entries(loops)) lifecycle.onShutdown(name, () => loop.stop());
}
