import '@partner/kernel/telemetry/start';
import { createHmac } from 'node:crypto';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import { asymmetricSignature, privateKeyOf } from '@partner/kernel/security/signing-keys';
import { heldBack } from '@partner/kernel/testing/held-back';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { isReservedHeader } from '@partner/proto-contracts/resources/subscription/custom-headers';
import type { PostResult } from './https-sender.js';
import {
  body,
  command,
  delivered,
  deliverer,
  encoded,
  heldAttempt,
  message,
  metric,
  now,
  published,
  results,
  run,
  sealedHeaders,
  sealedPrivateKey,
  secret,
  several,
  trace,
} from './testing/deliver-fixture.js';

const refused: PostResult = {
  outcome: 'endpoint_refused',
  trace,
  durationMs: 1,
  cause: 'address',
  error: 'the endpoint URL has a host that does not resolve',
};

describe('a command', () => {
  test('becomes one signed POST of its exact body [AUTH-7, DELIVERY-4, DELIVERY-5, DELIVERY-6]', async () => {
    expect(await deliverer()(message())).toEqual({ kind: 'done' });
    expect(run.posts).toHaveLength(1);
    const [post] = run.posts;
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
    expect(post?.headers).not.toHaveProperty('x-svc-test');
  });

  test('with a private key is signed with it too, else with the secret alone [SECRET-12]', async () => {
    const key = privateKeyOf(Buffer.alloc(32, 1), command.subscriptionId);
    const deliver = deliverer();
    await deliver(message({ sealedPrivateKey: sealedPrivateKey(key) }));
    await deliver(message({ leaseId: 'lease-2' }));
    const [both, alone] = run.posts.map(({ headers }) => headers['webhook-signature']);
    expect(alone).toMatch(/^v1,\S+$/);
    const signed = { eventId: 'evt_1', timestamp: 1_788_264_000, body };
    expect(both).toBe(`${alone} ${asymmetricSignature(key, signed)}`);
  });

  test('adds the custom headers of its subscription, and none replaces a header that it sets itself [WEBHOOK-13]', async () => {
    const custom = { authorization: 'Bearer x', 'x-svc-event': 'mine', 'user-agent': 'mine' };
    await deliverer()(message({ sealedHeaders: sealedHeaders(JSON.stringify(custom)) }));
    const headers = run.posts[0]?.headers ?? {};
    expect(headers).toMatchObject({ authorization: 'Bearer x', 'x-svc-event': command.event });
    expect(Object.values(headers)).not.toContain('mine');
    expect(Object.keys(headers).filter((name) => !isReservedHeader(name))).toEqual(['authorization']);
    expect(run.logged.join('')).not.toContain('Bearer x');
  });

  test('names the subscription and the number of the event there, and marks a test, which has none [DELIVERY-24, WEBHOOK-12]', async () => {
    const deliver = deliverer();
    await deliver(message({ number: '9007199254740993' }));
    await deliver(message({ leaseId: 'lease-2', deliveryId: 'dlv_other', isTest: true }));
    const [numbered, ofTest] = run.posts.map(({ headers }) => headers);
    expect(numbered).toMatchObject({
      'x-svc-subscription-id': command.subscriptionId,
      'x-svc-number': '9007199254740993',
    });
    expect(ofTest).toMatchObject({ 'x-svc-test': 'true' });
    expect(ofTest).not.toHaveProperty('x-svc-number');
  });

  test('propagates its trace to the receiver, in a separate span [DELIVERY-11]', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    await deliverer()(message({ traceParent: `00-${traceId}-b7ad6b7169203331-01` }));
    expect(run.posts[0]?.headers['traceparent']).toMatch(
      new RegExp(`^00-${traceId}-(?!b7ad6b7169203331)[0-9a-f]{16}-00$`),
    );
    expect(run.posts[0]?.headers['tracestate']).toBeUndefined();
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
    expect(result?.attempt?.responseHeaders?.headers).toMatchObject([{ name: 'server', value: 'n' }]);
    expect(result?.attempt?.startedAt && timestampDate(result.attempt.startedAt)).toEqual(now);
  });

  const of = { trace, durationMs: 9, remoteAddress: '1.1.1.1', error: 'an error' };
  const responded = (status: number) => ({ status, headers: [], body: Buffer.alloc(0), retryAfter: '90' });
  const timedOut: PostResult = { outcome: 'timed_out', trace, durationMs: 10_000, error: 'too late' };

  test.each<{ readonly posted: PostResult; readonly outcome: AttemptOutcome; readonly seconds?: number }>([
    {
      posted: { ...of, outcome: 'rejected', response: responded(503) },
      outcome: AttemptOutcome.REJECTED,
      seconds: 90,
    },
    { posted: { ...of, outcome: 'rejected', response: responded(500) }, outcome: AttemptOutcome.REJECTED },
    { posted: timedOut, outcome: AttemptOutcome.TIMED_OUT },
    { posted: { ...of, outcome: 'tls_failed' }, outcome: AttemptOutcome.TLS_FAILED },
    { posted: { ...of, outcome: 'connection_failed' }, outcome: AttemptOutcome.CONNECTION_FAILED },
    { posted: refused, outcome: AttemptOutcome.ENDPOINT_REFUSED },
  ])('whose POST is $posted.outcome is acknowledged, and reported with the error', async (row) => {
    const { posted, outcome, seconds } = row;
    run.respond = async () => posted;
    expect(await deliverer()(message())).toEqual({ kind: 'done' });
    const [result] = results();
    expect(result?.attempt?.outcome).toBe(outcome);
    expect(result?.attempt?.error).toBe('error' in posted ? posted.error : undefined);
    const address = 'remoteAddress' in posted ? posted.remoteAddress : undefined;
    expect(result?.attempt?.remoteAddress).toBe(address);
    expect(result?.retryAfterSeconds).toBe(seconds);
  });

  test.each([
    ['secret', { sealedSecret: sealedHeaders('{}') }],
    ['custom headers', { sealedHeaders: command.sealedSecret }],
  ])(
    'whose %s cannot be opened is dropped without an attempt, with an error in the log [WEBHOOK-13]',
    async (_what, change) => {
      expect(await deliverer()(message(change))).toEqual({ kind: 'done' });
      expect(run.posts).toHaveLength(0);
      expect(published()).toHaveLength(0);
      expect(run.logged.join('')).toContain('delivery.secret_unreadable');
      expect(await metric('partner_webhook_commands_dropped_total')).toEqual([
        { reason: 'secret_unreadable', value: 1 },
      ]);
    },
  );
});

describe('the record of an attempt', () => {
  test('is one log line with ids, status, duration and outcome, and no secret', async () => {
    const deliver = deliverer();
    await deliver(message());
    expect(run.logged).toHaveLength(1);
    const line: unknown = JSON.parse(run.logged[0] ?? '');
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
      expect(run.logged[0]).not.toContain(kept);
    run.respond = async () => refused;
    await deliver(message({ leaseId: 'lease-2' }));
    expect(JSON.parse(run.logged[1] ?? '')).toMatchObject({ refusal: 'address' });
  });

  test('has nothing in flight when the sender itself fails, and the next lease is attempted', async () => {
    run.respond = () => Promise.reject(new Error('an internal error'));
    const deliver = deliverer();
    await expect(deliver(message())).rejects.toThrow('an internal error');
    expect(await metric('partner_webhook_attempts_in_flight')).toEqual([]);
    run.respond = async () => delivered;
    await deliver(message({}, true));
    expect(results()).toEqual([]);
    expect(await deliver(message({ leaseId: 'lease-2' }))).toEqual({ kind: 'done' });
    expect(results()).toHaveLength(1);
  });
});

describe('a message of several commands', () => {
  test('has each executed, and reports results that finish together in one message', async () => {
    const attempt = heldAttempt();
    const outcome = deliverer()({ ...message(), body: encoded(...several(5)) });
    await attempt.began;
    attempt.finish();
    expect(await outcome).toEqual({ kind: 'done' });
    expect(run.posts).toHaveLength(5);
    expect(results().map(({ deliveryId }) => deliveryId)).toEqual(
      several(5).map(({ deliveryId }) => deliveryId),
    );
    expect(published().length).toBeLessThan(5);
  });

  test('keeps attempts within the concurrency limit', async () => {
    const attempt = heldAttempt();
    const outcome = deliverer({ concurrency: 2 })({ ...message(), body: encoded(...several(5)) });
    await attempt.began;
    expect(run.posts.length).toBeLessThanOrEqual(2);
    attempt.finish();
    await outcome;
    expect(run.posts).toHaveLength(5);
  });

  test('frees the slot of an attempt before its result is reported', async () => {
    const [second, reported] = [heldBack(), heldBack()];
    run.respond = async () => {
      if (run.posts.length === 2) second.finish();
      return delivered;
    };
    const deliver = deliverer({ concurrency: 1, publisher: { publish: () => reported.gate } });
    const outcome = deliver({ ...message(), body: encoded(...several(2)) });
    await second.gate;
    reported.finish();
    expect(await outcome).toEqual({ kind: 'done' });
  });

  test('is dead-lettered for a malformed one, once the others are done', async () => {
    const [first, second, third] = several(3);
    const body = encoded(first ?? {}, { ...second, event: 'not a header' }, third ?? {});
    expect(await deliverer()({ ...message(), body })).toMatchObject({ kind: 'dead' });
    expect(run.posts).toHaveLength(2);
    expect(results()).toHaveLength(3);
  });
});

describe('a process that stops', () => {
  test('passes a waiting command on at once, as a new message, and finishes the attempts in flight', async () => {
    const attempt = heldAttempt();
    const deliver = deliverer({ concurrency: 2 });
    const [first, second, ...waiting] = several(5);
    const begun = deliver({ ...message(), body: encoded(first ?? {}, second ?? {}) });
    await attempt.began;
    const waits = { ...message(), body: encoded(...waiting), headers: { traceparent: 'of the command' } };
    const outcome = deliver(waits);
    run.stop.abort();
    expect(await outcome).toEqual({ kind: 'done' });
    const { exchange, routingKey, messageId, type, body, headers } = published()[0] ?? {};
    expect([exchange?.name, routingKey]).toEqual(['partner.commands', 'webhook-dispatcher.deliveries']);
    expect({ messageId, type, body, headers, redelivered: false }).toEqual(waits);
    attempt.finish();
    expect(await begun).toEqual({ kind: 'done' });
    expect(run.posts).toHaveLength(2);
    expect(results().map(({ deliveryId }) => deliveryId)).toEqual(['dlv_0', 'dlv_1']);
    expect(await metric('partner_webhook_commands_dropped_total')).toEqual([]);
  });

  test('requeues its commands if the broker takes neither their results nor themselves', async () => {
    run.publisher.failWith('not-connected');
    const attempt = heldAttempt();
    const deliver = deliverer({ concurrency: 1 });
    const begun = deliver(message());
    await attempt.began;
    const waiting = deliver(message({ leaseId: 'lease-2' }));
    run.stop.abort();
    attempt.finish();
    const requeued = { kind: 'retry', afterMs: 500 };
    expect(await Promise.all([begun, waiting])).toEqual([requeued, requeued]);
    expect(run.posts).toHaveLength(1);
  });

  test('drops the unstarted deliveries of a command: each is due again when its lease expires', async () => {
    const attempt = heldAttempt();
    const outcome = deliverer({ concurrency: 2 })({ ...message(), body: encoded(...several(5)) });
    await attempt.began;
    run.stop.abort();
    attempt.finish();
    expect(await outcome).toEqual({ kind: 'done' });
    expect(run.posts).toHaveLength(2);
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
    run.stop.abort();
    attempt.finish();
    expect(await Promise.all([first, again])).toEqual([{ kind: 'done' }, { kind: 'done' }]);
    expect(run.posts).toHaveLength(1);
  });
});
