import { JOB_STATE_INSTALLER_RPC, PARTNER_EVENTS_FOR_PLATFORM } from '@partner/proto-contracts/topology';
import { createAmqpConnection } from '@partner/kernel/amqp/connection';
import { startConsumer } from '@partner/kernel/amqp/consumer';
import { createPublisher } from '@partner/kernel/amqp/publisher';
import { createRpcClient } from '@partner/kernel/amqp/rpc-client';
import { runService } from '@partner/kernel/process/service';
import { simulatorConfig } from './sandbox/simulator-config.js';
import { startSimulator } from './sandbox/start-simulator.js';

/**
 * Simulates the platform and the installers of a sandbox through the broker. Also consumes the messages for the platform.
 * Run one replica, and only where no platform is connected. Refuses to start in production.
 */
await runService({
  name: 'sandbox-simulator',
  config: simulatorConfig,
  async start(config, { logger, metrics, lifecycle }) {
    const connection = createAmqpConnection({
      url: config.AMQP_URL,
      topology: config.AMQP_TOPOLOGY,
      name: 'sandbox-simulator',
      logger,
      metrics,
    });
    lifecycle.addDependency('broker', () => connection.isReady());
    lifecycle.onShutdown('broker', () => connection.close());
    const publisher = createPublisher({ connection, logger, metrics });
    lifecycle.onShutdown('publisher', () => publisher.flush());
    const operations = createRpcClient({
      connection,
      queue: JOB_STATE_INSTALLER_RPC,
      logger,
      metrics,
      defaultTimeoutMs: config.RPC_TIMEOUT_MS,
    });
    lifecycle.onShutdown('rpc', () => operations.close());

    // No other consumer exists here, and a full queue would block job-state.
    const drain = startConsumer({
      connection,
      queue: PARTNER_EVENTS_FOR_PLATFORM,
      prefetch: 100,
      logger,
      metrics,
      handle: async () => ({ kind: 'done' }),
    });
    lifecycle.onShutdown('partner-events', () => drain.stop());
    const simulator = startSimulator({
      publisher,
      operations,
      seed: config.SIMULATOR_SEED,
      movesPerMinute: config.SIMULATOR_MOVES_PER_MINUTE,
      clock: () => new Date(),
      logger,
      metrics,
    });
    lifecycle.onShutdown('simulator', () => simulator.stop());
    logger.info(
      { seed: config.SIMULATOR_SEED, movesPerMinute: config.SIMULATOR_MOVES_PER_MINUTE },
      'simulator.started',
    );
  },
});
