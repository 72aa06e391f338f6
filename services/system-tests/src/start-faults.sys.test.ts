import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand } from '@partner/local-stack/run-command';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { SERVICE_NAMES, type ServiceName, serviceSettings } from '@partner/local-stack/stack/services';
import { type Receiver, startReceiver } from '@partner/test-kit/receiver';

const NOWHERE = 'amqp://guest:guest@127.0.0.1:1';

/** Something else that listens on a port. */
let taken: Receiver;

beforeAll(async () => {
  taken = await startReceiver({});
});

afterAll(() => taken.close());

const run = (args: readonly string[], env: Record<string, string>) =>
  runCommand(process.execPath, args, { cwd: PROJECT_ROOT, env });

function settingsOf(service: ServiceName, ports: { admin: number; http: number }): Record<string, string> {
  return serviceSettings(service, ports, {
    baseUrl: 'http://127.0.0.1:8080',
    amqpUrl: NOWHERE,
    postgresUrl: 'postgres://postgres@127.0.0.1:1/partner',
    redisUrl: 'redis://127.0.0.1:1/0',
    redisKeyPrefix: 'partner:',
    sealingKeys: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    cursorKey: Buffer.alloc(32, 2).toString('base64'),
    sessionKeys: `k1:${Buffer.alloc(32, 3).toString('base64')}`,
    devHosts: '',
    devCaFile: '',
    replicas: 1,
  });
}

const start = (service: ServiceName, env: Record<string, string>) =>
  run(['--import', '@partner/kernel/telemetry/start', `services/${service}/dist/main.js`], env);

describe('a service that cannot start ends with one clear message and exit code 1', () => {
  test.each(SERVICE_NAMES)('%s names every setting that is wrong or missing', async (service) => {
    const { AMQP_URL: _missing, ...settings } = settingsOf(service, { admin: 0, http: 0 });
    const ended = await start(service, { ...settings, ADMIN_PORT: 'ninety', PARTNER_ENVIRONMENT: 'test' });
    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).toBe('');
    expect(ended.stderr).toContain('AMQP_URL: is not set');
    expect(ended.stderr).toContain('ADMIN_PORT: must be a whole number from 0 to 65535');
    expect(ended.stderr).toContain('PARTNER_ENVIRONMENT: must be one of sandbox, production');
    expect(ended.stderr).not.toMatch(/^\s+at /m);
  });

  test.each([
    ['job-state', 'ADMIN_PORT'],
    ['console', 'HTTP_PORT'],
  ] as const)('%s names %s, whose port is taken', async (service, variable) => {
    const isAdmin = variable === 'ADMIN_PORT';
    const { port } = taken;
    const ports = isAdmin ? { admin: port, http: 0 } : { admin: 0, http: port };
    const ended = await start(service, settingsOf(service, ports));
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toBe(
      `${service}: cannot listen on 127.0.0.1 port ${port} (${variable}): the port is taken; stop the other process or choose another port\n`,
    );
  });
});

describe('scripts/up', () => {
  test('names the port that is taken', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'partner-stack-'));
    const port = String(taken.port);
    const ended = await run(
      ['scripts/local-stack/dist/up.js', '--detach', '--port', port, '--directory', directory],
      { PATH: process.env['PATH'] ?? '' },
    );
    rmSync(directory, { recursive: true, force: true });
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toBe(
      `scripts/up: port ${port} is taken or not allowed; choose another one with --port\n`,
    );
  });
});
