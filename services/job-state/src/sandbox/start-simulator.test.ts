import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { type OutgoingMessage, PublishError } from '@partner/kernel/amqp/publisher';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { createRecorder } from '@partner/test-kit/recorder';
import { Registry } from 'prom-client';
import { startSimulator } from './start-simulator.js';

test('the simulator retries a message that the broker does not confirm, under its id, before any other', async () => {
  const sent = createRecorder<OutgoingMessage>();
  let failures = 2;
  const simulator = startSimulator({
    publisher: {
      async publish(message) {
        sent.record(message);
        failures -= 1;
        if (failures >= 0) throw new PublishError('not-connected', 'away');
      },
    },
    operations: { call: () => Promise.reject(new Error('no installer acts yet')) },
    seed: 'away',
    movesPerMinute: 6_000,
    clock: () => new Date(),
    logger: silentLogger,
    metrics: new Registry(),
  });
  const ids = (await sent.atLeast(5)).map(({ messageId }) => messageId);
  await simulator.stop();
  expect(ids.slice(0, 3)).toEqual([ids[0], ids[0], ids[0]]);
  expect(new Set(ids.slice(2, 5)).size).toBe(3);
});

test('the simulator does not start in production [SANDBOX-1]', async () => {
  const program = fileURLToPath(new URL('../simulate-sandbox.js', import.meta.url));
  const run = promisify(execFile)(process.execPath, ['--enable-source-maps', program], {
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
