import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  AttemptOutcome,
  DeliveriesAttemptedSchema,
  type DeliverWebhookSchema,
  DeliverWebhooksSchema,
  type DeliveryAttempted,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { COMMANDS, DELIVERY_RESULTS, WEBHOOK_DELIVERIES } from '@partner/proto-contracts/topology';
import { type AmqpConnection, createAmqpConnection } from '@partner/kernel/amqp/connection';
import { startConsumer } from '@partner/kernel/amqp/consumer';
import { createPublisher, type Publisher } from '@partner/kernel/amqp/publisher';
import { newId } from '@partner/kernel/process/ids';
import { freePort } from '@partner/test-kit/backing-services/local-process';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { sealSecret } from '@partner/kernel/security/secret-sealing';
import { type BrokerProbe, openBrokerProbe } from '@partner/kernel/testing/broker-probe';
import { eventually } from '@partner/test-kit/eventually';
import { type ServerShare, takeServerShare } from '@partner/test-kit/backing-services/take-server-share';
import { createRecorder, type Recorder } from '@partner/test-kit/recorder';
import { Registry } from 'prom-client';
import { createTestAuthority } from './testing/test-certificates.js';
import { type ReceivedRequest, type Receiver, startReceiver } from '@partner/test-kit/receiver';

const HOST = 'receiver.partner.test';
/** Resolves to the same receiver, whose certificate is for another name. */
const OTHER_HOST = 'other.partner.test';
const projectRoot = path.resolve(import.meta.dirname, '../../..');
const sealingKey = randomBytes(32);
const sealingKeys = { currentKeyId: 'k1', keys: new Map([['k1', sealingKey]]) };
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const body = Buffer.from('{"event":"install.test"}');
const metrics = new Registry();

let directory: string;
let caFile: string;
/** A vhost alone: the queues of the service have fixed names. */
let share: ServerShare;
let probe: BrokerProbe;
let connection: AmqpConnection;
let publisher: Publisher;
let receiver: Receiver;
let results: Recorder<DeliveryAttempted>;
let arrivals: Recorder<ReceivedRequest>;
let respond: (response: ServerResponse) => void;
const dispatchers: { readonly process: ChildProcess; readonly exited: Promise<unknown> }[] = [];

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'webhook-dispatcher-'));
  caFile = path.join(directory, 'ca.pem');
  const authority = await createTestAuthority();
  await writeFile(caFile, authority.pem);
  arrivals = createRecorder();
  receiver = await startReceiver({
    certificate: await authority.issue({ names: [HOST] }),
    respond: (request, response) => {
      arrivals.record(request);
      respond(response);
    },
  });

  share = await takeServerShare();
  probe = await openBrokerProbe(share.amqpUrl);
  connection = createAmqpConnection({ url: share.amqpUrl, name: 'test', logger: silentLogger, metrics });
  publisher = createPublisher({ connection, logger: silentLogger, metrics });
  results = createRecorder();
  startConsumer({
    connection,
    queue: DELIVERY_RESULTS,
    prefetch: 10,
    logger: silentLogger,
    metrics,
    handle: async (message) => {
      for (const result of fromBinary(DeliveriesAttemptedSchema, message.body).results)
        results.record(result);
      return { kind: 'done' };
    },
  });
  await eventually('the test connection', () => connection.isReady());
});

afterEach(async () => {
  for (const { process, exited } of dispatchers.splice(0)) {
    // Not killed: a command that is reported but not yet acknowledged would be redelivered in the next test.
    process.kill('SIGTERM');
    await exited;
  }
});

afterAll(async () => {
  await probe.close();
  await connection.close();
  await receiver.close();
  await share.release();
  await rm(directory, { recursive: true, force: true });
});

const command = ['--import', '@partner/kernel/telemetry/start', path.join(import.meta.dirname, 'main.js')];

/** Starts the service as a process and waits until it is ready. */
async function startDispatcher(extra: Readonly<Record<string, string>> = {}) {
  const adminPort = await freePort();
  const environment = {
    PATH: process.env['PATH'],
    PARTNER_ENVIRONMENT: 'sandbox',
    LOG_LEVEL: 'silent',
    ADMIN_HOST: '127.0.0.1',
    ADMIN_PORT: String(adminPort),
    AMQP_URL: share.amqpUrl,
    WEBHOOK_SEALING_KEYS: `k1:${sealingKey.toString('base64')}`,
    WEBHOOK_DEV_HOSTS: `${HOST}=127.0.0.1:${receiver.port},${OTHER_HOST}=127.0.0.1:${receiver.port}`,
    WEBHOOK_DEV_CA_FILE: caFile,
  };
  const child = spawn(process.execPath, command, {
    cwd: projectRoot,
    env: { ...environment, ...extra },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit').then(([code]: unknown[]) => code);
  const dispatcher = { process: child, exited };
  dispatchers.push(dispatcher);
  await eventually('readiness of the dispatcher', () =>
    fetch(`http://127.0.0.1:${adminPort}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return dispatcher;
}

/** Publishes delivery commands in one message and resolves to the deliveries' ids. */
async function commandDeliveries(
  ...changes: readonly MessageInitShape<typeof DeliverWebhookSchema>[]
): Promise<readonly string[]> {
  const deliveries = changes.map((change) => {
    const deliveryId = newId('dlv');
    const subscriptionId = newId('whk');
    return {
      subscriptionId,
      leaseId: `lease-${deliveryId}`,
      attempt: 1,
      leaseExpiresAt: timestampFromDate(new Date(Date.now() + 60_000)),
      url: `https://${HOST}/hook/${deliveryId}`,
      urlVersion: 1,
      eventId: newId('evt'),
      event: 'install.test',
      body,
      secretVersion: 1,
      sealedSecret: sealSecret(sealingKeys, { ownerId: subscriptionId, version: 1 }, secret),
      ...change,
      deliveryId,
    };
  });
  await publisher.publish({
    exchange: COMMANDS,
    routingKey: WEBHOOK_DELIVERIES.bindings[0].routingKey,
    messageId: deliveries[0]?.deliveryId ?? '',
    type: DeliverWebhooksSchema.typeName,
    body: toBinary(DeliverWebhooksSchema, create(DeliverWebhooksSchema, { deliveries })),
  });
  return deliveries.map(({ deliveryId }) => deliveryId);
}

const outcomeOf = async (deliveryId = '') =>
  (await results.find((result) => result.deliveryId === deliveryId)).attempt?.outcome;
const arrivalsOf = (deliveryId: string) =>
  arrivals.all().filter(({ path: at }) => at === `/hook/${deliveryId}`);

describe('the service', () => {
  test('ignores proxies and certificate settings in the environment', async () => {
    respond = (response) => response.writeHead(204).end();
    const proxied: Socket[] = [];
    const proxy = createServer((socket) => proxied.push(socket.destroy())).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const address = proxy.address();
    const proxyUrl = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
    await startDispatcher({
      HTTPS_PROXY: proxyUrl,
      https_proxy: proxyUrl,
      NODE_USE_ENV_PROXY: '1',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    });
    const [deliveryId, wrongId] = await commandDeliveries({}, { url: `https://${OTHER_HOST}/hook` });
    expect(await outcomeOf(deliveryId)).toBe(AttemptOutcome.DELIVERED);
    expect(await outcomeOf(wrongId)).toBe(AttemptOutcome.TLS_FAILED);
    expect(proxied).toHaveLength(0);
    proxy.close();
  });

  test('starts no attempt after shutdown begins: another replica makes each waiting one, once', async () => {
    const held = createRecorder<ServerResponse>();
    respond = held.record;
    const stopping = await startDispatcher({ DELIVERY_CONCURRENCY: '2' });
    const begun = await commandDeliveries({}, {});
    const responses = await held.atLeast(2);
    const waiting = await commandDeliveries({}, {});
    await probe.hasMessages(WEBHOOK_DELIVERIES.name, 0);
    stopping.process.kill('SIGTERM');
    await probe.hasMessages(WEBHOOK_DELIVERIES.name, 1);
    for (const response of responses) response.writeHead(204).end();
    for (const deliveryId of begun) expect(await outcomeOf(deliveryId)).toBe(AttemptOutcome.DELIVERED);
    expect(await stopping.exited).toBe(0);

    respond = (response) => response.writeHead(204).end();
    await startDispatcher();
    for (const deliveryId of waiting) expect(await outcomeOf(deliveryId)).toBe(AttemptOutcome.DELIVERED);
    for (const deliveryId of [...begun, ...waiting]) expect(arrivalsOf(deliveryId)).toHaveLength(1);
  });
});
