import { listen, ListenError } from '@partner/kernel/listen';
import { Command } from 'commander';
import { z } from 'zod';
import { createIngressProxy } from './ingress-proxy.js';

const program = new Command('proxy')
  .description("A reverse proxy with the ingress's routes, on loopback.")
  .requiredOption('--port <port>', 'the port')
  .requiredOption('--routes <json>', 'list of {"prefix", "targets"}')
  .parse();
const options = z
  .object({
    port: z.coerce.number(),
    routes: z
      .string()
      .transform((text): unknown => JSON.parse(text))
      .pipe(z.array(z.object({ prefix: z.string(), targets: z.array(z.url()) }))),
  })
  .parse(program.opts());

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
