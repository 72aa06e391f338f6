import net from 'node:net';

export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;

/**
 * Starts a proxy on loopback that simulates the network in front of the server of a URL, on any port or a given one. A connection that
 * the server closes or refuses is closed.
 */
export async function startTcpProxy(serverUrl: string, port = 0) {
  let servers = [new URL(serverUrl)];
  const sockets = new Set<net.Socket>();
  let accepted = 0;
  let forbidden: string | undefined;
  const swallowed = new WeakSet<net.Socket>();
  /** Connections that wait for a server; undefined: none has to. */
  let held: Set<net.Socket> | undefined;
  const proxy = net.createServer((near) => {
    accepted += 1;
    if (held === undefined) {
      connectToServer(near);
      return;
    }
    sockets.add(near);
    held.add(near);
    near.on('error', () => undefined);
    near.on('close', () => {
      sockets.delete(near);
      held?.delete(near);
    });
  });
  const connectToServer = (near: net.Socket) => {
    const server = servers[accepted % servers.length];
    if (server === undefined) {
      near.destroy();
      return;
    }
    const far = net.connect(Number(server.port), server.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        if (!swallowed.has(socket)) other.destroy();
      });
    }
    near.on('data', (data) => {
      if (forbidden !== undefined && data.includes(forbidden)) near.destroy();
    });
    near.pipe(far).pipe(near);
  };
  await new Promise<void>((resolve) => {
    proxy.listen(port, '127.0.0.1', resolve);
  });
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String(address.port);
  return {
    /** The server's URL through the proxy. */
    url: url.href,
    accepted: () => accepted,
    /** Closes the open connections. New connections work. */
    cut,
    /** Closes a connection when its client sends this text; undefined: none. */
    cutAt(text: string | undefined) {
      forbidden = text;
    },
    /** Connects new connections to the servers of these URLs in turn; without one it closes them. */
    leadTo(...nextUrls: readonly string[]) {
      servers = nextUrls.map((url) => new URL(url));
      const waiting = held ?? [];
      held = undefined;
      for (const near of waiting) connectToServer(near);
    },
    /** Accepts new connections without a response, until `leadTo` connects those that are still open. */
    hold() {
      held ??= new Set();
    },
    /** Silently drops all traffic of the open connections from now on. New connections work. */
    swallow() {
      for (const socket of sockets) {
        swallowed.add(socket);
        socket.unpipe();
        socket.resume();
      }
    },
    async close() {
      cut();
      await new Promise<void>((resolve) => {
        proxy.close(() => resolve());
      });
    },
  };
}
