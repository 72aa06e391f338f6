import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { beforeEach } from '@jest/globals';
import { createLoggerTo } from '@partner/kernel/telemetry/logger';
import { HEADERS_VERSION, sealSecret, PRIVATE_KEY_VERSION } from '@partner/kernel/security/secret-sealing';
import { heldBack } from '@partner/kernel/testing/held-back';
import { createInMemoryPublisher } from '@partner/kernel/testing/in-memory-publisher';
import {
  DeliveriesAttemptedSchema,
  type DeliverWebhookSchema,
  DeliverWebhooksSchema,
  type DeliveryAttempted,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { Registry } from 'prom-client';
import { createClockWatch } from '../clock-watch.js';
import { createDeliver, type DeliverDeps } from '../deliver.js';
import { createDeliveryMetrics } from '../delivery-metrics.js';
import type { OutgoingPost } from '../https-exchange.js';
import type { PostResult } from '../https-sender.js';
import { createLeaseMemory } from '../lease-memory.js';

export const now = new Date('2026-09-01T12:00:00.900Z');
export const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const sealingKeys = { currentKeyId: 'k1', keys: new Map([['k1', Buffer.alloc(32, 9)]]) };
export const body = Buffer.from('{"id":"evt_1","event":"install.status_changed"}');

/** A kept connection has no further steps. */
export const trace = { reusedConnection: true };

export const delivered: PostResult = {
  trace,
  outcome: 'delivered',
  durationMs: 42,
  remoteAddress: '93.184.215.14',
  response: {
    status: 204,
    headers: [{ name: 'server', value: 'n' }],
    body: Buffer.from('thanks'),
    retryAfter: undefined,
  },
};

/** What one test does and observes. */
const newRun = () => ({
  posts: new Array<OutgoingPost>(),
  publisher: createInMemoryPublisher(),
  logged: new Array<string>(),
  registry: new Registry(),
  stop: new AbortController(),
  elapsedMs: 0,
  respond: async (_post: OutgoingPost): Promise<PostResult> => delivered,
});

/** State of the running test. */
export const run = newRun();

beforeEach(() => void Object.assign(run, newRun()));

export function deliverer(changes: Partial<DeliverDeps> = {}) {
  let attempts = 0;
  const clock = changes.clock ?? (() => now);
  const logger = createLoggerTo(
    { write: (line) => void run.logged.push(line) },
    { service: 'test', level: 'trace' },
  );
  const metrics = createDeliveryMetrics(run.registry);
  const sender = {
    post: async (post: OutgoingPost) => {
      run.posts.push(post);
      return run.respond(post);
    },
  };
  return createDeliver({
    sender,
    publisher: run.publisher,
    concurrency: 10,
    stopping: run.stop.signal,
    leases: createLeaseMemory(),
    sealingKeys,
    clock,
    clockWatch: createClockWatch({ clock, elapsedMs: () => run.elapsedMs, logger, metrics }),
    newAttemptId: () => {
      attempts += 1;
      return `dlv_attempt${attempts}`;
    },
    logger,
    metrics,
    ...changes,
  });
}

export const command = {
  deliveryId: 'dlv_delivery',
  subscriptionId: 'whk_subscription',
  leaseId: 'lease-1',
  attempt: 3,
  leasedAt: timestampFromDate(now),
  leaseExpiresAt: timestampFromDate(new Date(now.getTime() + 30_000)),
  url: 'https://hooks.example.com/svc?token=in-the-url',
  urlVersion: 2,
  eventId: 'evt_1',
  event: 'install.status_changed',
  body,
  secretVersion: 4,
  sealedSecret: sealSecret(sealingKeys, { ownerId: 'whk_subscription', version: 4 }, secret),
} satisfies MessageInitShape<typeof DeliverWebhookSchema>;

/** Custom headers, sealed as job-state seals them. */
export function sealedHeaders(text: string): Buffer {
  return sealSecret(sealingKeys, { ownerId: command.subscriptionId, version: HEADERS_VERSION }, text);
}

/** A private key, sealed as job-state seals it. */
export function sealedPrivateKey(key: string): Buffer {
  return sealSecret(sealingKeys, { ownerId: command.subscriptionId, version: PRIVATE_KEY_VERSION }, key);
}

export function encoded(...deliveries: readonly MessageInitShape<typeof DeliverWebhookSchema>[]): Uint8Array {
  return toBinary(DeliverWebhooksSchema, create(DeliverWebhooksSchema, { deliveries: [...deliveries] }));
}

export function message(
  change: MessageInitShape<typeof DeliverWebhookSchema> = {},
  redelivered = false,
): IncomingMessage {
  return {
    messageId: 'lease-1',
    type: DeliverWebhooksSchema.typeName,
    body: encoded({ ...command, ...change }),
    headers: {},
    redelivered,
  };
}

/** Makes POSTs wait until the test completes them. */
export function heldAttempt(): { readonly began: Promise<void>; readonly finish: () => void } {
  const [started, held] = [heldBack(), heldBack()];
  run.respond = async () => {
    started.finish();
    await held.gate;
    return delivered;
  };
  return { began: started.gate, finish: held.finish };
}

export const published = () => run.publisher.published.all();
export const results = (): DeliveryAttempted[] =>
  published()
    .filter(({ type }) => type === DeliveriesAttemptedSchema.typeName)
    .flatMap(({ body: bytes }) => fromBinary(DeliveriesAttemptedSchema, bytes).results);

export const metric = async (name: string) => {
  const found = await run.registry.getSingleMetric(name)?.get();
  return found?.values.filter(({ value }) => value !== 0).map(({ labels, value }) => ({ ...labels, value }));
};

/** A number of deliveries, each under its own lease. */
export const several = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...command,
    deliveryId: `dlv_${index}`,
    leaseId: `lease-${index}`,
  }));
