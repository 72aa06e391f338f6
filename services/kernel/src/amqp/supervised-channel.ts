import type { Channel, ChannelModel, ConfirmChannel } from 'amqplib';
import type { Counter, Gauge } from 'prom-client';
import type { Logger } from '../telemetry/logger.js';
import { createBackoff } from '../process/backoff.js';
import type { Topology } from './topology.js';
import { within } from '../process/within.js';

const SETUP_LIMIT_MS = 10_000;
const CLOSE_LIMIT_MS = 3_000;

/**
 * Name and setup of a channel. `setup` runs on every new channel, and ensures its exchanges and queues through the
 * connection's topology.
 */
export type ChannelPlan = {
  /** Label for logs and metrics, e.g. `publisher`. Never holds ids. */
  readonly name: string;
  /** If true, readiness does not depend on the channel. */
  readonly isOptional?: boolean;
  /** Called with the cause as soon as a channel that was passed to `setup` is unusable. */
  readonly onLost?: (cause: Error) => void;
} & (
  | { readonly confirm: true; readonly setup: (channel: ConfirmChannel, topology: Topology) => Promise<void> }
  | { readonly confirm: false; readonly setup: (channel: Channel, topology: Topology) => Promise<void> }
);

/** A channel that is reopened whenever it or its connection is lost, until `close`. */
export interface SupervisedChannel {
  /** True while a channel is open and its setup has succeeded. */
  isOpen(): boolean;
  /** Replaces the current channel, which no longer works. */
  rebuild(cause: Error): void;
  /** Sends what was written to the channel, then closes it permanently. */
  close(): Promise<void>;
}

export interface ChannelSupervisor extends SupervisedChannel {
  readonly isOptional: boolean;
  connected(): void;
}

/** State of the connection, as its channels see it. */
export interface ChannelHost {
  readonly labels: { readonly connection: string };
  readonly logger: Logger;
  readonly metrics: {
    readonly rebuilds: Counter<'connection' | 'channel'>;
    readonly channelsOpen: Gauge<'connection'>;
  };
  readonly topology: Topology;
  /** The open connection; undefined if there is none. */
  readonly model: ChannelModel | undefined;
  /** Runs before a channel is reopened on the same connection: its queues may have been deleted. */
  readonly declare: (model: ChannelModel) => Promise<void>;
}

/**
 * Supervises one channel. On a new connection it opens the channel at once.
 *
 * It reopens the channel on the same connection if the channel closes (a refused operation, a consumer timeout), its setup fails
 * or it is replaced. The backoff is 100 ms to 5 s, without a limit of attempts.
 */
export function superviseChannel(plan: ChannelPlan, host: ChannelHost): ChannelSupervisor {
  const { labels, metrics, topology } = host;
  const logger = host.logger.child({ channel: plan.name });
  const backoff = createBackoff(Math.random);
  let current: Channel | undefined;
  let isOpen = false;
  let isOpening = false;
  let isClosed = false;
  let needsRedeclaration = false;
  let openedAt = 0;
  let timer: NodeJS.Timeout | undefined;

  function start(): void {
    clearTimeout(timer);
    const { model } = host;
    if (isClosed || isOpening || current !== undefined || model === undefined) return;
    isOpening = true;
    void open(model)
      .catch((error: unknown) => {
        logger.warn({ err: error }, 'amqp.channel_setup_failed');
        scheduleStart();
      })
      .finally(() => {
        isOpening = false;
      });
  }

  function scheduleStart(): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(start, backoff.nextDelayMs());
  }

  async function open(model: ChannelModel): Promise<void> {
    const isRebuild = needsRedeclaration;
    needsRedeclaration = true;
    if (isRebuild) await host.declare(model);
    if (plan.confirm) {
      const channel = await within(SETUP_LIMIT_MS, 'opening a channel', model.createConfirmChannel());
      await makeReady(channel, () => plan.setup(channel, topology));
    } else {
      const channel = await within(SETUP_LIMIT_MS, 'opening a channel', model.createChannel());
      await makeReady(channel, () => plan.setup(channel, topology));
    }
    if (isRebuild) {
      metrics.rebuilds.inc({ ...labels, channel: plan.name });
      logger.info({}, 'amqp.channel_rebuilt');
    }
  }

  async function makeReady(channel: Channel, setup: () => Promise<void>): Promise<void> {
    let cause = new Error('the channel was closed');
    channel.on('error', (error) => {
      cause = error;
    });
    const lost = new Promise<never>((_resolve, reject) => {
      channel.on('close', () => {
        reject(cause);
        lose(channel, cause);
      });
    });
    // A loss after the setup would otherwise be an unhandled rejection.
    lost.catch(() => undefined);
    current = channel;
    openedAt = performance.now();
    try {
      if (isClosed) throw new Error('the channel is being closed');
      await within(SETUP_LIMIT_MS, `the setup of channel "${plan.name}"`, Promise.race([setup(), lost]));
      // The channel may have been replaced in the same tick in which its setup ended.
      if (current !== channel) throw cause;
      isOpen = true;
      metrics.channelsOpen.inc(labels);
    } catch (error) {
      lose(channel, error instanceof Error ? error : cause);
      throw error;
    }
  }

  function lose(channel: Channel, cause: Error): void {
    if (current !== channel) return;
    current = undefined;
    const wasOpen = isOpen;
    isOpen = false;
    if (wasOpen) metrics.channelsOpen.dec(labels);
    backoff.lived(performance.now() - openedAt);
    if (wasOpen && !isClosed) logger.warn({ err: cause }, 'amqp.channel_lost');
    plan.onLost?.(cause);
    void closeQuietly(channel);
    if (wasOpen) scheduleStart();
  }

  return {
    isOptional: plan.isOptional === true,
    isOpen: () => isOpen,
    connected() {
      needsRedeclaration = false;
      start();
    },
    rebuild(cause) {
      if (current !== undefined) lose(current, cause);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      const channel = current;
      if (channel === undefined) return;
      await closeQuietly(channel);
      lose(channel, new Error('the channel was closed by this process'));
    },
  };
}

async function closeQuietly(channel: Channel): Promise<void> {
  try {
    await within(CLOSE_LIMIT_MS, 'closing a channel', channel.close());
  } catch {
    // The channel is already closed, or its connection is lost.
  }
}
