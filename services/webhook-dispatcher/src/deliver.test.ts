import '@partner/kernel/telemetry/start';
import { createHmac } from 'node:crypto';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  AttemptOutcome,
  DeliveriesAttemptedSchema,
  type DeliverWebhookSchema,
  DeliverWebhooksSchema,
  type DeliveryAttempted,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { createLogger } from '@partner/kernel/logger';
import { sealSecret } from '@partner/kernel/secret-sealing';
import { createInMemoryPublisher, type InMemoryPublisher } from '@partner/kernel/testing/in-memory-publisher';
import { Registry } from 'prom-client';
import { Webhook } from 'standardwebhooks';
import { createClockWatch } from './clock-watch.js';
import { createDeliver, type DeliverDeps } from './deliver.js';
import { createDeliveryMetrics } from './delivery-metrics.js';
import type { OutgoingPost } from './https-exchange.js';
import type { PostResult } from './https-sender.js';
import { createLeaseMemory } from './lease-memory.js';

const now = new Date('2026-09-01T12:00:00.900Z');
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const sealingKeys = { currentKeyId: 'k1', keys: new Map([['k1', Buffer.alloc(32, 9)]]) };
const body = Buffer.from('{"id":"evt_1","event":"install.status_changed"}');

/** A kept connection has no further steps. */
const trace = { reusedConnection: true };

const delivered: PostResult = {
  trace,
  outcome: 'delivered',
  durationMs: 42,
  remoteAddress: '93.184.215.14',
  answer: { status: 204, body: Buffer.from('thanks'), retryAfter: undefined },
};

let posts: OutgoingPost[];
let publisher: InMemoryPublisher;
let logged: string[];
let elapsedMs: number;
let registry: Registry;
let answer: (post: OutgoingPost) => Promise<PostResult>;
let stop: AbortController;

beforeEach(() => {
  posts = [];
  publisher = createInMemoryPublisher();
  logged = [];
  elapsedMs = 0;
  registry = new Registry();
  answer = async () => delivered;
  stop = new AbortController();
});

function deliverer(changes: Partial<DeliverDeps> = {}) {
  let attempts = 0;
  const clock = changes.clock ?? (() => now);
  const logger = createLogger({
    service: 'test',
    level: 'trace',
    destination: { write: (line) => void logged.push(line) },
  });
  const metrics = createDeliveryMetrics(registry);
  return createDeliver({
    sender: {
      post: async (post) => {
        posts.push(post);
        return answer(post);
      },
    },
    publisher,
    concurrency: 10,
    stopping: stop.signal,
    leases: createLeaseMemory(),
    sealingKeys,
    clock,
    clockWatch: createClockWatch({ clock, elapsedMs: () => elapsedMs, logger, metrics }),
    newAttemptId: () => {
      attempts += 1;
      return `dlv_attempt${attempts}`;
    },
    logger,
    metrics,
    ...changes,
  });
}

const command = {
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
  sealedSecret: sealSecret(sealingKeys, { subscriptionId: 'whk_subscription', version: 4 }, secret),
} satisfies MessageInitShape<typeof DeliverWebhookSchema>;

function encoded(...deliveries: readonly MessageInitShape<typeof DeliverWebhookSchema>[]): Uint8Array {
  return toBinary(DeliverWebhooksSchema, create(DeliverWebhooksSchema, { deliveries: [...deliveries] }));
}

function message(
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
function heldAttempt(): { readonly began: Promise<void>; readonly finish: () => void } {
  let begin: () => void = () => undefined;
  let finish: () => void = () => undefined;
  const began = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  answer = async () => {
    begin();
    await finished;
    return delivered;
  };
  return { began, finish: () => finish() };
}

const published = () => publisher.published.all();
const results = (): DeliveryAttempted[] =>
  published().flatMap(({ body: bytes }) => fromBinary(DeliveriesAttemptedSchema, bytes).results);

const metric = async (name: string) => {
  const found = await registry.getSingleMetric(name)?.get();
  return found?.values.filter(({ value }) => value !== 0).map(({ labels, value }) => ({ ...labels, value }));
};

describe('a command', () => {
  test('becomes one signed POST of its exact body [AUTH-7, DELIVERY-4, DELIVERY-5, DELIVERY-6]', async () => {
    expect(await deliverer()(message())).toEqual({ kind: 'done' });
    expect(posts).toHaveLength(1);
    const [post] = posts;
    expect(post?.url).toBe(command.url);
    expect(Buffer.from(post?.body ?? [])).toEqual(body);
    const timestamp = '1788264000';
    const expected = createHmac('sha256', secret)
      .update(Buffer.concat([Buffer.from(`${timestamp}.`), body]))
      .digest('hex');
    expect(post?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringContaining('partner-integration-service'),
      'x-svc-event': 'install.status_changed',
      'x-svc-delivery-id': 'dlv_attempt1',
      'x-svc-timestamp': timestamp,
      'x-svc-secret-version': '4',
      'x-svc-signature': `v1=${expected}`,
      'webhook-id': 'evt_1',
      'webhook-timestamp': timestamp,
    });
  });

  test('is signed so that a stock verifier of Standard Webhooks accepts it', async () => {
    await deliverer({ clock: () => new Date() })(
      message({ leaseExpiresAt: timestampFromDate(new Date(Date.now() + 30_000)) }),
    );
    const [post] = posts;
    const verified = new Webhook(secret).verify(Buffer.from(post?.body ?? []), { ...post?.headers });
    expect(verified).toEqual({ id: 'evt_1', event: 'install.status_changed' });
  });

  test('propagates its trace to the receiver, in a span of its own [DELIVERY-11]', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    await deliverer()(message({ traceParent: `00-${traceId}-b7ad6b7169203331-01` }));
    expect(posts[0]?.headers['traceparent']).toMatch(
      new RegExp(`^00-${traceId}-(?!b7ad6b7169203331)[0-9a-f]{16}-00$`),
    );
    expect(posts[0]?.headers['tracestate']).toBeUndefined();
  });

  test('is reported with the attempt, before it is acknowledged', async () => {
    await deliverer()(message());
    expect(published()).toHaveLength(1);
    expect(published()[0]).toMatchObject({
      exchange: { name: 'partner.commands' },
      routingKey: 'job-state.delivery-results',
      messageId: 'dlv_attempt1',
      type: 'partner.webhooks.v1.DeliveriesAttempted',
    });
    const [result] = results();
    expect(result).toMatchObject({ deliveryId: 'dlv_delivery', leaseId: 'lease-1', urlVersion: 2 });
    expect(result?.retryAfterSeconds).toBeUndefined();
    expect(result?.attempt).toMatchObject({
      deliveryId: 'dlv_attempt1',
      number: 3,
      durationMs: 42,
      outcome: AttemptOutcome.DELIVERED,
      responseStatus: 204,
      remoteAddress: '93.184.215.14',
      secretVersion: 4,
    });
    expect(result?.attempt?.error).toBeUndefined();
    expect(Buffer.from(result?.attempt?.responseBody ?? []).toString()).toBe('thanks');
    expect(result?.attempt?.startedAt && timestampDate(result.attempt.startedAt)).toEqual(now);
  });

  const failed: readonly {
    readonly result: PostResult;
    readonly outcome: AttemptOutcome;
    readonly seconds?: number;
  }[] = [
    {
      result: {
        outcome: 'rejected',
        trace,
        durationMs: 5,
        remoteAddress: '1.1.1.1',
        error: 'the endpoint responded with 503',
        answer: { status: 503, body: Buffer.alloc(0), retryAfter: '90' },
      },
      outcome: AttemptOutcome.REJECTED,
      seconds: 90,
    },
    {
      result: {
        outcome: 'rejected',
        trace,
        durationMs: 5,
        remoteAddress: '1.1.1.1',
        error: 'the endpoint responded with 500',
        answer: { status: 500, body: Buffer.alloc(0), retryAfter: '90' },
      },
      outcome: AttemptOutcome.REJECTED,
    },
    {
      result: {
        outcome: 'timed_out',
        trace,
        durationMs: 10_000,
        error: 'there was no complete response within 10 seconds',
      },
      outcome: AttemptOutcome.TIMED_OUT,
    },
    {
      result: {
        outcome: 'tls_failed',
        trace,
        durationMs: 9,
        error: 'the certificate has expired',
        remoteAddress: '1.1.1.1',
      },
      outcome: AttemptOutcome.TLS_FAILED,
    },
    {
      result: {
        outcome: 'connection_failed',
        trace,
        durationMs: 9,
        error: 'refused',
        remoteAddress: '1.1.1.1',
      },
      outcome: AttemptOutcome.CONNECTION_FAILED,
    },
    {
      result: {
        outcome: 'endpoint_refused',
        trace,
        durationMs: 1,
        cause: 'address',
        error: 'the endpoint URL has a host that does not resolve',
      },
      outcome: AttemptOutcome.ENDPOINT_REFUSED,
    },
  ];

  test.each(failed)(
    'whose POST is $result.outcome is acknowledged, and reported with the error',
    async (expected) => {
      answer = async () => expected.result;
      expect(await deliverer()(message())).toEqual({ kind: 'done' });
      const [result] = results();
      expect(result?.attempt?.outcome).toBe(expected.outcome);
      expect(result?.attempt?.error).toBe('error' in expected.result ? expected.result.error : undefined);
      expect(result?.attempt?.remoteAddress).toBe(
        'remoteAddress' in expected.result ? expected.result.remoteAddress : undefined,
      );
      expect(result?.retryAfterSeconds).toBe(expected.seconds);
    },
  );

  test.each([
    'deliveryId',
    'subscriptionId',
    'leaseId',
    'attempt',
    'leaseExpiresAt',
    'url',
    'urlVersion',
    'eventId',
    'event',
    'body',
    'secretVersion',
    'sealedSecret',
  ] as const)('without %s is dead', async (field) => {
    const fields: MessageInitShape<typeof DeliverWebhookSchema> = { ...command };
    Reflect.deleteProperty(fields, field);
    const outcome = await deliverer()({ ...message(), body: encoded(fields) });
    const name = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    expect(outcome).toEqual({ kind: 'dead', reason: `the DeliverWebhook lacks ${name}` });
    expect(posts).toHaveLength(0);
    const isAnswered = field !== 'deliveryId' && field !== 'leaseId';
    expect(results()).toHaveLength(isAnswered ? 1 : 0);
  });

  test('that can never be executed is reported as a failed attempt, once, before it is dead-lettered', async () => {
    const deliver = deliverer();
    publisher.failWith('closed');
    const malformed = message({ event: 'not a header' });
    expect(await deliver(malformed)).toEqual({ kind: 'retry', afterMs: 500 });
    publisher.failWith(undefined);
    expect(await deliver(malformed)).toMatchObject({ kind: 'dead' });
    expect(await deliver({ ...malformed, redelivered: true })).toMatchObject({ kind: 'dead' });
    expect(results()).toHaveLength(1);
    expect(results()[0]).toMatchObject({ deliveryId: 'dlv_delivery', leaseId: 'lease-1', urlVersion: 2 });
    expect(results()[0]?.attempt).toMatchObject({
      deliveryId: 'dlv_attempt1',
      number: 3,
      outcome: AttemptOutcome.CONNECTION_FAILED,
      error: expect.stringContaining('nothing was sent'),
      secretVersion: 4,
    });
    expect(posts).toHaveLength(0);
  });

  test('without the start of its lease is executed', async () => {
    await deliverer()(message({ leasedAt: undefined }));
    expect(posts).toHaveLength(1);
  });

  test('of another message type is dead-lettered', async () => {
    const deliver = deliverer();
    const outcome = await deliver({ ...message(), body: Buffer.of(0xff, 0xff, 0xff) });
    expect(outcome).toEqual({ kind: 'dead', reason: 'the message is not a DeliverWebhooks, or is empty' });
    expect(await deliver({ ...message(), body: Buffer.alloc(0) })).toMatchObject({ kind: 'dead' });
  });

  test('whose event could break a header is dead-lettered', async () => {
    expect(await deliverer()(message({ event: 'a\r\nx-evil: 1' }))).toMatchObject({ kind: 'dead' });
    expect(posts).toHaveLength(0);
  });

  test('whose secret cannot be opened is dropped without an attempt and logged as an error', async () => {
    const outcome = await deliverer({
      sealingKeys: { currentKeyId: 'k2', keys: new Map([['k2', Buffer.alloc(32)]]) },
    })(message());
    expect(outcome).toEqual({ kind: 'done' });
    expect(posts).toHaveLength(0);
    expect(published()).toHaveLength(0);
    expect(logged.join('')).toContain('delivery.secret_unreadable');
    expect(await metric('partner_webhook_commands_dropped_total')).toEqual([
      { reason: 'secret_unreadable', value: 1 },
    ]);
  });

  test('sealed for another subscription or version is not sent', async () => {
    await deliverer()(message({ subscriptionId: 'whk_other' }));
    expect(posts).toHaveLength(0);
  });
});

describe('a lease', () => {
  test('that is too short for an attempt drops the command without a POST: the delivery is due again', async () => {
    const tooSoon = timestampFromDate(new Date(now.getTime() + 11_999));
    expect(await deliverer()(message({ leaseExpiresAt: tooSoon }))).toEqual({ kind: 'done' });
    expect(posts).toHaveLength(0);
    expect(published()).toHaveLength(0);
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({
      level: 'warn',
      msg: 'delivery.dropped',
      deliveryId: 'dlv_delivery',
      overrunMs: 1,
    });
    expect(await metric('partner_webhook_commands_dropped_total')).toEqual([
      { reason: 'too_late', value: 1 },
    ]);
  });

  test('with just enough time for an attempt and its report is used', async () => {
    await deliverer()(message({ leaseExpiresAt: timestampFromDate(new Date(now.getTime() + 12_000)) }));
    expect(posts).toHaveLength(1);
  });

  test('whose result was confirmed is not attempted again when the command is redelivered', async () => {
    const deliver = deliverer();
    await deliver(message());
    expect(await deliver(message({}, true))).toEqual({ kind: 'done' });
    expect(posts).toHaveLength(1);
    expect(published()).toHaveLength(1);
  });

  test('whose result was not confirmed has the same result reported again, without a POST', async () => {
    const deliver = deliverer();
    publisher.failWith('closed');
    expect(await deliver(message())).toEqual({ kind: 'retry', afterMs: 500 });
    expect(published()).toHaveLength(0);
    publisher.failWith(undefined);
    expect(await deliver(message({}, true))).toEqual({ kind: 'done' });
    expect(posts).toHaveLength(1);
    expect(results()[0]?.attempt?.deliveryId).toBe('dlv_attempt1');
  });

  test('whose attempt is in flight when the command is redelivered is awaited, without a POST', async () => {
    const attempt = heldAttempt();
    const deliver = deliverer();
    const both = [deliver(message()), deliver(message({}, true))];
    await attempt.began;
    attempt.finish();
    expect(await Promise.all(both)).toEqual([{ kind: 'done' }, { kind: 'done' }]);
    expect(posts).toHaveLength(1);
  });

  test('that expires while no result is confirmed is given up and logged as an error', async () => {
    let clock = now;
    const deliver = deliverer({ clock: () => clock });
    publisher.failWith('nacked');
    expect(await deliver(message())).toEqual({ kind: 'retry', afterMs: 500 });
    clock = new Date(now.getTime() + 30_001);
    expect(await deliver(message())).toEqual({ kind: 'done' });
    expect(posts).toHaveLength(1);
    expect(logged.join('')).toContain('delivery.result_lost');
    expect(await metric('partner_webhook_results_lost_total')).toEqual([{ value: 1 }]);
  });

  test('that is new gets a new attempt with a new id [DELIVERY-5]', async () => {
    const deliver = deliverer();
    await deliver(message());
    await deliver(message({ leaseId: 'lease-2', attempt: 4 }));
    expect(posts.map(({ headers }) => headers['x-svc-delivery-id'])).toEqual([
      'dlv_attempt1',
      'dlv_attempt2',
    ]);
    expect(posts.map(({ headers }) => headers['webhook-id'])).toEqual(['evt_1', 'evt_1']);
  });

  test('that is new gets a new signature, at the time of its attempt and over the same body [DELIVERY-1, DELIVERY-5, DELIVERY-10]', async () => {
    let time = now;
    const deliver = deliverer({ clock: () => time });
    await deliver(message());
    time = new Date(now.getTime() + 20_000);
    const leaseExpiresAt = timestampFromDate(new Date(time.getTime() + 30_000));
    const leasedAt = timestampFromDate(time);
    await deliver(message({ leaseId: 'lease-2', attempt: 4, leasedAt, leaseExpiresAt }));
    const [first, second] = posts;
    expect(Buffer.from(second?.body ?? [])).toEqual(Buffer.from(first?.body ?? []));
    const [one = 0, two = 0] = posts.map(({ headers }) => Number(headers['x-svc-timestamp']));
    expect(two - one).toBe(20);
    expect(second?.headers['x-svc-signature']).not.toBe(first?.headers['x-svc-signature']);
  });
});

describe('a clock', () => {
  const skew = () => logged.filter((line) => line.includes('clock.skewed'));
  const late = (leaseId: string) =>
    message({
      leaseId,
      leasedAt: timestampFromDate(new Date(now.getTime() - 25_000)),
      leaseExpiresAt: timestampFromDate(new Date(now.getTime() + 5_000)),
    });

  test('that makes every command late for 30 s is ahead, and is logged as an error', async () => {
    const deliver = deliverer();
    await deliver(late('lease-1'));
    elapsedMs = 29_999;
    await deliver(late('lease-2'));
    expect(skew()).toHaveLength(0);
    elapsedMs = 30_000;
    await deliver(late('lease-3'));
    expect(skew()).toHaveLength(1);
    expect(JSON.parse(skew()[0] ?? '')).toMatchObject({
      level: 'error',
      direction: 'ahead',
      offByMs: 25_000,
    });
    expect(await metric('partner_webhook_clock_skewed_total')).toEqual([{ direction: 'ahead', value: 1 }]);
  });

  test('is not ahead when a command in between is in time: the late ones waited in the queue', async () => {
    const deliver = deliverer();
    await deliver(late('lease-1'));
    elapsedMs = 20_000;
    await deliver(message({ leaseId: 'lease-2' }));
    elapsedMs = 40_000;
    await deliver(late('lease-3'));
    expect(skew()).toHaveLength(0);
  });

  test('for which a lease begins in the future is behind, and the attempt is still made', async () => {
    const deliver = deliverer();
    const leasedIn = (ms: number) => timestampFromDate(new Date(now.getTime() + ms));
    await deliver(message({ leasedAt: leasedIn(2_000) }));
    expect(skew()).toHaveLength(0);
    await deliver(message({ leaseId: 'lease-2', leasedAt: leasedIn(2_001) }));
    expect(JSON.parse(skew()[0] ?? '')).toMatchObject({
      level: 'error',
      direction: 'behind',
      offByMs: 2_001,
    });
    expect(posts).toHaveLength(2);
    expect(await metric('partner_webhook_clock_skewed_total')).toEqual([{ direction: 'behind', value: 1 }]);
  });
});

describe('the record of an attempt', () => {
  test('is one log line with ids, status, duration and outcome, and no secret', async () => {
    await deliverer()(message());
    expect(logged).toHaveLength(1);
    const line: unknown = JSON.parse(logged[0] ?? '');
    expect(line).toMatchObject({
      level: 'info',
      msg: 'delivery.attempted',
      deliveryId: 'dlv_delivery',
      attemptId: 'dlv_attempt1',
      attempt: 3,
      subscriptionId: 'whk_subscription',
      eventId: 'evt_1',
      event: 'install.status_changed',
      outcome: 'delivered',
      status: 204,
      durationMs: 42,
    });
    for (const kept of ['whsec_', 'v1=', 'v1,', 'thanks', 'in-the-url', '"id":'])
      expect(logged[0]).not.toContain(kept);
  });

  test('has the cause of a refusal in the log, for operators', async () => {
    answer = async () => ({
      outcome: 'endpoint_refused',
      trace,
      durationMs: 1,
      cause: 'address',
      error: 'the endpoint URL has a host that does not resolve',
    });
    await deliverer()(message());
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({ outcome: 'endpoint_refused', refusal: 'address' });
  });

  test('is a count by outcome, and nothing in flight', async () => {
    await deliverer()(message());
    expect(await metric('partner_webhook_attempts_total')).toEqual([
      { outcome: 'delivered', refusal: '', value: 1 },
    ]);
    expect(await metric('partner_webhook_attempts_in_flight')).toEqual([]);
  });

  test('has nothing in flight when the sender itself fails, and the lease can be attempted again', async () => {
    answer = () => Promise.reject(new Error('a fault of ours'));
    const deliver = deliverer();
    await expect(deliver(message())).rejects.toThrow('a fault of ours');
    expect(await metric('partner_webhook_attempts_in_flight')).toEqual([]);
    answer = async () => delivered;
    expect(await deliver(message({}, true))).toEqual({ kind: 'done' });
    expect(results()).toHaveLength(1);
  });
});

test('a memory of leases forgets the oldest', async () => {
  const leases = createLeaseMemory({ capacity: 2 });
  const deliver = deliverer({ leases });
  for (const leaseId of ['lease-1', 'lease-2', 'lease-3']) await deliver(message({ leaseId }));
  expect(['lease-1', 'lease-2', 'lease-3'].map((leaseId) => leases.recall(leaseId))).toEqual([
    undefined,
    'reported',
    'reported',
  ]);
});

/** A number of deliveries, each under its own lease. */
const several = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...command,
    deliveryId: `dlv_${index}`,
    leaseId: `lease-${index}`,
  }));

describe('a message of several commands', () => {
  test('has each executed, and reports results that finish together in one message', async () => {
    const attempt = heldAttempt();
    const outcome = deliverer()({ ...message(), body: encoded(...several(5)) });
    await attempt.began;
    attempt.finish();
    expect(await outcome).toEqual({ kind: 'done' });
    expect(posts).toHaveLength(5);
    expect(results().map(({ deliveryId }) => deliveryId)).toEqual(
      several(5).map(({ deliveryId }) => deliveryId),
    );
    expect(published().length).toBeLessThan(5);
  });

  test('keeps attempts within the concurrency limit', async () => {
    const attempt = heldAttempt();
    const outcome = deliverer({ concurrency: 2 })({ ...message(), body: encoded(...several(5)) });
    await attempt.began;
    expect(posts.length).toBeLessThanOrEqual(2);
    attempt.finish();
    await outcome;
    expect(posts).toHaveLength(5);
  });

  test('is retried until every result is confirmed, without another POST of the others', async () => {
    const deliver = deliverer();
    publisher.failWith('closed');
    const body = encoded(...several(3));
    expect(await deliver({ ...message(), body })).toEqual({ kind: 'retry', afterMs: 500 });
    publisher.failWith(undefined);
    expect(await deliver({ ...message(), body })).toEqual({ kind: 'done' });
    expect(posts).toHaveLength(3);
    expect(results()).toHaveLength(3);
  });

  test('is dead-lettered for a malformed one, once the others are done', async () => {
    const [first, second, third] = several(3);
    const body = encoded(first ?? {}, { ...second, event: 'not a header' }, third ?? {});
    expect(await deliverer()({ ...message(), body })).toMatchObject({ kind: 'dead' });
    expect(posts).toHaveLength(2);
    expect(results()).toHaveLength(3);
  });

  test('has each in the trace of its own event', async () => {
    const traceParents = ['1', '2'].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`);
    const body = encoded(
      ...several(2).map((one, index) => ({ ...one, traceParent: traceParents[index] ?? '' })),
    );
    await deliverer()({ ...message(), body });
    expect(posts.map(({ headers }) => headers['traceparent']?.slice(3, 35)).sort()).toEqual(
      traceParents.map((traceParent) => traceParent.slice(3, 35)),
    );
  });
});

describe('a process that stops', () => {
  const givenBack = { kind: 'retry', afterMs: 500 };

  test('requeues a waiting command at once, and finishes the attempts in flight', async () => {
    const attempt = heldAttempt();
    const deliver = deliverer({ concurrency: 2 });
    const [first, second, ...waiting] = several(5);
    const begun = deliver({ ...message(), body: encoded(first ?? {}, second ?? {}) });
    await attempt.began;
    const waits = deliver({ ...message(), body: encoded(...waiting) });
    stop.abort();
    expect(await waits).toEqual(givenBack);
    attempt.finish();
    expect(await begun).toEqual({ kind: 'done' });
    expect(posts).toHaveLength(2);
    expect(results().map(({ deliveryId }) => deliveryId)).toEqual(['dlv_0', 'dlv_1']);
    expect(await metric('partner_webhook_commands_dropped_total')).toEqual([]);
  });

  test('makes no attempt for a later command', async () => {
    const deliver = deliverer();
    stop.abort();
    expect(await deliver(message())).toEqual(givenBack);
    expect(posts).toHaveLength(0);
    expect(published()).toHaveLength(0);
  });

  test('drops the unstarted deliveries of a command: each is due again when its lease expires', async () => {
    const attempt = heldAttempt();
    const outcome = deliverer({ concurrency: 2 })({ ...message(), body: encoded(...several(5)) });
    await attempt.began;
    stop.abort();
    attempt.finish();
    expect(await outcome).toEqual({ kind: 'done' });
    expect(posts).toHaveLength(2);
    expect(results()).toHaveLength(2);
    expect(await metric('partner_webhook_commands_dropped_total')).toEqual([
      { reason: 'stopping', value: 3 },
    ]);
  });

  test('does not requeue a redelivered command whose attempt is in flight', async () => {
    const attempt = heldAttempt();
    const deliver = deliverer({ concurrency: 1 });
    const first = deliver(message());
    await attempt.began;
    const again = deliver(message({}, true));
    stop.abort();
    attempt.finish();
    expect(await Promise.all([first, again])).toEqual([{ kind: 'done' }, { kind: 'done' }]);
    expect(posts).toHaveLength(1);
  });
});
