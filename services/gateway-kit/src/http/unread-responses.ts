import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

export type UnreadResponses = ReturnType<typeof createUnreadResponses>;

/**
 * Bounds the memory held for clients that do not read to `mostBytes`. If a response exceeds the bound, the connections
 * that have waited longest are closed, regardless of their client. A reading client receives its response within
 * moments, so clients that do not read are closed first.
 */
export function createUnreadResponses(mostBytes: number) {
  /** Unread bytes by connection; the longest waiting first. */
  const unread = new Map<Duplex, number>();
  const watched = new WeakSet<Duplex>();
  let total = 0;

  function count(socket: Duplex, bytes: number): void {
    const counted = unread.get(socket) ?? 0;
    const left = counted + bytes;
    total += bytes;
    if (left === 0) unread.delete(socket);
    else unread.set(socket, left);
  }

  function forget(socket: Duplex): void {
    total -= unread.get(socket) ?? 0;
    unread.delete(socket);
  }

  return {
    /** Counts the bytes of a response until it is flushed or its connection closes. Call it when the response is sent. */
    add(response: ServerResponse, bytes: number): void {
      const { socket } = response.req;
      if (socket.destroyed || bytes === 0) return;
      if (!watched.has(socket)) {
        watched.add(socket);
        // Responses queued behind an earlier one get no event when the connection closes.
        socket.once('close', () => forget(socket));
      }
      count(socket, bytes);
      response.once('finish', () => {
        if (unread.has(socket)) count(socket, -bytes);
      });
      for (const oldest of unread.keys()) {
        if (total <= mostBytes) break;
        forget(oldest);
        oldest.destroy();
      }
    },
  };
}
