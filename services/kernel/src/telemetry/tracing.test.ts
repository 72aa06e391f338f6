import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { closeServer, listen } from '../process/listen.js';

test('pending spans are exported before the process ends', async () => {
  const exported: string[] = [];
  const server = createServer((request, response) => {
    request.setEncoding('utf8');
    request.on('data', (text: string) => exported.push(text));
    request.on('end', () => response.end('{}'));
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'test' });
  const program = `
    import { flushTraces, withSpan } from ${JSON.stringify(path.join(import.meta.dirname, 'tracing.js'))};
    await withSpan({ name: 'a span', kind: 'CLIENT' }, async () => undefined);
    await flushTraces();
    process.exit();`;
  const start = path.join(import.meta.dirname, 'start.js');
  const args = ['--import', start, '--input-type=module', '--eval', program];
  const settings = {
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  };
  try {
    await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...settings } });
    expect(exported.join('')).toContain('"a span"');
  } finally {
    await closeServer(server);
  }
});
