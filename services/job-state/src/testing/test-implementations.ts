import { randomBytes } from 'node:crypto';
import type { Implementation } from '@partner/kernel/amqp/implement';
import type { Environment } from '@partner/kernel/security/api-key';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { config } from '../config.js';
import type { Database } from '../database/database.js';
import { implementationsOf } from '../start-rpc-servers.js';
import { createStubDispatcher } from './stub-dispatcher.js';
import { TEST_SEALING_KEYS } from './test-sealing-keys.js';

/** The settings of job-state in an environment. No server is at their URLs. */
export function testConfig(environment: Environment) {
  const settings = config.parse({
    PARTNER_ENVIRONMENT: environment,
    AMQP_URL: 'amqp://127.0.0.1',
    POSTGRES_URL: 'postgres://127.0.0.1/unused',
    WEBHOOK_SEALING_KEYS: `unused:${randomBytes(32).toString('base64')}`,
  });
  return { ...settings, WEBHOOK_SEALING_KEYS: TEST_SEALING_KEYS, WEBHOOK_SIGNING_KEYS: TEST_SEALING_KEYS };
}

/** Every operation of job-state in the sandbox, over the database of a test. */
export function testImplementations(deps: {
  readonly database: Database;
  readonly clock: () => Date;
}): readonly Implementation[] {
  return implementationsOf(testConfig('sandbox'), {
    ...deps,
    logger: silentLogger,
    keyUsage: { note: () => undefined, stop: () => Promise.resolve() },
    dispatcher: createStubDispatcher(),
  });
}
