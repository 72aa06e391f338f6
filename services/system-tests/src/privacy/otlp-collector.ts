import { createServer } from 'node:http';
import { closeServer, listen } from '@partner/kernel/listen';

/** Takes the traces that services export. */
export interface OtlpCollector {
  readonly url: string;
  /** What has come in, as it came. */
  readonly bodies: readonly Buffer[];
  close(): Promise<void>;
}

/** Starts a collector on loopback that takes everything and understands nothing. */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks));
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'collector' });
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    async close() {
      server.closeAllConnections();
      await closeServer(server);
    },
  };
}
