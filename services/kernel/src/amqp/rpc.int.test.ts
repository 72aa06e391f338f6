import { getEventListeners } from 'node:events';
import { create, toBinary } from '@bufbuild/protobuf';
import { type CallOptions, type Client, createClient, type HandlerContext } from '@connectrpc/connect';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type GetJobRequest,
  GetJobRequestSchema,
  GetJobResponseSchema,
  JobService,
} from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { LeadService } from '@partner/proto-contracts/gen/partner/leads/v1/lead_service_pb';
import { EndpointService } from '@partner/proto-contracts/gen/partner/webhooks/v1/endpoint_service_pb';
import type { QueueDefinition } from '@partner/proto-contracts/topology';
import type { Options } from 'amqplib';
import { Registry } from 'prom-client';
import { silentLogger } from '../logger.js';
import { ServiceError } from '../service-error.js';
import { type BrokerProbe, openBrokerProbe } from '../testing/broker-probe.js';
import { eventually } from '@partner/test-kit/eventually';
import { partialRpcService } from '../testing/in-memory-transport.js';
import { killChannel, observeConnection } from '../testing/observed-connection.js';
import { testAmqpUrl } from '@partner/test-kit/backing-services/server-urls';
import { createRecorder } from '@partner/test-kit/recorder';
import { type AmqpConnection, createAmqpConnection } from './connection.js';
import { MAX_RESPONSE_BYTES } from './max-response-bytes.js';
import { startRpcServer } from './rpc-server.js';
import type { RpcService } from './rpc-service.js';
import { createRpcTransport } from './rpc-transport.js';
import type { Consumer } from './subscription.js';

type GetJob = (request: GetJobRequest, context: HandlerContext) => Promise<{ resourceJson: string }>;

const GET_JOB = 'partner.jobs.v1.JobService/GetJob';
const REPLY_TO = 'amq.rabbitmq.reply-to';
const NEVER = new Promise<never>(() => undefined);

describe('RPC over the broker', () => {
  const logger = silentLogger;
  let metrics: Registry;
  let probe: BrokerProbe;
  let queue: QueueDefinition;
  let closing: BrokerProbe[] = [];
  let clientSide: AmqpConnection;
  let serverSide: AmqpConnection;

  beforeAll(async () => {
    probe = await openBrokerProbe(testAmqpUrl());
  });
  afterAll(async () => {
    await probe.close();
  });
  beforeEach(async () => {
    metrics = new Registry();
    queue = await probe.declareRpcQueue();
    [clientSide, serverSide] = [connect('client'), connect('server')];
  });
  afterEach(async () => {
    for (const own of closing) await own.close();
    closing = [];
    await clientSide.close();
    await serverSide.close();
  });

  function connect(name: string): AmqpConnection {
    return createAmqpConnection({ url: testAmqpUrl(), name, logger, metrics });
  }

  function jobService(getJob: GetJob): RpcService {
    return partialRpcService(JobService, { getJob });
  }

  async function serve(
    getJob: GetJob,
    over: Pick<AmqpConnection, 'openChannel'> = serverSide,
    prefetch = 20,
  ): Promise<Consumer> {
    const server = startRpcServer({
      connection: over,
      queue,
      prefetch,
      services: [jobService(getJob)],
      logger,
      metrics,
    });
    await eventually('the server', () => server.isConsuming());
    return server;
  }

  async function clientOf(
    options: {
      maxInFlight?: number;
      over?: Pick<AmqpConnection, 'openChannel' | 'isBlocked'>;
      queue?: QueueDefinition;
    } = {},
  ): Promise<Client<typeof JobService>> {
    const { over = clientSide, ...rest } = options;
    const transport = createRpcTransport({ connection: over, queue, logger, metrics, ...rest });
    await eventually('the client', () => clientSide.isReady());
    return createClient(JobService, transport);
  }

  /** Sends requests by hand, through the exchange of the queue or past it, and records the types of the responses. */
  async function openRawClient() {
    const own = await openBrokerProbe(testAmqpUrl());
    closing.push(own);
    const replies = createRecorder<string>();
    await own.channel.consume(REPLY_TO, (reply) => replies.record(String(reply?.properties.type)), {
      noAck: true,
    });
    return {
      replies,
      send(body: Buffer, options: Options.Publish) {
        own.channel.publish(queue.name, queue.name, body, options);
      },
      sendPastExchange(body: Buffer, options: Options.Publish) {
        own.channel.sendToQueue(queue.name, body, options);
      },
    };
  }

  async function failureOf(call: Promise<unknown>): Promise<ServiceError> {
    const thrown: unknown = await call.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(thrown instanceof ServiceError)) throw new Error(`not a ServiceError: ${String(thrown)}`);
    return thrown;
  }

  test('carries a request with its headers and deadline, and returns the response', async () => {
    const contexts = createRecorder<{
      requestId: string | null;
      timeoutMs: number | undefined;
      method: string;
    }>();
    await serve(async ({ jobId = '' }, { requestHeader, timeoutMs, method }) => {
      contexts.record({
        requestId: requestHeader.get('x-request-id'),
        timeoutMs: timeoutMs(),
        method: method.name,
      });
      return { resourceJson: `{"id":"${jobId}"}` };
    });
    const client = await clientOf();
    const answer = await client.getJob(
      { jobId: 'job_1' },
      { timeoutMs: 4_000, headers: { 'x-request-id': 'req-1' } },
    );
    expect(answer).toEqual(create(GetJobResponseSchema, { resourceJson: '{"id":"job_1"}' }));
    const [context] = contexts.all();
    expect(context).toMatchObject({ requestId: 'req-1', method: 'GetJob' });
    expect(context?.timeoutMs).toBeLessThanOrEqual(4_000);
    expect(context?.timeoutMs).toBeGreaterThan(0);
  });

  test('distinguishes an empty response from a failure', async () => {
    const service = partialRpcService(JobService, { getJob: async () => ({}) });
    startRpcServer({ connection: serverSide, queue, prefetch: 5, services: [service], logger, metrics });
    const client = await clientOf();
    expect(await client.getJob({})).toEqual(create(GetJobResponseSchema));
  });

  test('does not mix up concurrent calls', async () => {
    await serve(async ({ jobId = '' }) => ({ resourceJson: jobId }));
    const client = await clientOf();
    const ids = Array.from({ length: 200 }, (_, index) => `job_${index}`);
    const answers = await Promise.all(ids.map((jobId) => client.getJob({ jobId })));
    expect(answers.map(({ resourceJson }) => resourceJson)).toEqual(ids);
  });

  test('carries a failure with its reason, message and attributes, and without its cause', async () => {
    await serve(async () => {
      throw new ServiceError('stale_version', 'the job has moved on', {
        currentVersion: 7,
        idempotency: { replayed: true, expiresAt: new Date('2026-01-01T00:00:00.123Z') },
        cause: new Error('SELECT 1'),
      });
    });
    const client = await clientOf();
    const error = await failureOf(client.getJob({}));
    expect(error).toMatchObject({
      reason: 'stale_version',
      message: 'the job has moved on',
      attributes: {
        currentVersion: 7,
        idempotency: { replayed: true, expiresAt: new Date('2026-01-01T00:00:00.123Z') },
      },
    });
    expect(error.cause).toBeUndefined();
  });

  test('reports an unexpected error of the implementation as internal, without its text', async () => {
    await serve(async () => {
      throw new Error('password=hunter2');
    });
    const client = await clientOf();
    const error = await failureOf(client.getJob({}));
    expect(error.reason).toBe('internal');
    expect(JSON.stringify([error.message, String(error.cause)])).not.toContain('hunter2');
  });

  test('reports a response that the broker may refuse as internal, and keeps running [LIMIT-7]', async () => {
    await serve(async ({ jobId = '' }) => ({ resourceJson: 'x'.repeat(Number(jobId)) }));
    const client = await clientOf();
    // The message has a tag and a length before its text.
    const longest = MAX_RESPONSE_BYTES - 5;
    const [error, answer] = await Promise.all([
      failureOf(client.getJob({ jobId: String(longest + 1) })),
      client.getJob({ jobId: String(longest) }),
    ]);
    expect(error.reason).toBe('internal');
    expect(answer.resourceJson).toHaveLength(longest);
  });

  test('responds to a malformed request and to an unknown method, and keeps running', async () => {
    await serve(async () => ({ resourceJson: '{}' }));
    const client = await clientOf();
    const unknown = createClient(
      EndpointService,
      createRpcTransport({ connection: clientSide, queue, logger, metrics }),
    );
    await eventually('the second client', () => clientSide.isReady());
    expect((await failureOf(unknown.checkEndpoint({ url: 'x' }))).reason).toBe('unavailable');

    const { send, replies } = await openRawClient();
    const request = { replyTo: REPLY_TO, correlationId: '1', type: GET_JOB };
    send(Buffer.from([0xff, 0xff, 0xff]), request);
    send(Buffer.alloc(0), { replyTo: REPLY_TO });
    expect(await replies.atLeast(2)).toEqual(['partner.rpc.v1.RpcError', 'partner.rpc.v1.RpcError']);

    expect((await client.getJob({})).resourceJson).toBe('{}');
    await probe.hasMessages(queue.name, 0);
  });

  test('serves nothing that came through another exchange or asks for a response elsewhere', async () => {
    const served = createRecorder<string>();
    await serve(async ({ jobId = '' }) => {
      served.record(jobId);
      return { resourceJson: '{}' };
    });
    const client = await clientOf();
    const { send, sendPastExchange, replies } = await openRawClient();
    const body = Buffer.from(toBinary(GetJobRequestSchema, create(GetJobRequestSchema, { jobId: 'job_2' })));
    const { queue: elsewhere } = await probe.channel.assertQueue('', { exclusive: true });
    sendPastExchange(body, { replyTo: REPLY_TO, correlationId: '1', type: GET_JOB });
    send(body, { replyTo: elsewhere, correlationId: '1', type: GET_JOB });
    for (const cause of ['foreign_exchange', 'no_reply_address']) {
      await eventually(`a count of ${cause}`, async () =>
        (await metrics.metrics()).includes(`{method="${GET_JOB}",cause="${cause}"} 1`),
      );
    }
    await client.getJob({ jobId: 'job_1' });
    await probe.hasMessages(queue.name, 0);
    expect(served.all()).toEqual(['job_1']);
    expect(replies.all()).toEqual([]);
    await probe.hasMessages(elsewhere, 0);
  });

  test('drops requests past their deadline and those without a reply address', async () => {
    const served = createRecorder<string>();
    await serve(async ({ jobId = '' }) => {
      served.record(jobId);
      return { resourceJson: '{}' };
    });
    const client = await clientOf();
    const { send } = await openRawClient();
    send(Buffer.alloc(0), { type: GET_JOB });
    send(Buffer.alloc(0), { type: GET_JOB, replyTo: REPLY_TO, headers: { 'x-timeout-ms': 0 } });
    await client.getJob({ jobId: 'job_1' });
    expect(served.all()).toEqual(['job_1']);
    await probe.hasMessages(queue.name, 0);
  });

  test('fails with unavailable when the deadline passes, and ignores the late response [HTTP-18]', async () => {
    let finish: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const signals = createRecorder<AbortSignal>();
    await serve(async (_request, { signal }) => {
      signals.record(signal);
      await gate;
      return { resourceJson: 'late' };
    });
    const client = await clientOf();
    const error = await failureOf(client.getJob({}, { timeoutMs: 2_000 }));
    expect(error).toMatchObject({ reason: 'unavailable', attributes: { retryAfterSeconds: 1 } });
    expect(error.message).toMatch(/; look whether it took effect, or retry .* where the request had one$/);
    const [signal] = await signals.atLeast(1);
    await eventually('the abort', () => signal?.aborted);
    finish();
    await eventually('the drop', async () =>
      (await metrics.getSingleMetricAsString('partner_rpc_server_dropped_total')).includes(
        'cause="overdue"} 1',
      ),
    );
    expect(await metrics.getSingleMetricAsString('partner_rpc_client_timeouts_total')).toContain(
      'GetJob"} 1',
    );
  });

  test('lets the broker drop requests that no server took in time', async () => {
    const client = await clientOf();
    const error = await failureOf(client.getJob({}, { timeoutMs: 50 }));
    expect(error.reason).toBe('unavailable');
    const served = createRecorder<string>();
    await serve(async ({ jobId = '' }) => {
      served.record(jobId);
      return { resourceJson: '{}' };
    });
    await client.getJob({ jobId: 'job_2' });
    expect(served.all()).toEqual(['job_2']);
  });

  test('fails at once when no queue takes the request', async () => {
    const client = await clientOf({
      queue: { name: 'test.there-is-no-such-queue', type: 'classic', bindings: [] },
    });
    const error = await failureOf(client.getJob({}, { timeoutMs: 3_600_000 }));
    expect(error).toMatchObject({ reason: 'unavailable', attributes: { retryAfterSeconds: 1 } });
  });

  test('fails at once without a connection', async () => {
    const away = createAmqpConnection({ url: 'amqp://127.0.0.1:1', name: 'away', logger, metrics });
    const client = createClient(JobService, createRpcTransport({ connection: away, queue, logger, metrics }));
    expect((await failureOf(client.getJob({}, { timeoutMs: 3_600_000 }))).reason).toBe('unavailable');
    await away.close();
  });

  test('fails every call in flight as soon as its channel is lost, and works again afterwards', async () => {
    const started = createRecorder<string>();
    await serve(async ({ jobId = '' }) => {
      started.record(jobId);
      return jobId === 'fine' ? { resourceJson: '{}' } : NEVER;
    });
    const observed = observeConnection(clientSide);
    const client = await clientOf({ over: observed });
    const calls = [1, 2, 3].map((index) =>
      failureOf(client.getJob({ jobId: `job_${index}` }, { timeoutMs: 3_600_000 })),
    );
    await started.atLeast(3);
    const [first] = await observed.channels.atLeast(1);
    if (first === undefined) throw new Error('no channel');
    await killChannel(first.channel);
    for (const error of await Promise.all(calls)) expect(error.reason).toBe('unavailable');
    await observed.channels.atLeast(2);
    await client.getJob({ jobId: 'fine' });
    expect(await metrics.getSingleMetricAsString('partner_rpc_client_in_flight')).toContain('} 0');
  });

  test('fails every call in flight as soon as its connection is closed', async () => {
    const started = createRecorder<string>();
    await serve(async ({ jobId = '' }) => {
      started.record(jobId);
      return NEVER;
    });
    const client = await clientOf();
    const call = failureOf(client.getJob({ jobId: 'job_1' }, { timeoutMs: 3_600_000 }));
    await started.atLeast(1);
    await clientSide.close();
    expect((await call).reason).toBe('unavailable');
  });

  test('lets another replica respond when the first crashes with the request', async () => {
    const doomed = connect('doomed');
    const started = createRecorder<string>();
    await serve(async ({ jobId = '' }) => {
      started.record(jobId);
      return NEVER;
    }, doomed);
    const client = await clientOf();
    const call = client.getJob({ jobId: 'job_1' }, { timeoutMs: 30_000 });
    await started.atLeast(1);
    await serve(async () => ({ resourceJson: 'second' }));
    await doomed.close();
    expect((await call).resourceJson).toBe('second');
  });

  test('does not rerun a non-idempotent call when its replica crashes', async () => {
    const doomed = connect('doomed');
    const started = createRecorder<string>();
    const serveLeads = async (name: string, over: AmqpConnection) => {
      const createLead = async () => {
        started.record(name);
        return NEVER;
      };
      const service = partialRpcService(LeadService, { createLead });
      const server = startRpcServer({
        connection: over,
        queue,
        prefetch: 1,
        services: [service],
        logger,
        metrics,
      });
      await eventually('the server', () => server.isConsuming());
    };
    await serveLeads('first', doomed);
    const client = createClient(
      LeadService,
      createRpcTransport({ connection: clientSide, queue, logger, metrics }),
    );
    await eventually('the client', () => clientSide.isReady());
    const giveUp = new AbortController();
    const call = failureOf(client.createLead({}, { timeoutMs: 3_600_000, signal: giveUp.signal }));
    await started.atLeast(1);
    await serveLeads('second', serverSide);
    await doomed.close();
    await eventually('the drop', async () =>
      (await metrics.getSingleMetricAsString('partner_rpc_server_dropped_total')).includes(
        'CreateLead",cause="not_repeatable"} 1',
      ),
    );
    giveUp.abort();
    expect((await call).message).toContain('the outcome is unknown');
    expect(started.all()).toEqual(['first']);
    await probe.hasMessages(queue.name, 0);
  });

  test('shares the requests between two replicas', async () => {
    const other = connect('other');
    const served = createRecorder<string>();
    let finish: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      finish = resolve;
    });
    for (const [name, over] of [
      ['one', serverSide],
      ['two', other],
    ] as const) {
      await serve(
        async () => {
          served.record(name);
          await gate;
          return { resourceJson: name };
        },
        over,
        1,
      );
    }
    const client = await clientOf();
    const calls = [1, 2].map(() => client.getJob({}));
    await served.atLeast(2);
    finish();
    expect(new Set((await Promise.all(calls)).map(({ resourceJson }) => resourceJson))).toEqual(
      new Set(['one', 'two']),
    );
    await other.close();
  });

  test("holds calls while the socket's buffer is full, and drops those past their deadline", async () => {
    const served = createRecorder<string>();
    await serve(async ({ jobId = '' }) => {
      served.record(jobId);
      return { resourceJson: jobId };
    });
    const observed = observeConnection(clientSide);
    const client = await clientOf({ over: observed });
    const [first] = await observed.channels.atLeast(1);
    if (first === undefined) throw new Error('no channel');
    const { channel } = first;
    const publish = channel.publish.bind(channel);
    channel.publish = (...message) => {
      publish(...message);
      return false;
    };
    await client.getJob({ jobId: 'fills the socket' });
    const giveUp = new AbortController();
    const dropped = failureOf(client.getJob({ jobId: 'given up' }, { signal: giveUp.signal }));
    const late = failureOf(client.getJob({ jobId: 'late' }, { timeoutMs: 1 }));
    const waiting = client.getJob({ jobId: 'waits' });
    giveUp.abort();
    for (const error of await Promise.all([dropped, late])) {
      expect(error.message).toMatch(
        /not available; nothing was done; retry, with .* where the request had one$/,
      );
    }
    channel.emit('drain');
    expect((await waiting).resourceJson).toBe('waits');
    expect(served.all()).toEqual(['fills the socket', 'waits']);
  });

  test('refuses calls beyond the limit in flight at once', async () => {
    const started = createRecorder<string>();
    await serve(async ({ jobId = '' }) => {
      started.record(jobId);
      return NEVER;
    });
    const client = await clientOf({ maxInFlight: 2 });
    const options: CallOptions = { timeoutMs: 3_600_000 };
    const calls = [1, 2].map(() => failureOf(client.getJob({}, options)));
    expect((await failureOf(client.getJob({ jobId: 'too many' }, options))).reason).toBe('unavailable');
    await started.atLeast(2);
    expect(started.all()).not.toContain('too many');
    await clientSide.close();
    await Promise.all(calls);
  });

  test('ends a call that its caller cancels, before and after it was sent, and leaves no listener on the signal', async () => {
    const started = createRecorder<string>();
    await serve(async ({ jobId = '' }) => {
      started.record(jobId);
      return jobId === 'fine' ? { resourceJson: '{}' } : NEVER;
    });
    const client = await clientOf();
    const giveUp = new AbortController();
    const { signal } = giveUp;
    await client.getJob({ jobId: 'fine' }, { signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    const call = failureOf(client.getJob({ jobId: 'job_1' }, { signal, timeoutMs: 3_600_000 }));
    await started.find((id) => id === 'job_1');
    giveUp.abort();
    expect((await call).reason).toBe('unavailable');
    expect((await failureOf(client.getJob({ jobId: 'job_2' }, { signal }))).reason).toBe('unavailable');
    expect(started.all()).not.toContain('job_2');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('serves again after the broker cancelled the server, on a redeclared queue', async () => {
    const observed = observeConnection(serverSide);
    await serve(async () => ({ resourceJson: '{}' }), observed);
    const client = await clientOf();
    await probe.channel.deleteQueue(queue.name);
    await observed.channels.atLeast(2);
    expect((await client.getJob({})).resourceJson).toBe('{}');
  });

  test('responds to requests in flight before it stops, and takes no more', async () => {
    const started = createRecorder<string>();
    let finish: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const server = await serve(async ({ jobId = '' }) => {
      started.record(jobId);
      await gate;
      return { resourceJson: jobId };
    });
    const client = await clientOf();
    const call = client.getJob({ jobId: 'job_1' });
    await started.atLeast(1);
    const stopped = server.stop();
    await eventually(
      'no consumer',
      async () => (await probe.channel.checkQueue(queue.name)).consumerCount === 0,
    );
    const late = failureOf(client.getJob({ jobId: 'job_2' }, { timeoutMs: 50 }));
    finish();
    expect((await call).resourceJson).toBe('job_1');
    await stopped;
    expect((await late).reason).toBe('unavailable');
    expect(started.all()).toEqual(['job_1']);
  });
});
