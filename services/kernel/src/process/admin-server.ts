import type { Registry } from 'prom-client';
import { createHttpServer } from './http-server.js';
import type { Lifecycle } from './lifecycle.js';
import { closeServer, listen } from './listen.js';

/**
 * Serves `/livez` (the event loop runs), `/readyz` (whether this replica can serve, and its dependencies) and `/metrics` on a separate port.
 * Resolves to that port and a function that stops the server.
 */
export async function startAdminServer(options: {
  readonly host: string;
  readonly port: number;
  readonly lifecycle: Pick<Lifecycle, 'readiness'>;
  readonly metrics: Registry;
}): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const server = createHttpServer((request, response) => {
    const send = (status: number, type: string, body: string) => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    };
    switch (request.url) {
      case '/livez':
        send(200, 'application/json', '{"alive":true}');
        return;
      case '/readyz': {
        const readiness = options.lifecycle.readiness();
        send(readiness.ready ? 200 : 503, 'application/json', JSON.stringify(readiness));
        return;
      }
      case '/metrics':
        options.metrics.metrics().then(
          (text) => send(200, options.metrics.contentType, text),
          () => send(500, 'application/json', '{"error":"the metrics cannot be read"}'),
        );
        return;
      default:
        send(404, 'application/json', '{"error":"no such path; there are /livez, /readyz and /metrics"}');
    }
  });
  const port = await listen(server, { host: options.host, port: options.port, variable: 'ADMIN_PORT' });
  return { port, close: () => closeServer(server) };
}
