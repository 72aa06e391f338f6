import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ExchangeDefinition } from '@partner/proto-contracts/topology';
import { Registry } from 'prom-client';
import { newId } from '../process/ids.js';
import { silentLogger } from '../telemetry/logger.js';
import { type BrokerProbe, openBrokerProbe } from '../testing/broker-probe.js';
import { killChannel, observeConnection } from '../testing/observed-connection.js';
import { testAmqpUrl } from '@partner/test-kit/backing-services/server-urls';
import { createRecorder } from '@partner/test-kit/recorder';
import { startBroadcastConsumer } from './broadcast.js';
import { type AmqpConnection, createAmqpConnection } from './connection.js';

describe('a broadcast consumer', () => {
  const logger = silentLogger;
  const exchange = { name: `test.${newId('evt')}`, type: 'fanout' } as const satisfies ExchangeDefinition;
  let probe: BrokerProbe;
  let connections: AmqpConnection[];

  beforeAll(async () => {
    probe = await openBrokerProbe(testAmqpUrl());
  });
  afterAll(async () => {
    await probe.channel.deleteExchange(exchange.name);
    await probe.close();
  });
  beforeEach(() => {
    connections = ['one', 'two'].map((name) =>
      createAmqpConnection({ url: testAmqpUrl(), name, logger, metrics: new Registry() }),
    );
  });
  afterEach(async () => {
    await Promise.all(connections.map((connection) => connection.close()));
  });

  function listen(connection: Pick<AmqpConnection, 'openChannel'>) {
    const messages = createRecorder<string>();
    const gaps = createRecorder<true>();
    const consumer = startBroadcastConsumer({
      connection,
      exchange,
      logger,
      handle: (message) => {
        messages.record(message.messageId);
        if (message.messageId === 'bad') throw new Error('a failing handler');
      },
      onGap: () => gaps.record(true),
    });
    return { consumer, messages, gaps };
  }

  test('reaches every process, each from its first subscription on [AUTH-13]', async () => {
    const listeners = connections.map(listen);
    await Promise.all(listeners.map(({ gaps }) => gaps.atLeast(1)));
    probe.channel.publish(exchange.name, '', Buffer.alloc(0), { messageId: 'evt_1' });
    for (const { messages } of listeners) expect(await messages.atLeast(1)).toEqual(['evt_1']);
  });

  test('reports the gap after its channel was lost, and receives again', async () => {
    const [connection] = connections;
    if (connection === undefined) throw new Error('no connection');
    const observed = observeConnection(connection);
    const { messages, gaps } = listen(observed);
    const [first] = await observed.channels.atLeast(1);
    if (first === undefined) throw new Error('no channel');
    await killChannel(first.channel);
    await gaps.atLeast(2);
    probe.channel.publish(exchange.name, '', Buffer.alloc(0), { messageId: 'evt_2' });
    expect(await messages.atLeast(1)).toEqual(['evt_2']);
  });

  test('survives a handler that throws', async () => {
    const [connection] = connections;
    if (connection === undefined) throw new Error('no connection');
    const { messages, gaps, consumer } = listen(connection);
    await gaps.atLeast(1);
    probe.channel.publish(exchange.name, '', Buffer.alloc(0), { messageId: 'bad' });
    probe.channel.publish(exchange.name, '', Buffer.alloc(0), { messageId: 'good' });
    expect(await messages.atLeast(2)).toEqual(['bad', 'good']);
    expect(gaps.all()).toHaveLength(1);
    await consumer.stop();
    expect(consumer.isConsuming()).toBe(false);
  });
});
