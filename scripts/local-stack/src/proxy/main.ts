import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { listen, ListenError } from '@partner/kernel/process/listen';
import { Command } from '@commander-js/extra-typings';
import { z } from 'zod';
import { wholeNumber } from '../whole-number.js';
import { createIngressProxy } from './ingress-proxy.js';

const routes = z.array(z.object({ prefix: z.string(), targets: z.array(z.url()).min(1) }));
const options = new Command('proxy')
  .description("A reverse proxy with the ingress's routes, on loopback.")
  .requiredOption('--port <port>', 'the port', wholeNumber(0, 65_535))
  .requiredOption('--routes <json>', 'list of {"prefix", "targets"}', (text) =>
    routes.parse(JSON.parse(text)),
  )
  .requiredOption('--tls-port <port>', 'the port for webhooks, over HTTPS', wholeNumber(0, 65_535))
  .requiredOption('--certificate <file>', 'the certificate of that port')
  .requiredOption('--key <file>', 'its key')
  .parse()
  .opts();

const server = createIngressProxy(options.routes);
const certificate = { cert: readFileSync(options.certificate), key: readFileSync(options.key) };
const secure = createServer(certificate, (request, response) => server.emit('request', request, response));
try {
  await listen(server, { host: '127.0.0.1', port: options.port, variable: '--port' });
  await listen(secure, { host: '127.0.0.1', port: options.tlsPort, variable: '--tls-port' });
} catch (error) {
  process.stderr.write(`proxy: ${error instanceof ListenError ? error.message : String(error)}\n`);
  process.exit(1);
}

function stop(): void {
  secure.close();
  secure.closeAllConnections();
  server.close(() => process.exit(0));
  server.closeIdleConnections();
}
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
