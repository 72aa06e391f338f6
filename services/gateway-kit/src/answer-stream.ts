import type { ServerResponse } from 'node:http';

/** Bytes that may wait for a client to read them. */
const MAX_WAITING_BYTES = 65_536;

/** The body of an answer that is written bit by bit. */
export interface AnswerStream {
  /**
   * Sends a text. A client that has more than 64 KB yet to read is cut off instead: nothing is kept for it. Does nothing once
   * the stream is over.
   */
  write(text: string): void;
  /** Ends the answer. Repeating it is harmless. */
  end(): void;
  /** Aborted as soon as the stream is over, whoever ended it; so from the start for a client that has gone by then. */
  readonly over: AbortSignal;
}

/** Makes the stream of an answer whose head has been sent. One that is ended already gives a stream that is over. */
export function createAnswerStream(response: ServerResponse): AnswerStream {
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
