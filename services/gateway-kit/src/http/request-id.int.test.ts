import { context, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ExchangeDefinition } from '@partner/proto-contracts/topology';
import { Registry } from 'prom-client';
import request from 'supertest';
import { z } from 'zod';
import { serveOperation } from './endpoint.js';
import { createHttpApp } from './http-app.js';
import { createLoggerTo, type Logger } from '@partner/kernel/telemetry/logger';
import { type BrokerProbe, openBrokerProbe } from '@partner/kernel/testing/broker-probe';
import { eventually } from '@partner/test-kit/eventually';
import { createInMemoryRateLimiter } from '../testing/in-memory-rate-limiter.js';
import { createTestClient, testOperations } from '@partner/kernel/testing/test-calls';
import { testAmqpUrl } from '@partner/test-kit/backing-services/server-urls';
import { createRecorder, type Recorder } from '@partner/test-kit/recorder';
import { type AmqpConnection, createAmqpConnection } from '@partner/kernel/amqp/connection';
import { startConsumer } from '@partner/kernel/amqp/consumer';
import { createPublisher } from '@partner/kernel/amqp/publisher';
import { startRpcServer } from '@partner/kernel/amqp/rpc-server';

const TO_QUEUE = { name: '', type: 'direct' } as const satisfies ExchangeDefinition;
const logLine = z.looseObject({ msg: z.string(), requestId: z.string().optional() });

describe('the id of a request', () => {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  let probe: BrokerProbe;
  let connection: AmqpConnection;
  let metrics: Registry;
  let lines: Recorder<z.infer<typeof logLine>>;
  let logger: Logger;

  beforeAll(async () => {
    provider.register();
    probe = await openBrokerProbe(testAmqpUrl());
  });
  afterAll(async () => {
    await probe.close();
    await provider.shutdown();
    trace.disable();
    context.disable();
  });
  beforeEach(() => {
    metrics = new Registry();
    lines = createRecorder();
    logger = createLoggerTo(
      { write: (line) => lines.record(logLine.parse(JSON.parse(line))) },
      { service: 'test', level: 'info' },
    );
    connection = createAmqpConnection({ url: testAmqpUrl(), name: 'test', logger, metrics });
  });
  afterEach(async () => {
    await connection.close();
    exporter.reset();
  });

  /** A gateway whose endpoint calls job-state, which publishes a message to a consumer. */
  async function createChain() {
    const calls = await probe.declareRpcQueue();
    const events = await probe.declareTestQueue();
    const publisher = createPublisher({ connection, logger, metrics });
    const operations = testOperations({
      getJob: async () => {
        logger.info({}, 'job.read');
        await publisher.publish({
          exchange: TO_QUEUE,
          routingKey: events.name,
          messageId: 'm',
          type: 't',
          body: Buffer.alloc(0),
        });
        return { resourceJson: '{}' };
      },
    });
    startRpcServer({ connection, queue: calls, prefetch: 1, operations, logger, metrics });
    startConsumer({
      connection,
      queue: events,
      prefetch: 1,
      logger,
      metrics,
      handle: async () => {
        logger.info({}, 'event.read');
        return { kind: 'done' };
      },
    });
    const client = createTestClient({ connection, queue: calls, logger, metrics });
    const limiter = createInMemoryRateLimiter(() => new Date());
    const app = createHttpApp<undefined>({
      endpoints: [
        serveOperation({ id: 'readJob', method: 'get', path: '/job', unauthenticated: true }, async () => {
          logger.info({}, 'gateway.asks');
          return { status: 200, text: (await client.getJob({})).resourceJson };
        }),
      ],
      authenticate: () => Promise.resolve(undefined),
      challenge: 'ApiKey realm="test"',
      scopesOf: () => [],
      rateLimit: { limiter, keyOf: () => 'any', limitOf: () => 1_000, countedAs: 'to the API' },
      failedAuthentication: { limiter, limitPerMinute: 1_000 },
      logger,
      metrics,
      rpcTimeoutMs: 5_000,
      companyOf: () => 'cmp_1',
      trustedProxyHops: 0,
    });
    await eventually('the connection', () => connection.isReady());
    return app;
  }

  test('propagates from the gateway through the RPC to the consumer of a message, in logs and spans [HTTP-8]', async () => {
    const app = await createChain();
    await request(app).get('/job').set('x-request-id', 'req-1').expect(200);
    await lines.find(({ msg }) => msg === 'event.read');

    const ids = new Map(lines.all().map(({ msg, requestId }) => [msg, requestId]));
    for (const msg of ['gateway.asks', 'job.read', 'event.read', 'http.request_completed']) {
      expect([msg, ids.get(msg)]).toEqual([msg, 'req-1']);
    }
    const spans = await eventually('the spans', () => {
      const finished = exporter.getFinishedSpans();
      return finished.length >= 4 && finished;
    });
    for (const { name, attributes } of spans) {
      expect([name, attributes['partner.request_id']]).toEqual([name, 'req-1']);
    }
  });

  test('is not mixed up with those of concurrent requests', async () => {
    const app = await createChain();
    const requestIds = Array.from({ length: 20 }, (_, index) => `req-${index}`);
    await Promise.all(requestIds.map((id) => request(app).get('/job').set('x-request-id', id).expect(200)));
    const read = await eventually('every event', () => {
      const found = lines.all().filter(({ msg }) => msg === 'event.read');
      return found.length === requestIds.length && found;
    });
    expect(read.map(({ requestId }) => requestId).sort()).toEqual([...requestIds].sort());
  });

  test.each([undefined, '', 'a b', 'x'.repeat(129), 7])(
    'is not read from a message with the id %j',
    async (header) => {
      const queue = await probe.declareTestQueue();
      startConsumer({
        connection,
        queue,
        prefetch: 1,
        logger,
        metrics,
        handle: async () => {
          logger.info({}, 'event.read');
          return { kind: 'done' };
        },
      });
      probe.send(queue.name, 'body', { headers: { 'x-request-id': header } });
      expect(await lines.find(({ msg }) => msg === 'event.read')).not.toHaveProperty('requestId');
    },
  );
});
