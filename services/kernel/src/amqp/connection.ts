import { setTimeout as delay } from 'node:timers/promises';
import { type ChannelModel, connect } from 'amqplib';
import type { Registry } from 'prom-client';
import type { Logger } from '../telemetry/logger.js';
import { createBackoff } from '../process/backoff.js';
import { hostsOf, waitFor } from '../process/wait-for.js';
import { counter, gauge } from './metrics.js';
import {
  type ChannelPlan,
  type ChannelSupervisor,
  superviseChannel,
  type SupervisedChannel,
} from './supervised-channel.js';
import { createTopology, type TopologyMode } from './topology.js';
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
  const logger = options.logger.child({ connection: options.name });
  const topology = createTopology(options.topology ?? 'declare');
  const labels = { connection: options.name };
  const hosts = hostsOf(options.url);
  let addresses = fromAnyNode(options.url.split(',').map(withHeartbeat));
  const { up, blocked, losses, failures, rebuilds, channelsWanted, channelsOpen } = connectionMetrics(
    options.metrics,
    options.name,
  );

  const channels = new Set<ChannelSupervisor>();
  const needed = new Set<ChannelSupervisor>();
  const closing = new AbortController();
  let model: ChannelModel | undefined;
  let isBlocked = false;
  let endPresent: (() => void) | undefined;

  async function supervise(): Promise<void> {
    const backoff = createBackoff(Math.random);
    const { signal } = closing;
    try {
      for (;;) {
        const opened = await waitFor(`RabbitMQ at ${hosts}`, connectToAny, { logger, signal, backoff });
        const openedAt = performance.now();
        await useUntilLost(opened);
        backoff.lived(performance.now() - openedAt);
        await delay(backoff.nextDelayMs(), undefined, { signal });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Tries the nodes in turn, beginning behind the last one that was used. Fails with the errors of all. */
  async function connectToAny(): Promise<OpenedConnection> {
    const errors: unknown[] = [];
    for (const address of addresses) {
      addresses = [...addresses.slice(1), address];
      try {
        closing.signal.throwIfAborted();
        return await openConnection(address);
      } catch (error) {
        if (closing.signal.aborted) throw error;
        failures.inc(labels);
        errors.push(error);
      }
    }
    throw errors.length === 1 ? errors[0] : new AggregateError(errors);
  }

  async function openConnection(address: string): Promise<OpenedConnection> {
    // A separate signal: `closing` would destroy the socket of an open connection too.
    const attempt = new AbortController();
    const giveUp = () => attempt.abort();
    closing.signal.addEventListener('abort', giveUp);
    try {
      return await connectAndDeclare(address, attempt.signal);
    } finally {
      closing.signal.removeEventListener('abort', giveUp);
    }
  }

  async function connectAndDeclare(address: string, signal: AbortSignal): Promise<OpenedConnection> {
    // amqplib passes them to the socket, which the signal destroys.
    const socketOptions = {
      noDelay: true,
      keepAlive: true,
      timeout: CONNECT_LIMIT_MS,
      clientProperties: { connection_name: options.name },
      signal,
    };
    const opened = await connect(address, socketOptions);
    let failure: Error | undefined;
    opened.on('error', (error) => {
      failure = error;
    });
    const lost = new Promise<Error>((resolve) => {
      opened.on('close', (reason) => resolve(failure ?? reason ?? new Error('the connection was closed')));
    });
    opened.on('blocked', (reason) => {
      isBlocked = true;
      blocked.set(labels, 1);
      logger.warn({ reason }, 'amqp.blocked');
    });
    opened.on('unblocked', () => {
      isBlocked = false;
      blocked.set(labels, 0);
      logger.info({}, 'amqp.unblocked');
    });
    try {
      await declare(opened);
    } catch (error) {
      await closeConnection(opened);
      throw error;
    }
    return { model: opened, lost };
  }

  /** Opens and closes a channel even without anything to declare, which proves that the connection responds. */
  async function declare(on: ChannelModel): Promise<void> {
    const work = async () => {
      const channel = await on.createChannel();
      // A refused declaration rejects too; an unhandled event would end the process.
      channel.on('error', () => undefined);
      if (options.declareTopology ?? true) await topology.provideAll(channel);
      await channel.close();
    };
    await within(SETUP_LIMIT_MS, 'the declaration of the topology', work());
  }

  async function useUntilLost(opened: OpenedConnection): Promise<void> {
    if (!closing.signal.aborted) {
      model = opened.model;
      up.set(labels, 1);
      logger.info({}, 'amqp.connected');
      for (const channel of channels) channel.connected();
      const endWatch = watchSilence(opened.model, () => isBlocked);
      const cause = await new Promise<Error | undefined>((resolve) => {
        endPresent = () => resolve(undefined);
        void opened.lost.then(resolve);
      });
      endWatch();
      endPresent = undefined;
      model = undefined;
      isBlocked = false;
      up.set(labels, 0);
      blocked.set(labels, 0);
      if (cause !== undefined) {
        losses.inc(labels);
        logger.warn({ err: cause }, 'amqp.connection_lost');
      }
    }
    await closeConnection(opened.model);
  }

  const supervision = supervise();

  return {
    isReady: () => model !== undefined && !isBlocked && [...needed].every((channel) => channel.isOpen()),
    isBlocked: () => isBlocked,
    openChannel(plan) {
      const supervisor = superviseChannel({
        plan,
        model: () => model,
        topology,
        redeclare: declare,
        logger,
        rebuilds,
        open: channelsOpen,
        connectionName: options.name,
      });
      channels.add(supervisor);
      if (plan.isOptional !== true) needed.add(supervisor);
      channelsWanted.set(labels, channels.size);
      supervisor.connected();
      return {
        isOpen: () => supervisor.isOpen(),
        rebuild: (cause) => supervisor.rebuild(cause),
        async close() {
          channels.delete(supervisor);
          needed.delete(supervisor);
          channelsWanted.set(labels, channels.size);
          await supervisor.close();
        },
      };
    },
    async close() {
      closing.abort();
      await Promise.all([...channels].map((channel) => channel.close()));
      endPresent?.();
      await supervision;
    },
  };
}

/** Creates the metrics of one connection. They start at 0, so that alerts see them before the first event. */
function connectionMetrics(registry: Registry, connection: string) {
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
  metrics.up.set({ connection }, 0);
  metrics.blocked.set({ connection }, 0);
  metrics.channelsWanted.set({ connection }, 0);
  metrics.channelsOpen.set({ connection }, 0);
  metrics.losses.inc({ connection }, 0);
  metrics.failures.inc({ connection }, 0);
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
