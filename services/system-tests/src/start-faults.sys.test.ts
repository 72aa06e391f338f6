import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SERVICE_NAMES, type ServiceName, serviceSettings } from '@partner/local-stack/stack/services';

const root = path.resolve(import.meta.dirname, '../../..');
const NOWHERE = 'amqp://guest:guest@127.0.0.1:1';

interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let taken: Server;
let takenPort: number;

beforeAll(async () => {
  taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const address = taken.address();
  takenPort = typeof address === 'object' && address !== null ? address.port : 0;
});

afterAll(() => {
  taken.close();
});

async function run(command: string, args: readonly string[], env: Record<string, string>): Promise<Ended> {
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString('utf8')));
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { exitCode, ...output };
}

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
  run(
    process.execPath,
    ['--import', '@partner/kernel/telemetry/start', `services/${service}/dist/main.js`],
    env,
  );

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
    const ports = isAdmin ? { admin: takenPort, http: 0 } : { admin: 0, http: takenPort };
    const ended = await start(service, settingsOf(service, ports));
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toBe(
      `${service}: cannot listen on 127.0.0.1 port ${takenPort} (${variable}): the port is taken; stop the other process or choose another port\n`,
    );
  });
});

describe('scripts/up', () => {
  test('names the port that is taken', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'partner-stack-'));
    const ended = await run(
      process.execPath,
      ['scripts/local-stack/dist/up.js', '--detach', '--port', String(takenPort), '--directory', directory],
      { PATH: process.env['PATH'] ?? '' },
    );
    rmSync(directory, { recursive: true, force: true });
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toBe(
      `scripts/up: port ${takenPort} is taken or not allowed; choose another one with --port\n`,
    );
  });
});
