import type { CallOptions } from '@partner/kernel/amqp/operation-client';
import type { ServerResponse } from 'node:http';

/** Returns a signal that aborts if the client disconnects before the response is complete. */
export function signalOfGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

/**
 * Creates the call options of one request's RPCs: the rest of their shared time, and a signal that aborts when the
 * client disconnects. Time between RPCs, such as a slow upload, does not count.
 */
export function createCalls(rpcTimeoutMs: number, gone: AbortSignal) {
  let leftMs = rpcTimeoutMs;
  return async <T>(work: (call: CallOptions) => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    try {
      return await work({ timeoutMs: Math.max(1, Math.round(leftMs)), signal: gone });
    } finally {
      leftMs -= performance.now() - startedAt;
    }
  };
}
