import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const moduleUrl = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);

/** A service whose library and Node warn. */
const PROGRAM = `
import { z } from 'zod';
import { commonConfig } from ${moduleUrl('./config.js')};
import { runService } from ${moduleUrl('./service.js')};
await runService({
  name: 'test',
  config: z.object(commonConfig),
  start: async () => {
    console.warn('[WARN] %s', 'from a library');
    process.once('warning', () => process.kill(process.pid, 'SIGTERM'));
    process.emitWarning('from Node');
  },
});
`;

test('a service logs the warnings of libraries and of Node as JSON, like all else', async () => {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', PROGRAM],
    { env: { PARTNER_ENVIRONMENT: 'sandbox', AMQP_URL: 'amqp://127.0.0.1:1', ADMIN_PORT: '0' } },
  );
  expect(stderr).toBe('');
  const lines = stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'warn', msg: 'library.warned', text: '[WARN] from a library' }),
  );
  expect(lines).toContainEqual(
    expect.objectContaining({
      msg: 'process.warned',
      err: expect.objectContaining({ message: 'from Node' }),
    }),
  );
});
