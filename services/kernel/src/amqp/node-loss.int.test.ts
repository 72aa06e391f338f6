import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { COMMANDS, JOB_STATE_INBOUND_RPC, WEBHOOK_DELIVERIES } from '@partner/proto-contracts/topology';
import {
  type RabbitmqCluster,
  type RabbitmqNode,
  startRabbitmqCluster,
} from '@partner/test-kit/backing-services/rabbitmq-cluster';
import { eventually } from '@partner/test-kit/eventually';
import { createRecorder } from '@partner/test-kit/recorder';
import { Registry } from 'prom-client';
import { silentLogger } from '../telemetry/logger.js';
import { createTestClient, type TestClient, testOperations } from '../testing/test-calls.js';
import { type AmqpConnection, createAmqpConnection } from './connection.js';
import { startConsumer } from './consumer.js';
import { createPublisher, type Publisher } from './publisher.js';
import { startRpcServer } from './rpc-server.js';
import type { Consumer } from './subscription.js';
import type { TopologyMode } from './topology.js';

const logger = silentLogger;

describe('a broker of three nodes', () => {
  let cluster: RabbitmqCluster;
  let server: Consumer;
  let consumer: Consumer;
  let client: TestClient;
  let publishers: readonly Publisher[];
  const connections: AmqpConnection[] = [];
  const writes = createRecorder<string>();
  const received = createRecorder<string>();
  const metrics = new Registry();
  const queue = JOB_STATE_INBOUND_RPC;

  async function connect(name: string, url: string, topology: TopologyMode): Promise<AmqpConnection> {
    const connection = createAmqpConnection({ url, name, logger, metrics, topology });
    connections.push(connection);
    await eventually(name, () => connection.isReady());
    return connection;
  }

  beforeAll(async () => {
    cluster = await startRabbitmqCluster();
    const urls = cluster.nodes.map((node) => node.url);
    // The node of a declaration gets the leaders.
    await connect('declare', urls[0] ?? '', 'declare-cluster');
    const [calling, serving] = [
      await connect('call', urls.join(','), 'check'),
      await connect('serve', urls.join(','), 'check'),
    ];
    client = createTestClient({ connection: calling, queue, logger, metrics });
    const operations = testOperations({
      addNote: async ({ jobId = '' }) => {
        writes.record(jobId);
        return { resourceJson: '' };
      },
    });
    server = startRpcServer({ connection: serving, queue, prefetch: 5, operations, logger, metrics });
    consumer = startConsumer({
      connection: serving,
      queue: WEBHOOK_DELIVERIES,
      prefetch: 5,
      logger,
      metrics,
      handle: async ({ messageId }) => {
        received.record(messageId);
        return { kind: 'done' };
      },
    });
    publishers = await Promise.all(
      urls.map(async (url, index) =>
        createPublisher({ connection: await connect(`publish ${index}`, url, 'check'), logger, metrics }),
      ),
    );
    await eventually('consumers', () => server.isConsuming() && consumer.isConsuming());
  });
  afterAll(async () => {
    await Promise.all([server.stop(), consumer.stop()]);
    await Promise.all(connections.map((connection) => connection.close()));
    await cluster.remove();
  });

  let sequence = 0;
  /** Records an id once the work with it has succeeded. */
  async function attempt(done: string[], work: (id: string) => Promise<unknown>): Promise<boolean> {
    sequence += 1;
    const id = `id_${sequence}`;
    return work(id).then(
      () => done.push(id) > 0,
      () => false,
    );
  }

  type Act = (node: RabbitmqNode) => unknown;
  test.each<[string, number, Act, Act]>([
    ['killed, with the leaders of all queues', 0, (node) => node.kill(), (node) => node.start()],
    ['drained', 1, (node) => node.drain(), (node) => node.revive()],
    ['silent', 2, (node) => node.hang(), (node) => node.resume()],
  ])(
    'serves requests and accepts messages while a node is %s, loses none and runs no write twice',
    async (_failure, index, takeDown, bringBack) => {
      const [written, published]: [string[], string[]] = [[], []];
      const write = () => attempt(written, (jobId) => client.addNote({ jobId }, { timeoutMs: 1_000 }));
      const publish = (publisher: Publisher) =>
        attempt(published, (messageId) =>
          publisher.publish({
            exchange: COMMANDS,
            routingKey: WEBHOOK_DELIVERIES.name,
            messageId,
            type: 'partner.test.v1.Happened',
            body: new Uint8Array(),
          }),
        );
      const node = cluster.nodes[index];
      if (node === undefined) throw new Error(`there is no node ${index}`);
      const others = publishers.filter((_publisher, place) => place !== index);
      for (const publisher of publishers) await eventually('a publish', () => publish(publisher));
      await eventually('a request with all nodes', write);

      await takeDown(node);
      // At once, while the queues have no leader.
      await Promise.all([
        eventually('a request with two of three nodes', write),
        ...others.map((publisher) => eventually('a publish', () => publish(publisher))),
      ]);
      await bringBack(node);

      for (const id of published) await received.find((one) => one === id);
      expect(new Set(writes.all()).size).toBe(writes.all().length);
      expect(writes.all()).toEqual(expect.arrayContaining(written));
    },
  );
});
