import type { ServerResponse } from 'node:http';

/** Maximum bytes buffered for a slow client. */
const MAX_WAITING_BYTES = 65_536;

export interface ResponseStream {
  /**
   * Sends a text. If more than 64 KB are unread, cuts the client off instead of buffering. Does nothing after the
   * stream is over.
   */
  write(text: string): void;
  /** Ends the response. Idempotent. */
  end(): void;
  /**
   * Aborted when either side ends the stream. Aborted from the start if the client has already disconnected.
   */
  readonly over: AbortSignal;
}

/**
 * Creates the stream of a response whose head has been sent. If the response has already ended, the stream is over from
 * the start.
 */
export function createResponseStream(response: ServerResponse): ResponseStream {
  const over = new AbortController();
  const isOver = () => response.writableEnded || response.destroyed;
  if (isOver()) over.abort();
  else response.once('close', () => over.abort());

  return {
    write(text) {
      if (isOver()) return;
      if (response.writableLength > MAX_WAITING_BYTES) response.destroy();
      else response.write(text);
    },
    end() {
      if (isOver()) return;
      response.end();
      over.abort();
    },
    over: over.signal,
  };
}
