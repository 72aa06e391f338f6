import { DELIVERY_RESULTS, PLATFORM_MESSAGES } from '@partner/proto-contracts/topology';
import { type Consumer, startConsumer } from '@partner/kernel/amqp/consumer';
import type { Publisher } from '@partner/kernel/amqp/publisher';
import type { ServiceKit } from '@partner/kernel/process/service';
import type { Config } from './config.js';
import type { BrokerConnections, Databases } from './connections.js';
import { retryWhileUnavailable } from './database/retry-while-unavailable.js';
import { createPlatformMessageHandler } from './platform/handle-platform-message.js';
import { startWaitingMessages } from './platform/start-waiting-messages.js';
import { createDeliveryResultsHandler } from './webhooks/attempts/delivery-results.js';

const PLATFORM_PREFETCH = 200;
const RESULTS_PREFETCH = 50;
const WAITING_INTERVAL_MS = 1_000;

/** Returns the consumer of the results of attempts. */
export function startConsumers(
  config: Config,
  { logger, metrics, lifecycle }: ServiceKit,
  deps: Pick<Databases, 'database' | 'recording'> &
    Pick<BrokerConnections, 'consuming'> & { readonly publisher: Publisher; readonly clock: () => Date },
): Consumer {
  const { database, recording, consuming, publisher, clock } = deps;
  const shared = { connection: consuming, logger, metrics };
  const consumers = {
    'platform-messages': startConsumer({
      ...shared,
      queue: PLATFORM_MESSAGES,
      prefetch: PLATFORM_PREFETCH,
      handle: retryWhileUnavailable(
        createPlatformMessageHandler({
          database: { query: database.query, transaction: recording.transaction },
          ...{ clock, logger, metrics },
        }),
      ),
    }),
    'platform-waiting': startWaitingMessages({
      ...{ database, publisher, clock, logger, metrics },
      deadLetterQueue: PLATFORM_MESSAGES.deadLetterQueue,
      intervalMs: WAITING_INTERVAL_MS,
    }),
    'delivery-results': startConsumer({
      ...shared,
      queue: DELIVERY_RESULTS,
      prefetch: RESULTS_PREFETCH,
      handle: retryWhileUnavailable(
        createDeliveryResultsHandler({
          ...{ database: recording, logger, metrics },
          retryBaseMs: config.WEBHOOK_RETRY_BASE_MS,
          random: Math.random,
        }),
      ),
    }),
  };
  for (const [name, consumer] of Object.entries(consumers)) {
    lifecycle.onShutdown(name, () => consumer.stop());
  }
  return consumers['delivery-results'];
}
