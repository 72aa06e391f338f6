import { Socket } from 'node:net';
import type { Channel, ChannelModel } from 'amqplib';

const CHECK_MS = 500;
/** 3 s, counted in checks: a blocked event loop delays the checks as well as the data. */
const SILENT_CHECKS = 6;

/**
 * Ends a connection whose broker has sent nothing for 3 s, although it was asked to. AMQP heartbeats notice that after 20 to 30 s;
 * with shorter ones the broker would end the connections of busy clients. Returns a function that ends the watch.
 */
export function watchSilence(model: ChannelModel, isBlocked: () => boolean): () => void {
  const socket = socketOf(model);
  if (socket === undefined) return () => undefined;
  let channel: Channel | undefined;
  let bytesRead = 0;
  let silentChecks = 0;

  /** Its response counts as data. The broker's channel process responds without any queue or other node. */
  async function probe(): Promise<void> {
    channel ??= await model.createChannel();
    await channel.prefetch(1);
  }

  const timer = setInterval(() => {
    // A blocked connection does not read, so it would not respond.
    if (socket.bytesRead !== bytesRead || isBlocked()) {
      bytesRead = socket.bytesRead;
      silentChecks = 0;
      return;
    }
    silentChecks += 1;
    // It fails only with its connection.
    if (silentChecks === 1) void probe().catch(() => undefined);
    if (silentChecks === SILENT_CHECKS) socket.destroy(new Error('the broker did not respond for 3 s'));
  }, CHECK_MS);
  return () => clearInterval(timer);
}

/** Returns the socket of a connection. amqplib has no type for it. */
export function socketOf({ connection }: ChannelModel): Socket | undefined {
  return 'stream' in connection && connection.stream instanceof Socket ? connection.stream : undefined;
}
