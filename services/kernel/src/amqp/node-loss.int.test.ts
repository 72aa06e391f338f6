import { createClient } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ContractorJobService } from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import { JOB_STATE_INBOUND_RPC } from '@partner/proto-contracts/topology';
import {
  type RabbitmqCluster,
  startRabbitmqCluster,
} from '@partner/test-kit/backing-services/rabbitmq-cluster';
import { eventually } from '@partner/test-kit/eventually';
import { createRecorder } from '@partner/test-kit/recorder';
import { Registry } from 'prom-client';
import { silentLogger } from '../logger.js';
import { partialRpcService } from '../testing/in-memory-transport.js';
import { createAmqpConnection } from './connection.js';
import { startRpcServer } from './rpc-server.js';
import { createRpcTransport } from './rpc-transport.js';

const logger = silentLogger;

describe('a broker of three nodes', () => {
  let cluster: RabbitmqCluster;

  beforeAll(async () => {
    cluster = await startRabbitmqCluster();
  });
  afterAll(async () => {
    await cluster.remove();
  });

  test('serves requests while one node is down, and runs no write twice', async () => {
    const metrics = new Registry();
    const url = cluster.nodes.map((node) => node.url).join(',');
    const connect = (name: string) =>
      createAmqpConnection({ url, name, logger, metrics, topology: 'declare-cluster' });
    const [calling, serving] = [connect('call'), connect('serve')];
    const client = createClient(
      ContractorJobService,
      createRpcTransport({ connection: calling, queue: JOB_STATE_INBOUND_RPC, logger, metrics }),
    );
    const writes = createRecorder<string>();
    const server = startRpcServer({
      connection: serving,
      queue: JOB_STATE_INBOUND_RPC,
      prefetch: 5,
      services: [
        partialRpcService(ContractorJobService, {
          appendJobNote: async ({ jobId = '' }) => {
            writes.record(jobId);
            return {};
          },
        }),
      ],
      logger,
      metrics,
    });
    await eventually('both connections', () => calling.isReady() && serving.isReady());

    const done: string[] = [];
    let sequence = 0;
    async function succeeds(): Promise<boolean> {
      sequence += 1;
      const id = `job_${sequence}`;
      try {
        await client.appendJobNote({ jobId: id }, { timeoutMs: 1_000 });
        done.push(id);
        return true;
      } catch {
        return false;
      }
    }

    for (const node of cluster.nodes) {
      await eventually('a request with all nodes', succeeds);
      await node.kill();
      await eventually('a request with two of three nodes', succeeds);
      await node.start();
    }

    expect(new Set(writes.all()).size).toBe(writes.all().length);
    expect(writes.all()).toEqual(expect.arrayContaining(done));
    await server.stop();
    await calling.close();
    await serving.close();
  });
});
