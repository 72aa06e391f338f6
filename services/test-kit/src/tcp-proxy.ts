import net from 'node:net';

/** A proxy that simulates the network in front of a server. */
export interface TcpProxy {
  /** The server's URL through the proxy. */
  readonly url: string;
  /** Returns the number of connections accepted so far. */
  accepted(): number;
  /** Silently drops all traffic of the open connections from now on. New connections work. */
  swallow(): void;
  /** Closes the open connections. New connections work. */
  cut(): void;
  /** Closes every connection and the proxy. */
  close(): Promise<void>;
}

/** Starts a proxy on loopback in front of the server of a URL. */
export async function startTcpProxy(serverUrl: string): Promise<TcpProxy> {
  const server = new URL(serverUrl);
  const sockets = new Set<net.Socket>();
  let accepted = 0;
  const proxy = net.createServer((near) => {
    accepted += 1;
    const far = net.connect(Number(server.port), server.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
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
    url: url.href,
    accepted: () => accepted,
    cut,
    swallow() {
      for (const socket of sockets) {
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
