import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ExchangeDefinition } from '@partner/proto-contracts/topology';
import { newId } from '../process/ids.js';
import { killChannel, observeConnection } from '../testing/observed-connection.js';
import { connect, connection, logger, probe } from '../testing/over-broker.js';
import { createRecorder } from '@partner/test-kit/recorder';
import { startBroadcastConsumer } from './broadcast.js';
import type { AmqpConnection } from './connection.js';

describe('a broadcast consumer', () => {
  const exchange = { name: `test.${newId('evt')}`, type: 'fanout' } as const satisfies ExchangeDefinition;
  let other: AmqpConnection;

  beforeEach(() => {
    other = connect('other');
  });
  afterEach(() => other.close());
  afterAll(() => probe.channel.deleteExchange(exchange.name));

  const send = (messageId: string) =>
    probe.channel.publish(exchange.name, '', Buffer.alloc(0), { messageId });

  function listen(over: Pick<AmqpConnection, 'openChannel'>) {
    const messages = createRecorder<string>();
    const gaps = createRecorder<true>();
    const consumer = startBroadcastConsumer({
      connection: over,
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
    const listeners = [connection, other].map(listen);
    await Promise.all(listeners.map(({ gaps }) => gaps.atLeast(1)));
    send('evt_1');
    for (const { messages } of listeners) expect(await messages.atLeast(1)).toEqual(['evt_1']);
  });

  test('reports the gap after its channel was lost, and receives again', async () => {
    const observed = observeConnection(connection);
    const { messages, gaps } = listen(observed);
    const [first] = await observed.channels.atLeast(1);
    if (first === undefined) throw new Error('no channel');
    await killChannel(first.channel);
    await gaps.atLeast(2);
    send('evt_2');
    expect(await messages.atLeast(1)).toEqual(['evt_2']);
  });

  test('survives a handler that throws', async () => {
    const { messages, gaps, consumer } = listen(connection);
    await gaps.atLeast(1);
    send('bad');
    send('good');
    expect(await messages.atLeast(2)).toEqual(['bad', 'good']);
    expect(gaps.all()).toHaveLength(1);
    await consumer.stop();
    expect(consumer.isConsuming()).toBe(false);
  });
});
