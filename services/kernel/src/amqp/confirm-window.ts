import { IllegalOperationError, type Message, type Options } from 'amqplib';
import { PublishError } from './publish-error.js';

/** Maximum unconfirmed messages; further ones wait. */
const WINDOW = 1_000;

interface WindowMessage {
  readonly exchange: string;
  readonly routingKey: string;
  readonly body: Buffer;
  readonly properties: Options.Publish;
}

export interface ConfirmWindow {
  /**
   * Publishes persistent and mandatory, unless the properties say otherwise. Resolves with the broker's confirm, else
   * rejects with a {@link PublishError}. Sends at once, unless 1,000 messages are unconfirmed or the socket's buffer is
   * full; then it waits within its time limit.
   */
  publish(message: WindowMessage): Promise<void>;
}

export interface ConfirmingChannel {
  publish(
    exchange: string,
    routingKey: string,
    body: Buffer,
    properties: Options.Publish,
    onConfirm: (refusal: unknown) => void,
  ): boolean;
  on(event: 'return', listener: (message: Message) => void): unknown;
  on(event: 'drain', listener: () => void): unknown;
  prependListener(event: 'close', listener: () => void): unknown;
}

interface Entry {
  readonly message: WindowMessage;
  readonly correlationId: string;
  readonly settle: (error?: Error) => void;
}

/** Creates the window of a channel on which nothing else publishes. It ends with the channel. */
export function createConfirmWindow(channel: ConfirmingChannel, confirmTimeoutMs: number): ConfirmWindow {
  const sent = new Map<string, Entry>();
  const waiting = new Set<Entry>();
  let sequence = 0;
  let isWritable = true;
  let isClosed = false;

  channel.on('return', ({ fields, properties }) => {
    sent
      .get(String(properties.correlationId))
      ?.settle(
        new PublishError(
          'returned',
          `no queue takes messages of ${fields.exchange} with key ${fields.routingKey}`,
        ),
      );
  });
  channel.on('drain', () => {
    isWritable = true;
    sendWaiting();
  });
  // Before amqplib's own listener, which reports unconfirmed messages as nacked.
  channel.prependListener('close', () => {
    isClosed = true;
    for (const entry of [...waiting, ...sent.values()]) entry.settle(lostChannel());
    waiting.clear();
    sent.clear();
  });

  function send(entry: Entry): void {
    const { exchange, routingKey, body, properties } = entry.message;
    sent.set(entry.correlationId, entry);
    try {
      isWritable = channel.publish(
        exchange,
        routingKey,
        body,
        { mandatory: true, persistent: true, ...properties, correlationId: entry.correlationId },
        (refusal: unknown) => {
          if (!sent.delete(entry.correlationId)) return;
          entry.settle(
            refusal === null ? undefined : new PublishError('nacked', 'the broker refused the message'),
          );
          sendWaiting();
        },
      );
    } catch (error) {
      sent.delete(entry.correlationId);
      const isLost = error instanceof IllegalOperationError || !(error instanceof Error);
      entry.settle(isLost ? lostChannel(error) : error);
    }
  }

  function sendWaiting(): void {
    for (const entry of waiting) {
      if (!isWritable || sent.size >= WINDOW) return;
      waiting.delete(entry);
      send(entry);
    }
  }

  return {
    publish(message) {
      if (isClosed) return Promise.reject(lostChannel());
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(entry);
          reject(new PublishError('timeout', `the broker did not confirm within ${confirmTimeoutMs} ms`));
        }, confirmTimeoutMs);
        sequence += 1;
        const entry: Entry = {
          message,
          correlationId: String(sequence),
          settle(error) {
            clearTimeout(timer);
            if (error === undefined) resolve();
            else reject(error);
          },
        };
        if (isWritable && sent.size < WINDOW && waiting.size === 0) send(entry);
        else waiting.add(entry);
      });
    },
  };
}

function lostChannel(cause?: unknown): PublishError {
  return new PublishError('closed', 'the channel was lost before the broker confirmed', cause);
}
