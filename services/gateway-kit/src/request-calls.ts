import type { CallOptions } from '@connectrpc/connect';
import type { ServerResponse } from 'node:http';

/** Fires when the client has gone before it had its response. */
export function signalOfGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

/**
 * Gives the RPCs of one request what is left of their common time, `x-request-id`, and the signal that fires when the client
 * has gone. Time between them, such as a slow upload, is not charged.
 */
export function createCalls(rpcTimeoutMs: number, requestId: string, gone: AbortSignal) {
  let leftMs = rpcTimeoutMs;
  return async <T>(work: (call: CallOptions) => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    try {
      return await work({
        timeoutMs: Math.max(1, Math.round(leftMs)),
        signal: gone,
        headers: { 'x-request-id': requestId },
      });
    } finally {
      leftMs -= performance.now() - startedAt;
    }
  };
}
