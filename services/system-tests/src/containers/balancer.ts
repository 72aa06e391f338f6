import { createServer, connect, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

/** What stands before the pods of a service. */
export interface Balancer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts what a Service of Kubernetes is to its callers: each new connection goes to the next of the endpoints of that moment, and
 * stays there for as long as both sides want, also after the endpoint has been taken away. Nothing is tried twice: a connection
 * that its endpoint does not take is a connection that the caller has lost.
 */
export async function startBalancer(endpoints: () => readonly number[]): Promise<Balancer> {
  let turn = 0;
  const open = new Set<Socket>();
  const server: Server = createServer((caller) => {
    const targets = endpoints();
    const target = targets[turn % Math.max(targets.length, 1)];
    turn += 1;
    open.add(caller);
    caller.once('close', () => open.delete(caller));
    if (target === undefined) {
      caller.destroy();
      return;
    }
    const pod = connect(target, '127.0.0.1');
    caller.setNoDelay(true);
    pod.setNoDelay(true);
    for (const [one, other] of [
      [caller, pod],
      [pod, caller],
    ] as const) {
      one.on('error', () => other.destroy());
      one.once('close', () => other.destroy());
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the balancer has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
