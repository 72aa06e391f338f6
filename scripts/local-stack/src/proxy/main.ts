import { listen, ListenError } from '@partner/kernel/process/listen';
import { Command } from '@commander-js/extra-typings';
import { z } from 'zod';
import { wholeNumber } from '../whole-number.js';
import { createIngressProxy } from './ingress-proxy.js';

const routes = z.array(z.object({ prefix: z.string(), target: z.url() }));
const options = new Command('proxy')
  .description("A reverse proxy with the ingress's routes, on loopback.")
  .requiredOption('--port <port>', 'the port', wholeNumber(0, 65_535))
  .requiredOption('--routes <json>', 'list of {"prefix", "target"}', (text) => routes.parse(JSON.parse(text)))
  .parse()
  .opts();

const server = createIngressProxy(options.routes);
try {
  await listen(server, { host: '127.0.0.1', port: options.port, variable: '--port' });
} catch (error) {
  process.stderr.write(`proxy: ${error instanceof ListenError ? error.message : String(error)}\n`);
  process.exit(1);
}

function stop(): void {
  server.close(() => process.exit(0));
  server.closeIdleConnections();
}
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
