import { readFile } from 'node:fs/promises';
import { WEBHOOK_DELIVERIES, WEBHOOK_DISPATCHER_RPC } from '@partner/proto-contracts/topology';
import { createAmqpConnection } from '@partner/kernel/amqp/connection';
import { startConsumer } from '@partner/kernel/amqp/consumer';
import { createPublisher } from '@partner/kernel/amqp/publisher';
import { startRpcServer } from '@partner/kernel/amqp/rpc-server';
import { newId } from '@partner/kernel/process/ids';
import { runService } from '@partner/kernel/process/service';
import { afterMs } from '@partner/kernel/process/timers';
import { createClockWatch } from './clock-watch.js';
import { config } from './config.js';
import { createConnectionPool } from './connection-pool.js';
import { createDeliver } from './deliver.js';
import { createDeliveryMetrics } from './delivery-metrics.js';
import { createEndpointGuard } from './endpoint-guard.js';
import { endpointOperations } from './endpoint-operations.js';
import { createHostResolver } from './host-resolver.js';
import { createHttpsSender } from './https-sender.js';
import { createLeaseMemory } from './lease-memory.js';

const RPC_PREFETCH = 50;
const DNS_RETRY_AFTER_MS = 1_000;
const DNS_LIMIT_MS = 3_000;

await runService({
  name: 'webhook-dispatcher',
  config,
  async start(config, { logger, metrics, lifecycle }) {
    const clock = () => new Date();
    const elapsedMs = () => performance.now();
    const extraCa =
      config.WEBHOOK_DEV_CA_FILE === undefined
        ? undefined
        : await readFile(config.WEBHOOK_DEV_CA_FILE, 'utf8');
    const guard = createEndpointGuard({
      resolveHost: createHostResolver({
        servers: config.DNS_SERVERS,
        retryAfterMs: DNS_RETRY_AFTER_MS,
        limitMs: DNS_LIMIT_MS,
      }),
      devHosts: config.WEBHOOK_DEV_HOSTS,
    });
    const concurrency = config.DELIVERY_CONCURRENCY;
    const pool = createConnectionPool({ extraCa, concurrency });
    lifecycle.onShutdown('endpoint-connections', async () => pool.close());

    const amqp = { url: config.AMQP_URL, topology: config.AMQP_TOPOLOGY, logger, metrics };
    const publishing = createAmqpConnection({ ...amqp, name: 'webhook-dispatcher publish' });
    lifecycle.onShutdown('publish-connection', () => publishing.close());
    const consuming = createAmqpConnection({ ...amqp, name: 'webhook-dispatcher consume' });
    lifecycle.onShutdown('consume-connection', () => consuming.close());

    const publisher = createPublisher({ connection: publishing, logger, metrics });
    lifecycle.onShutdown('publisher', () => publisher.close());

    // Replies are published on another connection: if the broker blocks publishers, it must not block acknowledgements.
    const rpcServer = startRpcServer({
      connection: publishing,
      queue: WEBHOOK_DISPATCHER_RPC,
      prefetch: RPC_PREFETCH,
      operations: { implementations: endpointOperations({ guard }), callers: ['service'] },
      logger,
      metrics,
    });
    lifecycle.onShutdown('rpc-server', () => rpcServer.stop());

    const stopping = new AbortController();
    const deliveryMetrics = createDeliveryMetrics(metrics);
    const consumer = startConsumer({
      connection: consuming,
      queue: WEBHOOK_DELIVERIES,
      prefetch: concurrency,
      logger,
      metrics,
      handle: createDeliver({
        sender: createHttpsSender({ guard, pool, after: afterMs }),
        publisher,
        leases: createLeaseMemory(),
        concurrency,
        stopping: stopping.signal,
        sealingKeys: config.WEBHOOK_SEALING_KEYS,
        clock,
        clockWatch: createClockWatch({ clock, elapsedMs, logger, metrics: deliveryMetrics }),
        newAttemptId: () => newId('dlv'),
        logger,
        metrics: deliveryMetrics,
      }),
    });
    lifecycle.onShutdown('delivery-consumer', () => {
      stopping.abort();
      return consumer.stop();
    });

    lifecycle.addDependency('broker', () => publishing.isReady() && consuming.isReady());
    lifecycle.addDependency('deliveries', () => consumer.isConsuming());
    lifecycle.addDependency('rpc', () => rpcServer.isConsuming());
  },
});
