import { WEBHOOK_DISPATCHER_RPC } from '@partner/proto-contracts/topology';
import type { Consumer } from '@partner/kernel/amqp/consumer';
import { createPublisher } from '@partner/kernel/amqp/publisher';
import { createRpcClient } from '@partner/kernel/amqp/rpc-client';
import { runService } from '@partner/kernel/process/service';
import { startKeyUsage } from './access/keys/start-key-usage.js';
import { afterMs } from '@partner/kernel/process/timers';
import { startLiveUpdates } from './live-updates/start-live-updates.js';
import { config } from './config.js';
import { connectToBroker, openDatabases } from './connections.js';
import { startOutboxRelay } from './outbox/start-outbox-relay.js';
import { startErasures } from './personal-data/start-erasures.js';
import { startRetention } from './retention/start-retention.js';
import { startConsumers } from './start-consumers.js';
import { startRpcServers } from './start-rpc-servers.js';
import { startWebhookLoops } from './start-webhook-loops.js';

/** Only for what a crash or the broker has left behind: commits publish at once. */
const OUTBOX_INTERVAL_MS = 1_000;
const KEY_USAGE_INTERVAL_MS = 60_000;
const RETENTION_INTERVAL_MS = 3_600_000;
const ERASURES_INTERVAL_MS = 5_000;

await runService({
  name: 'job-state',
  config,
  // Steps of the shutdown run in reverse order: requests and messages end first, the connections close last.
  async start(config, kit) {
    const { logger, metrics, lifecycle } = kit;
    const clock = () => new Date();
    const { database, queue, recording } = await openDatabases(config, kit);
    const { publishing, consuming } = connectToBroker(config, kit, clock);

    const publisher = createPublisher({ connection: publishing, logger, metrics });
    lifecycle.onShutdown('publisher', () => publisher.flush());
    // A separate channel, so that live updates, which may be lost, never delay other messages.
    const liveUpdatePublisher = createPublisher({ connection: publishing, logger, metrics });
    const liveUpdates = startLiveUpdates({
      database,
      publisher: liveUpdatePublisher,
      after: afterMs,
    });
    lifecycle.onShutdown('live-updates', async () => liveUpdates.stop());
    const keyUsage = startKeyUsage({ database, logger, metrics, intervalMs: KEY_USAGE_INTERVAL_MS });
    const shared = { database, clock, logger, metrics };
    const loops = {
      'key-usage': keyUsage,
      retention: startRetention({
        ...shared,
        settings: {
          deliveriesDays: config.RETENTION_DELIVERIES_DAYS,
          feedDays: config.RETENTION_FEED_DAYS,
          closedJobsDays: config.ARCHIVE_CLOSED_JOBS_DAYS,
        },
        intervalMs: RETENTION_INTERVAL_MS,
      }),
      erasures: startErasures({ ...shared, intervalMs: ERASURES_INTERVAL_MS }),
      'outbox-relay': startOutboxRelay({ ...shared, publisher, intervalMs: OUTBOX_INTERVAL_MS }),
    };
    for (const [name, loop] of Object.entries(loops)) lifecycle.onShutdown(name, () => loop.stop());
    const results: { consumer?: Pick<Consumer, 'isConsuming'> } = {};
    startWebhookLoops(config, kit, {
      ...{ database, queue, publisher, clock },
      canResultsArrive: () => results.consumer?.isConsuming() === true && !publishing.isBlocked(),
    });

    const dispatcher = createRpcClient({
      connection: publishing,
      queue: WEBHOOK_DISPATCHER_RPC,
      logger,
      metrics,
    });
    lifecycle.onShutdown('dispatcher-rpc', () => dispatcher.close());
    results.consumer = startConsumers(config, kit, { database, recording, consuming, publisher, clock });
    startRpcServers(config, kit, { database, publishing, clock, keyUsage, dispatcher });
  },
});
