import type { ExchangeDefinition } from '@partner/proto-contracts/topology';
import type { BrokerProbe } from '@partner/kernel/testing/broker-probe';
import { eventually } from '@partner/test-kit/eventually';
import type { Piece } from './canaries.js';

/** A message with its headers, as it went through the broker. */
export type Collected = Omit<Piece, 'place'>;

/** Collects copies of what goes through an exchange, as they come: what is sent there may expire soon. */
export async function collectMessages(
  probe: BrokerProbe,
  exchange: ExchangeDefinition,
  routingKeys: readonly string[],
): Promise<{
  end(): Promise<readonly Collected[]>;
}> {
  const last = 'the last one';
  const { name } = await probe.declareTestQueue();
  for (const routingKey of routingKeys) await probe.channel.bindQueue(name, exchange.name, routingKey);
  const messages: Collected[] = [];
  let isOver = false;
  await probe.channel.consume(
    name,
    (message) => {
      if (message === null) return;
      const type: unknown = message.properties.type;
      const headers: unknown = message.properties.headers;
      if (type === last) isOver = true;
      const text = `${JSON.stringify(headers)}\n${message.content.toString('utf8')}`;
      messages.push({ what: `a message ${String(type)}`, text });
    },
    { noAck: true },
  );
  return {
    async end() {
      probe.send(name, '', { type: last });
      await eventually('the last message', () => isOver);
      return messages;
    },
  };
}
