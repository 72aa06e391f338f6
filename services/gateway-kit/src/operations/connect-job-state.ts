import { type AmqpConnection, createAmqpConnection } from '@partner/kernel/amqp/connection';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import { createRpcClient } from '@partner/kernel/amqp/rpc-client';
import type { commonConfig, httpConfig } from '@partner/kernel/process/config';
import type { ServiceKit } from '@partner/kernel/process/service';
import type { QueueDefinition } from '@partner/proto-contracts/topology';
import type { z } from 'zod';

type Settings = Pick<
  z.infer<z.ZodObject<typeof commonConfig & typeof httpConfig>>,
  'AMQP_URL' | 'AMQP_TOPOLOGY' | 'RPC_TIMEOUT_MS'
>;

/**
 * Connects to the broker, and calls job-state over it. The service is ready once it has reached the broker. On shutdown the
 * connection closes.
 */
export function connectJobState(
  settings: Settings,
  { logger, metrics, lifecycle }: Pick<ServiceKit, 'logger' | 'metrics' | 'lifecycle'>,
  { name, queue }: { readonly name: string; readonly queue: QueueDefinition },
): {
  readonly connection: AmqpConnection;
  readonly operations: OperationClient;
} {
  const connection = createAmqpConnection({
    url: settings.AMQP_URL,
    topology: settings.AMQP_TOPOLOGY,
    name,
    logger,
    metrics,
  });
  lifecycle.onShutdown('rabbitmq', () => connection.close());
  lifecycle.addDependency('rabbitmq', () => connection.isReady());
  const defaultTimeoutMs = settings.RPC_TIMEOUT_MS;
  const operations = createRpcClient({ connection, queue, logger, metrics, defaultTimeoutMs });
  lifecycle.onShutdown('rpc', () => operations.close());
  return { connection, operations };
}
