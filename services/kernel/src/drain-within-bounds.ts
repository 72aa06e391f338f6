import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { IncomingMessage } from 'node:http';

const DRAIN_MS = 2_000;
/**
 * Well above the body limit: a client that exceeds it by little keeps its connection, and loses no later request on it.
 */
const DRAIN_BYTES = 8 * LIMITS.bodyBytes;
/** Bytes that a chunk counts at least, since each costs the same time. */
const CHUNK_BYTES = 1_024;

/**
 * Discards the rest of a request after its response, so that the client can read the response before it has sent everything.
 * Closes the connection after 2 seconds or 8 MB.
 */
export function drainWithinBounds(request: IncomingMessage): void {
  if (request.complete) return;
  let discarded = 0;
  const end = () => request.socket.destroy();
  const timer = setTimeout(end, DRAIN_MS);
  timer.unref();
  request.once('close', () => clearTimeout(timer));
  request.once('end', () => clearTimeout(timer));
  request.on('data', (chunk: Buffer) => {
    discarded += Math.max(chunk.length, CHUNK_BYTES);
    if (discarded > DRAIN_BYTES) end();
  });
  request.resume();
}
