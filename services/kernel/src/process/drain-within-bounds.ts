import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { IncomingMessage } from 'node:http';

const DRAIN_MS = 2_000;
/**
 * Well above the body limit: a client that exceeds it by little keeps its connection, and loses no later request on it.
 */
const DRAIN_BYTES = 8 * LIMITS.bodyBytes;
/** Bytes that a chunk counts at least, since each costs the same time. */
const CHUNK_BYTES = 1_024;

/** Bytes that all requests together discard in a turn: about a tenth of one core, however many bodies are refused at once. */
const TURN = { ms: 50, bytes: LIMITS.bodyBytes / 2 } as const;
const REQUESTS_OF_TURN = 4;

/** Requests whose rest is discarded, in the order of their turns. */
const draining = new Set<IncomingMessage>();
let bytesOfTurn = 0;
let turns: NodeJS.Timeout | undefined;

/**
 * Discards the rest of a request after its response, so that the client can read the response before it has sent everything.
 * Closes the connection after 2 seconds or 8 MB. All connections of the process together are read at 10 MB per second at most.
 */
export function drainWithinBounds(request: IncomingMessage): void {
  const { socket } = request;
  if (request.complete || socket.destroyed) return;
  const timer = setTimeout(() => socket.destroy(), DRAIN_MS).unref();
  const end = () => {
    clearTimeout(timer);
    draining.delete(request);
    socket.off('close', end);
  };
  // After its response a request does not say that its connection has closed.
  socket.once('close', end);
  request.once('end', end);
  let discarded = 0;
  request.on('data', (chunk: Buffer) => {
    const bytes = Math.max(chunk.length, CHUNK_BYTES);
    discarded += bytes;
    bytesOfTurn += bytes;
    if (discarded > DRAIN_BYTES) socket.destroy();
    if (bytesOfTurn >= TURN.bytes) request.pause();
  });
  draining.add(request);
  // Node itself would discard the rest, without a bound, of a request of which nothing was read.
  if (bytesOfTurn < TURN.bytes) request.resume();
  else request.pause().read();
  turns ??= setInterval(takeTurn, TURN.ms).unref();
}

function takeTurn(): void {
  bytesOfTurn = 0;
  if (draining.size === 0) {
    clearInterval(turns);
    turns = undefined;
    return;
  }
  for (const request of [...draining].slice(0, REQUESTS_OF_TURN)) {
    draining.delete(request);
    draining.add(request);
    request.resume();
  }
}
