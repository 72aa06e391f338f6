import { IllegalOperationError, type Message, type Options } from 'amqplib';
import { PublishError } from './publish-error.js';

const WINDOW = 1_000;

interface WindowMessage {
  readonly exchange: string;
  readonly routingKey: string;
  readonly body: Uint8Array;
  /** Unique on the channel. */
  readonly correlationId: string;
  /** Returns the other properties; called when the message is sent. */
  readonly properties: () => Options.Publish;
  /**
   * Called with nothing once the broker has confirmed, else with a {@link PublishError}, or the error of an invalid message. The
   * broker also confirms a `returned` message.
   */
  readonly settle: (error?: Error) => void;
}

export interface ConfirmWindow {
  /** Sends at once, unless 1,000 messages are unconfirmed or the socket's buffer is full; then as soon as it can. */
  send(message: WindowMessage): void;
  /** Drops a message that waits. Returns false if it was sent, or has settled. */
  withdraw(correlationId: string): boolean;
}

interface ConfirmingChannel {
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

/** Creates the window of a channel on which nothing else publishes. It ends with the channel. Messages are mandatory. */
export function createConfirmWindow(channel: ConfirmingChannel): ConfirmWindow {
  const sent = new Map<string, WindowMessage>();
  const waiting = new Map<string, WindowMessage>();
  let isWritable = true;
  let isClosed = false;

  channel.on('return', ({ fields, properties }) => {
    const cause = `no queue takes messages of ${fields.exchange} with key ${fields.routingKey}`;
    sent.get(String(properties.correlationId))?.settle(new PublishError('returned', cause));
  });
  channel.on('drain', () => {
    isWritable = true;
    sendWaiting();
  });
  // Before amqplib's own listener, which reports unconfirmed messages as nacked.
  channel.prependListener('close', () => {
    isClosed = true;
    for (const { settle } of waiting.values()) settle(unsent());
    for (const { settle } of sent.values()) {
      settle(new PublishError('closed', 'the channel was lost before the broker confirmed'));
    }
    waiting.clear();
    sent.clear();
  });

  function sendNow(message: WindowMessage): void {
    const { exchange, routingKey, body, correlationId, properties, settle } = message;
    sent.set(correlationId, message);
    try {
      isWritable = channel.publish(
        exchange,
        routingKey,
        Buffer.from(body.buffer, body.byteOffset, body.byteLength),
        { mandatory: true, persistent: true, ...properties(), correlationId },
        (refusal: unknown) => {
          if (!sent.delete(correlationId)) return;
          settle(refusal === null ? undefined : new PublishError('nacked', 'the broker refused the message'));
          sendWaiting();
        },
      );
    } catch (error) {
      sent.delete(correlationId);
      const isLost = error instanceof IllegalOperationError || !(error instanceof Error);
      settle(isLost ? unsent(error) : error);
    }
  }

  function sendWaiting(): void {
    for (const [correlationId, message] of waiting) {
      if (!isWritable || sent.size >= WINDOW) return;
      waiting.delete(correlationId);
      sendNow(message);
    }
  }

  return {
    send(message) {
      if (isClosed) message.settle(unsent());
      else if (isWritable && sent.size < WINDOW && waiting.size === 0) sendNow(message);
      else waiting.set(message.correlationId, message);
    },
    withdraw: (correlationId) => waiting.delete(correlationId),
  };
}

function unsent(cause?: unknown): PublishError {
  return new PublishError('not-connected', 'the channel was lost before the message was sent', cause);
}
