import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { getJobOperation } from '@partner/proto-contracts/resources/job/operations';
import { JOB_STATE_INSTALLER_RPC, PLATFORM_MESSAGES } from '@partner/proto-contracts/topology';
import { type AmqpConnection, createAmqpConnection } from '@partner/kernel/amqp/connection';
import { startConsumer } from '@partner/kernel/amqp/consumer';
import { implement } from '@partner/kernel/amqp/implement';
import { startRpcServer } from '@partner/kernel/amqp/rpc-server';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { notFound } from '@partner/kernel/process/service-error';
import { eventually } from '@partner/test-kit/eventually';
import {
  createPrivateRabbitmq,
  type PrivateRabbitmq,
} from '@partner/test-kit/backing-services/private-rabbitmq';
import { Registry } from 'prom-client';

const PROGRAM = fileURLToPath(new URL('../simulate-sandbox.js', import.meta.url));

describe('the simulator', () => {
  let broker: PrivateRabbitmq;
  let connection: AmqpConnection;
  let child: ChildProcess | undefined;

  beforeEach(async () => {
    broker = await createPrivateRabbitmq();
    await broker.start();
    connection = createAmqpConnection({
      url: broker.url,
      name: 'test',
      logger: silentLogger,
      metrics: new Registry(),
    });
  });

  afterEach(async () => {
    child?.kill('SIGKILL');
    await connection.close();
    await broker.remove();
  });

  test('publishes messages, continues when the broker is back, and exits on SIGTERM', async () => {
    const received = new Set<string>();
    const shared = { connection, logger: silentLogger, metrics: new Registry() };
    const consumer = startConsumer({
      ...shared,
      queue: PLATFORM_MESSAGES,
      prefetch: 50,
      handle: async ({ messageId }) => {
        received.add(messageId);
        return { kind: 'done' };
      },
    });
    const server = startRpcServer({
      ...shared,
      queue: JOB_STATE_INSTALLER_RPC,
      prefetch: 50,
      operations: {
        implementations: [implement(getJobOperation, () => Promise.reject(notFound('job')))],
        callers: ['key'],
      },
    });
    child = spawn(process.execPath, ['--enable-source-maps', PROGRAM], {
      env: {
        PATH: process.env['PATH'],
        PARTNER_ENVIRONMENT: 'sandbox',
        AMQP_URL: broker.url,
        ADMIN_HOST: '127.0.0.1',
        ADMIN_PORT: '0',
        LOG_LEVEL: 'warn',
        SIMULATOR_MOVES_PER_MINUTE: '6000',
        SIMULATOR_SEED: 'restart',
        RPC_TIMEOUT_MS: '60000',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const logged = child.stderr === null ? Promise.resolve('') : text(child.stderr);
    await eventually('messages', () => received.size >= 20);
    await broker.kill();
    const before = received.size;
    await broker.start();
    await eventually('messages after the restart', () => received.size >= before + 20);

    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(await logged).toBe('');
    await consumer.stop();
    await server.stop();
  });
});

test('the simulator does not start in production [SANDBOX-1]', async () => {
  const run = promisify(execFile)(process.execPath, ['--enable-source-maps', PROGRAM], {
    env: {
      PATH: process.env['PATH'],
      PARTNER_ENVIRONMENT: 'production',
      AMQP_URL: 'amqp://127.0.0.1:1',
      ADMIN_PORT: '0',
    },
  });
  await expect(run).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('PARTNER_ENVIRONMENT: must be sandbox'),
  });
});
