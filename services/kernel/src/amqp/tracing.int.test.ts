import { context, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { withSpan } from '../telemetry/tracing.js';
import { connected, connection, logger, metrics, probe } from '../testing/over-broker.js';
import { eventually } from '@partner/test-kit/eventually';
import { createTestClient, getJobCall, testOperations } from '../testing/test-calls.js';
import { createRecorder } from '@partner/test-kit/recorder';
import { startConsumer } from './consumer.js';
import { createPublisher } from './publisher.js';
import { startRpcServer } from './rpc-server.js';

const messageTo = (routingKey: string) => ({
  ...{ exchange: { name: '', type: 'direct' } as const, routingKey },
  ...{ messageId: 'm', type: 't', body: Buffer.alloc(0) },
});

describe('a trace', () => {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });

  beforeAll(() => provider.register());
  afterAll(async () => {
    await provider.shutdown();
    trace.disable();
    context.disable();
  });
  afterEach(() => exporter.reset());

  async function spanNamed(name: string): Promise<ReadableSpan> {
    return eventually(`the span "${name}"`, () =>
      exporter.getFinishedSpans().find((span) => span.name === name),
    );
  }

  test('continues from the publisher, or from the given headers of the message, to the consumer', async () => {
    const queue = await probe.declareTestQueue();
    const publisher = createPublisher({ connection, logger, metrics });
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const seen = createRecorder<string | undefined>();
    startConsumer({
      connection,
      queue,
      prefetch: 1,
      logger,
      metrics,
      handle: async () => {
        seen.record(trace.getActiveSpan()?.spanContext().traceId);
        return { kind: 'done' };
      },
    });
    await connected();
    await withSpan({ name: 'request', kind: 'SERVER' }, () => publisher.publish(messageTo(queue.name)));
    const request = await spanNamed('request');
    const process = await spanNamed(`process ${queue.name}`);
    expect(process.parentSpanContext?.spanId).toBe(request.spanContext().spanId);
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    await withSpan({ name: 'relay', kind: 'INTERNAL' }, () =>
      publisher.publish({ ...messageTo(queue.name), headers }),
    );
    expect(await seen.atLeast(2)).toEqual([request.spanContext().traceId, traceId]);
    const relayed = await eventually('its span', () =>
      exporter.getFinishedSpans().find(({ parentSpanContext }) => parentSpanContext?.traceId === traceId),
    );
    expect(relayed.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  });

  test('continues from an RPC client to the server, and is marked where a call fails unexpectedly', async () => {
    const queue = await probe.declareRpcQueue();
    const operations = testOperations({
      getJob: async () => {
        throw new Error('a failure');
      },
    });
    startRpcServer({ connection, queue, prefetch: 1, operations, logger, metrics });
    const client = createTestClient({ connection, queue, logger, metrics });
    await connected();
    await withSpan({ name: 'request', kind: 'SERVER' }, async () => {
      await expect(client.getJob({})).rejects.toMatchObject({ reason: 'internal' });
    });
    const request = await spanNamed('request');
    await spanNamed(getJobCall.id);
    const spans = await eventually('both spans', () => {
      const calls = exporter.getFinishedSpans().filter(({ name }) => name === getJobCall.id);
      return calls.length === 2 && calls;
    });
    const ids = new Map(spans.map((span) => [span.spanContext().spanId, span]));
    const server = spans.find((span) => ids.has(span.parentSpanContext?.spanId ?? ''));
    const caller = ids.get(server?.parentSpanContext?.spanId ?? '');
    expect(caller?.parentSpanContext?.spanId).toBe(request.spanContext().spanId);
    expect(server?.status.code).toBe(2);
  });
});
