import { QUEUES } from '@partner/proto-contracts/topology';
import { type AmqpConnection, createAmqpConnection } from '@partner/kernel/amqp/connection';
import { startQueueWatch } from '@partner/kernel/amqp/start-queue-watch';
import type { ServiceKit } from '@partner/kernel/process/service';
import { hostsOf } from '@partner/kernel/process/wait-for';
import type { Config } from './config.js';
import { createDatabase, type Database } from './database/database.js';
import { measureHeldSnapshots } from './database/held-snapshots.js';
import { createPoolMetrics } from './database/pool-metrics.js';
import { requireSchema } from './database/migrations/require-schema.js';

const QUEUE_POOL_SIZE = 3;
/** One transaction of the platform's messages at a time, and one of results. */
const RECORDING_POOL_SIZE = 2;
const QUEUE_WATCH_INTERVAL_MS = 15_000;

/** Connection pools of one process. All lead to the same database, so that none of these waits for a connection behind a burst of writes. */
export interface Databases {
  readonly database: Database;
  /** For the statements of the scheduler. */
  readonly queue: Database;
  /** For the transactions of messages from the broker: the platform's, and results. */
  readonly recording: Database;
}

/** Opens the pools and waits until the migrations have run. They close after everything that uses them. */
export async function openDatabases(
  config: Config,
  { logger, metrics, lifecycle, waitFor }: ServiceKit,
): Promise<Databases> {
  const poolMetrics = createPoolMetrics(metrics);
  const hooks = {};
  const open = (pool: string, poolSize: number, plainIndexScans: boolean) =>
    createDatabase({
      ...{ url: config.POSTGRES_URL, poolSize, plainIndexScans, hooks, logger },
      measured: { by: poolMetrics, pool },
    });
  const database = open('main', config.POSTGRES_POOL_SIZE, false);
  lifecycle.addDependency('database', () => database.isReady());
  lifecycle.onShutdown('database', () => database.end());
  const queue = open('queue', QUEUE_POOL_SIZE, true);
  lifecycle.onShutdown('queue-database', () => queue.end());
  const recording = open('recording', RECORDING_POOL_SIZE, true);
  lifecycle.onShutdown('recording-database', () => recording.end());
  measureHeldSnapshots({ database: queue, metrics, logger, elapsedMs: () => performance.now() });
  await waitFor(`the schema in Postgres at ${hostsOf(config.POSTGRES_URL)}`, () => requireSchema(database));
  return { database, queue, recording };
}

/**
 * Connections of one process to the broker. A broker that runs out of resources blocks connections that publish;
 * acknowledgements continue over the other one.
 */
export interface BrokerConnections {
  readonly publishing: AmqpConnection;
  readonly consuming: AmqpConnection;
}

export function connectToBroker(
  config: Config,
  { logger, metrics, lifecycle }: ServiceKit,
  clock: () => Date,
): BrokerConnections {
  const amqp = { url: config.AMQP_URL, topology: config.AMQP_TOPOLOGY, logger, metrics };
  const connect = (purpose: string) => {
    const connection = createAmqpConnection({ ...amqp, name: `job-state ${purpose}` });
    lifecycle.addDependency(`broker-${purpose}`, () => connection.isReady());
    lifecycle.onShutdown(`broker-${purpose}`, () => connection.close());
    return connection;
  };
  const publishing = connect('publish');
  const consuming = connect('consume');
  const queueWatch = startQueueWatch({
    connection: consuming,
    queues: QUEUES,
    metrics,
    clock,
    intervalMs: QUEUE_WATCH_INTERVAL_MS,
  });
  lifecycle.onShutdown('queue-watch', () => queueWatch.stop());
  return { publishing, consuming };
}
