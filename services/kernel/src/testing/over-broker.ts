import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { testAmqpUrl } from '@partner/test-kit/backing-services/server-urls';
import { eventually } from '@partner/test-kit/eventually';
import { Registry } from 'prom-client';
import { type AmqpConnection, createAmqpConnection } from '../amqp/connection.js';
import { silentLogger } from '../telemetry/logger.js';
import { type BrokerProbe, openBrokerProbe } from './broker-probe.js';

export const logger = silentLogger;
/** New for each test. */
export let metrics: Registry;
/** One for all tests of a file. */
export let probe: BrokerProbe;
/** New for each test, which may lose it. */
export let connection: AmqpConnection;

beforeAll(async () => {
  probe = await openBrokerProbe(testAmqpUrl());
});
afterAll(async () => {
  await probe.close();
});
beforeEach(() => {
  metrics = new Registry();
  connection = connect('test');
});
afterEach(async () => {
  await connection.close();
});

export function connect(name: string): AmqpConnection {
  return createAmqpConnection({ url: testAmqpUrl(), name, logger, metrics });
}

export async function connected(): Promise<void> {
  await eventually('the connection', () => connection.isReady());
}
