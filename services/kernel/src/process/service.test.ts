import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { closeServer, listen } from './listen.js';

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

/** Runs the service as a process. Rejects, with its output, if it does not end with exit code 0. */
const run = (settings: Readonly<Record<string, string>> = {}) =>
  promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    env: { PARTNER_ENVIRONMENT: 'sandbox', AMQP_URL: 'amqp://127.0.0.1:1', ADMIN_PORT: '0', ...settings },
  });

test('a service logs the warnings of libraries and of Node as JSON, like all else', async () => {
  const { stdout, stderr } = await run();
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

test('a service that cannot start exits with code 1 and one message that names every wrong setting, without a stack', async () => {
  await expect(
    run({ ADMIN_PORT: 'ninety', AMQP_URL: '', PARTNER_ENVIRONMENT: 'test' }),
  ).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: `test: these settings are not valid:
  PARTNER_ENVIRONMENT: must be one of sandbox, production
  ADMIN_PORT: must be a whole number from 0 to 65535
  AMQP_URL: is not set
`,
  });
});

test('a service whose port is taken exits with code 1 and names the port and its setting', async () => {
  const other = createServer();
  const port = await listen(other, { host: '127.0.0.1', port: 0, variable: 'test' });
  const ended = run({ ADMIN_HOST: '127.0.0.1', ADMIN_PORT: String(port) });
  await expect(ended).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: `test: cannot listen on 127.0.0.1 port ${port} (ADMIN_PORT): the port is taken; stop the other process or choose another port\n`,
  });
  await closeServer(other);
});
