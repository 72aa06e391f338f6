import { afterEach, beforeEach } from '@jest/globals';
import type { QueueDefinition } from '@partner/proto-contracts/topology';
import { testAmqpUrl } from '@partner/test-kit/backing-services/server-urls';
import { eventually } from '@partner/test-kit/eventually';
import { createRecorder } from '@partner/test-kit/recorder';
import type { Options } from 'amqplib';
import { type BrokerProbe, openBrokerProbe } from './broker-probe.js';
import type { AmqpConnection } from '../amqp/connection.js';
import { connect, logger, metrics, probe } from './over-broker.js';
import { startRpcServer } from '../amqp/rpc-server.js';
import type { Consumer } from '../amqp/subscription.js';
import { ServiceError } from '../process/service-error.js';
import {
  createTestClient,
  getJobCall,
  type TestCall,
  type TestClient,
  testOperations,
} from './test-calls.js';

export const GET_JOB = getJobCall.id;
export const REPLY_TO = 'amq.rabbitmq.reply-to';
const NEVER = new Promise<never>(() => undefined);

export let queue: QueueDefinition;
let closing: BrokerProbe[] = [];
export let clientSide: AmqpConnection;
export let serverSide: AmqpConnection;

beforeEach(async () => {
  queue = await probe.declareRpcQueue();
  [clientSide, serverSide] = [connect('client'), connect('server')];
});
afterEach(async () => {
  for (const own of closing) await own.close();
  closing = [];
  await clientSide.close();
  await serverSide.close();
});

/** Serves GetJob, or the given calls. */
export async function serve(
  calls: TestCall | Parameters<typeof testOperations>[0],
  over: Pick<AmqpConnection, 'openChannel'> = serverSide,
): Promise<Consumer> {
  const operations = testOperations(typeof calls === 'function' ? { getJob: calls } : calls);
  const server = startRpcServer({ connection: over, queue, prefetch: 20, operations, logger, metrics });
  await eventually('the server', () => server.isConsuming());
  return server;
}

export async function clientOf(
  options: {
    over?: Pick<AmqpConnection, 'openChannel' | 'isBlocked'>;
    queue?: QueueDefinition;
  } = {},
): Promise<TestClient> {
  const { over = clientSide, ...rest } = options;
  const client = createTestClient({ connection: over, queue, logger, metrics, ...rest });
  await eventually('the client', () => clientSide.isReady());
  return client;
}

/** Sends requests by hand, through the exchange of the queue or past it, and records the types of the responses. */
export async function openRawClient() {
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

export async function failureOf(call: Promise<unknown>): Promise<ServiceError> {
  const thrown: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof ServiceError)) throw new Error(`not a ServiceError: ${String(thrown)}`);
  return thrown;
}

/** Serves GetJob: records each job id, and responds with it as the resource. */
export async function serveRecording(): Promise<ReturnType<typeof createRecorder<string>>> {
  const served = createRecorder<string>();
  await serve(async ({ jobId = '' }) => {
    served.record(jobId);
    return { resourceJson: jobId };
  });
  return served;
}

/** Serves GetJob: records each job id, and responds only to the call for the job `fine`. */
export async function serveHanging(
  over?: AmqpConnection,
): Promise<ReturnType<typeof createRecorder<string>>> {
  const started = createRecorder<string>();
  await serve(async ({ jobId = '' }) => {
    started.record(jobId);
    return jobId === 'fine' ? { resourceJson: '{}' } : NEVER;
  }, over);
  return started;
}
