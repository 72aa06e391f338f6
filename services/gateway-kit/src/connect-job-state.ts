import type { Transport } from '@connectrpc/connect';
import { type AmqpConnection, createAmqpConnection } from '@partner/kernel/amqp/connection';
import { createOperationClient, type OperationClient } from '@partner/kernel/amqp/operation-client';
import { createRpcClient } from '@partner/kernel/amqp/rpc-client';
import { transportOver } from '@partner/kernel/amqp/rpc-transport';
import type { commonConfig, httpConfig } from '@partner/kernel/config';
import type { ServiceKit } from '@partner/kernel/service';
import type { QueueDefinition } from '@partner/proto-contracts/topology';
import type { z } from 'zod';
import { createShardTransport } from './shards/shard-transport.js';

type Settings = Pick<
  z.infer<z.ZodObject<typeof commonConfig & typeof httpConfig>>,
  'AMQP_URL' | 'AMQP_TOPOLOGY' | 'SHARD_AMQP_URLS' | 'RPC_TIMEOUT_MS'
>;

/** One job-state with its database and broker. */
export interface Shard {
  readonly connection: AmqpConnection;
  /** Transport to this job-state only. */
  readonly transport: Transport;
  readonly operations: OperationClient;
}

/**
 * Connects to the broker of each shard, and calls the job-state there. The transport finds the shard of each call; with one shard
 * it is that of the shard itself. The service is ready once it has reached one of the brokers. On shutdown the connections
 * close.
 */
export function connectJobState(
  settings: Settings,
  { logger, metrics, lifecycle }: Pick<ServiceKit, 'logger' | 'metrics' | 'lifecycle'>,
  { name, queue }: { readonly name: string; readonly queue: QueueDefinition },
): {
  readonly shards: readonly Shard[];
  readonly transport: Transport;
  readonly operations: OperationClient;
} {
  const defaultTimeoutMs = settings.RPC_TIMEOUT_MS;

  function connect(url: string, index = 0): Shard {
    const suffix = index === 0 ? '' : `-${index + 1}`;
    const connection = createAmqpConnection({
      url,
      topology: settings.AMQP_TOPOLOGY,
      name: `${name}${suffix}`,
      logger,
      metrics,
    });
    lifecycle.onShutdown(`rabbitmq${suffix}`, () => connection.close());
    lifecycle.addDependency(`rabbitmq${suffix}`, () => connection.isReady(), 'rabbitmq');
    const client = createRpcClient({ connection, queue, logger, metrics, defaultTimeoutMs });
    lifecycle.onShutdown(`rpc${suffix}`, () => client.close());
    const transport = transportOver(client, { logger });
    return { connection, transport, operations: createOperationClient(client) };
  }

  const first = connect(settings.AMQP_URL);
  const others = settings.SHARD_AMQP_URLS.map((url, index) => connect(url, index + 1));
  const transport =
    others.length === 0
      ? first.transport
      : createShardTransport({
          shards: [first.transport, ...others.map((shard) => shard.transport)],
          defaultTimeoutMs,
          monotonicMs: () => performance.now(),
        });
  return { shards: [first, ...others], transport, operations: first.operations };
}
