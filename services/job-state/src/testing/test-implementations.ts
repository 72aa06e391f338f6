import { randomBytes } from 'node:crypto';
import type { Implementation } from '@partner/kernel/amqp/implement';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { configSchema } from '../config.js';
import type { Database } from '../database/database.js';
import { implementationsOf } from '../start-rpc-servers.js';
import { createStubDispatcher } from './stub-dispatcher.js';
import { TEST_SEALING_KEYS } from './test-sealing-keys.js';

/** Every operation of job-state in the sandbox, over the database of a test. */
export function testImplementations(deps: {
  readonly database: Database;
  readonly clock: () => Date;
}): readonly Implementation[] {
  const config = configSchema.parse({
    PARTNER_ENVIRONMENT: 'sandbox',
    AMQP_URL: 'amqp://127.0.0.1',
    POSTGRES_URL: 'postgres://127.0.0.1/unused',
    WEBHOOK_SEALING_KEYS: `unused:${randomBytes(32).toString('base64')}`,
  });
  return implementationsOf(
    { ...config, WEBHOOK_SEALING_KEYS: TEST_SEALING_KEYS },
    {
      ...deps,
      logger: silentLogger,
      keyUsage: { note: () => undefined, stop: () => Promise.resolve() },
      dispatcherTransport: createStubDispatcher().transport,
    },
  );
}
