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

  test('reaches every process, whatever a handler throws, and reports the gap after a lost channel [AUTH-13]', async () => {
    const observed = observeConnection(connection);
    const lost = listen(observed);
    const listeners = [lost, listen(other)];
    await Promise.all(listeners.map(({ gaps }) => gaps.atLeast(1)));
    send('bad');
    send('evt_1');
    for (const { messages } of listeners) expect(await messages.atLeast(2)).toEqual(['bad', 'evt_1']);
    expect(listeners.map(({ gaps }) => gaps.all())).toEqual([[true], [true]]);

    const { channel } = await observed.channels.find(() => true);
    await killChannel(channel);
    await lost.gaps.atLeast(2);
    send('evt_2');
    for (const { messages } of listeners) expect((await messages.atLeast(3)).at(-1)).toBe('evt_2');
    await lost.consumer.stop();
    expect(lost.consumer.isConsuming()).toBe(false);
  });
});
