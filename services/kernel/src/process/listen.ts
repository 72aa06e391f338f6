import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';

/** A server could not bind its port. The message names the port and the setting that chooses it. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** Connections that wait to be accepted, up to the kernel's `somaxconn`. Beyond it a client's retry takes a second. */
const BACKLOG = 4_096;

/** Starts a server and resolves to its port. Throws {@link ListenError} if the port is in use or not permitted. */
export async function listen(
  server: Server | TlsServer,
  options: { readonly host: string; readonly port: number; readonly variable: string },
): Promise<number> {
  server.listen({ host: options.host, port: options.port, backlog: BACKLOG });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new ListenError(
      `cannot listen on ${options.host} port ${options.port} (${options.variable}): ${describe(error)}`,
    );
  }
  const address = server.address();
  if (address === null || typeof address === 'string') throw new ListenError('the server has no port');
  return address.port;
}

function describe(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return 'the port is taken; stop the other process or choose another port';
  if (code === 'EACCES') return 'this user may not use the port; choose one above 1023';
  return error instanceof Error ? error.message : String(error);
}

/** Stops accepting connections, lets requests in flight finish, and closes idle connections. */
export async function closeServer(server: Server | TlsServer): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  await closed;
}
