import { LIMITS } from '@partner/proto-contracts/public-api/limits';
import type { IncomingMessage } from 'node:http';

const DRAIN_MS = 2_000;
/** Well beyond the body limit: who exceeds that by little keeps the connection, and loses no later request on it. */
const DRAIN_BYTES = 8 * LIMITS.bodyBytes;

/**
 * Discards what an answered request still sends, so that the client can read the answer before it has sent everything, and
 * ends the connection when that goes on for more than 2 seconds or 8 MB.
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
    discarded += chunk.length;
    if (discarded > DRAIN_BYTES) end();
  });
  request.resume();
}
