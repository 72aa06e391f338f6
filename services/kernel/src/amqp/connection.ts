import { setTimeout as delay } from 'node:timers/promises';
import { type ChannelModel, connect } from 'amqplib';
import type { Registry } from 'prom-client';
import type { Logger } from '../telemetry/logger.js';
import { createBackoff } from '../process/backoff.js';
import { hostsOf, waitFor } from '../process/wait-for.js';
import { counter, gauge } from './metrics.js';
import {
  type ChannelHost,
  type ChannelPlan,
  type ChannelSupervisor,
  superviseChannel,
  type SupervisedChannel,
} from './supervised-channel.js';
import { createTopology, type Topology, type TopologyMode } from './topology.js';
import { socketOf, watchSilence } from './watch-silence.js';
import { within } from '../process/within.js';

const HEARTBEAT_SECONDS = 10;
const CONNECT_LIMIT_MS = 10_000;
const SETUP_LIMIT_MS = 10_000;
const CLOSE_LIMIT_MS = 3_000;

/**
 * A connection to the broker that reconnects automatically, with all its channels. Publish over one connection and consume over
 * another: a broker that runs out of memory or disk stops reading from connections that publish.
 */
export interface AmqpConnection {
  /** True while it is up and not blocked, the topology is declared, and every channel is open and set up. */
  isReady(): boolean;
  /**
   * True while the broker does not read from it because it is short of memory or disk. The broker notifies a connection only
   * after its next publish. That first message waits in the broker and may take effect once the shortage is over.
   */
  isBlocked(): boolean;
  /** Opens a channel now or as soon as the connection is up, and keeps it open. */
  openChannel(plan: ChannelPlan): SupervisedChannel;
  /**
   * Closes the channels, then the connection, and stops reconnecting. Takes at most 6 s, even if the broker does not respond. A
   * connect attempt in flight is aborted.
   */
  close(): Promise<void>;
}

/** State of a connection over all its reconnects. */
interface ConnectionState extends ChannelHost {
  readonly metrics: ReturnType<typeof connectionMetrics>;
  readonly channels: Set<ChannelSupervisor>;
  /** Aborted by `close`. */
  readonly closing: AbortController;
  /** URLs of the nodes in the order of the next attempts. */
  addresses: readonly string[];
  model: ChannelModel | undefined;
  isBlocked: boolean;
  /** Aborts the connect attempt in flight, or ends the use of the open connection. */
  endPresent: () => void;
}

/**
 * Connects to the broker and stays connected. It never rejects: it retries forever with a backoff of 100 ms to 5 s. On each
 * connection it declares or checks the topology, unless `declareTopology` is false. With several nodes it tries one after the
 * other and pauses only after the last, and after a loss.
 *
 * It does not use amqplib's `recovery`, which waits without limit for a hung setup and for the close of a connection that no
 * longer responds.
 */
export function createAmqpConnection(options: {
  /** URL of the broker; URLs of several nodes are separated by commas. */
  readonly url: string;
  /** For logs, metrics and the broker's list of connections, e.g. `job-state publish`. Never holds ids. */
  readonly name: string;
  readonly logger: Logger;
  readonly metrics: Registry;
  /** False skips the topology of the contracts on connect; absent: true. */
  readonly declareTopology?: boolean;
  /** Whether the connection and its channels declare or check exchanges and queues; absent: `declare`. */
  readonly topology?: TopologyMode;
}): AmqpConnection {
  const labels = { connection: options.name };
  const metrics = connectionMetrics(options.metrics, labels);
  const topology = createTopology(options.topology ?? 'declare');
  const declared = (options.declareTopology ?? true) ? topology : undefined;
  const channels = new Set<ChannelSupervisor>();
  const closing = new AbortController();
  const state: ConnectionState = {
    ...{ labels, metrics, topology, channels, closing },
    logger: options.logger.child(labels),
    declare: (model) => declare(model, declared),
    addresses: fromAnyNode(options.url.split(',').map(withHeartbeat)),
    model: undefined,
    isBlocked: false,
    endPresent: () => undefined,
  };
  const supervision = supervise(state, `RabbitMQ at ${hostsOf(options.url)}`);
  const countWanted = () => metrics.channelsWanted.set(labels, channels.size);

  return {
    isReady() {
      if (state.model === undefined || state.isBlocked) return false;
      return [...channels].every((channel) => channel.isOptional || channel.isOpen());
    },
    isBlocked: () => state.isBlocked,
    openChannel(plan) {
      const channel = superviseChannel(plan, state);
      channels.add(channel);
      countWanted();
      channel.connected();
      return {
        ...channel,
        async close() {
          channels.delete(channel);
          countWanted();
          await channel.close();
        },
      };
    },
    async close() {
      closing.abort();
      await Promise.all([...channels].map((channel) => channel.close()));
      state.endPresent();
      await supervision;
    },
  };
}

async function supervise(state: ConnectionState, broker: string): Promise<void> {
  const backoff = createBackoff(Math.random);
  const { logger, closing } = state;
  const { signal } = closing;
  try {
    for (;;) {
      const opened = await waitFor(broker, () => connectToAny(state), { logger, signal, backoff });
      const openedAt = performance.now();
      if (!signal.aborted) await useUntilLost(state, opened);
      await closeConnection(opened.model);
      backoff.lived(performance.now() - openedAt);
      await delay(backoff.nextDelayMs(), undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Tries the nodes in turn, beginning behind the last one that was used. Fails with the errors of all. */
async function connectToAny(state: ConnectionState): Promise<OpenedConnection> {
  const { signal } = state.closing;
  const errors: unknown[] = [];
  for (const address of state.addresses) {
    state.addresses = [...state.addresses.slice(1), address];
    try {
      signal.throwIfAborted();
      return await connectAndDeclare(state, address);
    } catch (error) {
      if (signal.aborted) throw error;
      state.metrics.failures.inc(state.labels);
      errors.push(error);
    }
  }
  throw errors.length === 1 ? errors[0] : new AggregateError(errors);
}

async function connectAndDeclare(state: ConnectionState, address: string): Promise<OpenedConnection> {
  // Not the signal of `closing`, which would destroy the socket of an open connection before its channels are closed.
  const attempt = new AbortController();
  state.endPresent = () => attempt.abort();
  // amqplib passes them to the socket, which the signal destroys.
  const socketOptions = {
    noDelay: true,
    keepAlive: true,
    timeout: CONNECT_LIMIT_MS,
    clientProperties: { connection_name: state.labels.connection },
    signal: attempt.signal,
  };
  const model = await connect(address, socketOptions);
  let failure: Error | undefined;
  model.on('error', (error) => {
    failure = error;
  });
  const lost = new Promise<Error>((resolve) => {
    model.on('close', (reason) => resolve(failure ?? reason ?? new Error('the connection was closed')));
  });
  model.on('blocked', (reason) => {
    setBlocked(state, true);
    state.logger.warn({ reason }, 'amqp.blocked');
  });
  model.on('unblocked', () => {
    setBlocked(state, false);
    state.logger.info({}, 'amqp.unblocked');
  });
  try {
    await state.declare(model);
  } catch (error) {
    await closeConnection(model);
    throw error;
  }
  return { model, lost };
}

function setBlocked(state: ConnectionState, isBlocked: boolean): void {
  state.isBlocked = isBlocked;
  state.metrics.blocked.set(state.labels, isBlocked ? 1 : 0);
}

/** Opens and closes a channel even without anything to declare, which proves that the connection responds. */
async function declare(on: ChannelModel, topology: Topology | undefined): Promise<void> {
  const work = async () => {
    const channel = await on.createChannel();
    // A refused declaration rejects too; an unhandled event would end the process.
    channel.on('error', () => undefined);
    await topology?.provideAll(channel);
    await channel.close();
  };
  await within(SETUP_LIMIT_MS, 'the declaration of the topology', work());
}

async function useUntilLost(state: ConnectionState, { model, lost }: OpenedConnection): Promise<void> {
  const { labels, logger, metrics } = state;
  state.model = model;
  metrics.up.set(labels, 1);
  logger.info({}, 'amqp.connected');
  for (const channel of state.channels) channel.connected();
  const endWatch = watchSilence(model, () => state.isBlocked);
  const cause = await new Promise<Error | undefined>((resolve) => {
    state.endPresent = () => resolve(undefined);
    void lost.then(resolve);
  });
  endWatch();
  state.model = undefined;
  metrics.up.set(labels, 0);
  setBlocked(state, false);
  if (cause === undefined) return;
  metrics.losses.inc(labels);
  logger.warn({ err: cause }, 'amqp.connection_lost');
}

/** Creates the metrics of one connection. They start at 0, so that alerts see them before the first event. */
function connectionMetrics(registry: Registry, labels: ChannelHost['labels']) {
  const metrics = {
    up: gauge(registry, {
      name: 'partner_amqp_connection_up',
      help: '1 while the connection to the broker is up and the topology is declared',
      labels: ['connection'],
    }),
    blocked: gauge(registry, {
      name: 'partner_amqp_connection_blocked',
      help: '1 while the broker blocks the connection because it is short of memory or disk',
      labels: ['connection'],
    }),
    losses: counter(registry, {
      name: 'partner_amqp_connection_losses_total',
      help: 'Established connections to the broker that were lost',
      labels: ['connection'],
    }),
    failures: counter(registry, {
      name: 'partner_amqp_connect_failures_total',
      help: 'Failed attempts to connect to the broker',
      labels: ['connection'],
    }),
    rebuilds: counter(registry, {
      name: 'partner_amqp_channel_rebuilds_total',
      help: 'Channels that were reopened on a connection that stayed up',
      labels: ['connection', 'channel'],
    }),
    channelsWanted: gauge(registry, {
      name: 'partner_amqp_channels_wanted',
      help: 'Channels that the connection should have',
      labels: ['connection'],
    }),
    channelsOpen: gauge(registry, {
      name: 'partner_amqp_channels_open',
      help: 'Channels of the connection that are open and set up',
      labels: ['connection'],
    }),
  };
  const { up, blocked, losses, failures, channelsWanted, channelsOpen } = metrics;
  for (const one of [up, blocked, channelsWanted, channelsOpen]) one.set(labels, 0);
  for (const one of [losses, failures]) one.inc(labels, 0);
  return metrics;
}

interface OpenedConnection {
  readonly model: ChannelModel;
  /** Resolves to the cause once the connection has ended. */
  readonly lost: Promise<Error>;
}

/** Begins with any of the nodes, which spreads the connections of all replicas over them. */
function fromAnyNode(addresses: readonly string[]): readonly string[] {
  const first = Math.floor(Math.random() * addresses.length);
  return [...addresses.slice(first), ...addresses.slice(0, first)];
}

function withHeartbeat(url: string): string {
  const parsed = new URL(url);
  if (!parsed.searchParams.has('heartbeat')) parsed.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS));
  return parsed.href;
}

/** Closes a connection in any state within 3 s and frees its socket. */
async function closeConnection(model: ChannelModel): Promise<void> {
  try {
    await within(CLOSE_LIMIT_MS, 'closing the connection', model.close());
  } catch {
    // It is closed already or no longer responds.
  }
  // After a missed heartbeat amqplib only closes its side; the socket of a vanished broker would stay open for many minutes.
  // The error makes amqplib stop its timers.
  socketOf(model)?.destroy(new Error('the connection was given up'));
}
