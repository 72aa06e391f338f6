import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The answers that clients have asked for and not taken yet. */
export interface UnreadAnswers {
  /** Counts an answer of so many bytes until it is handed over or its connection has gone. To be called in the moment it is sent. */
  add(response: ServerResponse, bytes: number): void;
}

/**
 * Keeps what a process holds for clients that do not read within `mostBytes`: with an answer that would go beyond, the
 * connections that have waited longest are cut, whoever they are of. Who reads has an answer within moments, so that
 * those who do not read go first.
 */
export function createUnreadAnswers(mostBytes: number): UnreadAnswers {
  /** Bytes by connection, from the one that has waited longest. */
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
    add(response, bytes) {
      const { socket } = response.req;
      if (socket.destroyed || bytes === 0) return;
      if (!watched.has(socket)) {
        watched.add(socket);
        // The answers that wait for an earlier one of their connection are not told of its end.
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
