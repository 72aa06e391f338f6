import { describe, expect, test } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';
import { acknowledgeTogether } from './acknowledge-together.js';

function channel() {
  const sent: string[] = [];
  const acknowledger = acknowledgeTogether({
    ack: ({ fields }, upTo = false) => sent.push(`${upTo ? 'up to ' : ''}${fields.deliveryTag}`),
  });
  const messages = Array.from({ length: 8 }, (_, index): ConsumeMessage => {
    const message = {
      content: Buffer.alloc(0),
      fields: { consumerTag: '', deliveryTag: index + 1, exchange: '', redelivered: false, routingKey: '' },
      properties: {
        contentType: undefined,
        contentEncoding: undefined,
        headers: {},
        deliveryMode: undefined,
        priority: undefined,
        correlationId: undefined,
        replyTo: undefined,
        expiration: undefined,
        messageId: undefined,
        timestamp: undefined,
        type: undefined,
        userId: undefined,
        appId: undefined,
        clusterId: undefined,
      },
    };
    acknowledger.add(message);
    return message;
  });
  const ack = (...tags: readonly number[]) => {
    for (const message of messages) if (tags.includes(message.fields.deliveryTag)) acknowledger.ack(message);
  };
  return { sent, acknowledger, messages, ack };
}

const turn = () => new Promise(setImmediate);

describe('acknowledgeTogether', () => {
  test('acknowledges up to the first open message at once, and the others one by one', async () => {
    const { sent, ack } = channel();
    ack(3, 1, 2, 5);
    expect(sent).toEqual([]);
    await turn();
    expect(sent).toEqual(['up to 3', '5']);
    ack(4, 6);
    await turn();
    expect(sent).toEqual(['up to 3', '5', 'up to 6']);
  });

  test('never acknowledges a message that is open or settled in another way', async () => {
    const { sent, acknowledger, messages, ack } = channel();
    ack(2, 3);
    await turn();
    expect(sent).toEqual(['2', '3']);
    const [first] = messages;
    if (first !== undefined) acknowledger.forget(first);
    ack(4, 5, 7);
    acknowledger.flush();
    expect(sent).toEqual(['2', '3', 'up to 5', '7']);
  });
});
