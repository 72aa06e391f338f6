import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import { DeliveryAttemptedSchema } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { eventually } from '@partner/test-kit/eventually';
import { createLeaseMemory } from './lease-memory.js';
import {
  deliverer,
  heldAttempt,
  message,
  metric,
  now,
  published,
  results,
  run,
} from './testing/deliver-fixture.js';

describe('a lease', () => {
  test('that is too short for an attempt drops the command without a POST: the delivery is due again', async () => {
    const tooSoon = timestampFromDate(new Date(now.getTime() + 11_999));
    const deliver = deliverer();
    expect(await deliver(message({ leaseExpiresAt: tooSoon }))).toEqual({ kind: 'done' });
    expect(run.posts).toHaveLength(0);
    expect(published()).toHaveLength(0);
    expect(run.logged).toHaveLength(1);
    expect(JSON.parse(run.logged[0] ?? '')).toMatchObject({
      level: 'warn',
      msg: 'delivery.dropped',
      deliveryId: 'dlv_delivery',
      overrunMs: 1,
    });
    expect(await metric('partner_webhook_commands_dropped_total')).toEqual([
      { reason: 'too_late', value: 1 },
    ]);
    const enough = timestampFromDate(new Date(now.getTime() + 12_000));
    await deliver(message({ leaseExpiresAt: enough }));
    expect(run.posts).toHaveLength(1);
  });

  test('whose result was confirmed is not attempted again when the command is redelivered', async () => {
    const deliver = deliverer();
    await deliver(message());
    expect(await deliver(message({}, true))).toEqual({ kind: 'done' });
    expect(run.posts).toHaveLength(1);
    expect(published()).toHaveLength(1);
  });

  test('whose result the broker does not take is offered until it does, without another POST, although the channel is lost', async () => {
    const deliver = deliverer();
    run.publisher.failWith('closed');
    const outcomes = [deliver(message()), deliver(message({}, true))];
    await eventually('a refused report', () => run.publisher.refused() > 0);
    run.publisher.failWith(undefined);
    expect(await Promise.all(outcomes)).toEqual([{ kind: 'done' }, { kind: 'done' }]);
    expect(run.posts).toHaveLength(1);
    expect(new Set(results().map(({ attempt }) => attempt?.deliveryId))).toEqual(new Set(['dlv_attempt1']));
  });

  test('of a redelivered command that this process does not know is left to the process that may have sent it', async () => {
    expect(await deliverer()(message({}, true))).toEqual({ kind: 'done' });
    expect(run.posts).toHaveLength(0);
    expect(published()).toHaveLength(0);
    expect(await metric('partner_webhook_commands_dropped_total')).toEqual([
      { reason: 'redelivered', value: 1 },
    ]);
  });

  test('whose attempt is in flight when the command is redelivered is awaited, without a POST', async () => {
    const attempt = heldAttempt();
    const deliver = deliverer();
    const both = [deliver(message()), deliver(message({}, true))];
    await attempt.began;
    attempt.finish();
    expect(await Promise.all(both)).toEqual([{ kind: 'done' }, { kind: 'done' }]);
    expect(run.posts).toHaveLength(1);
  });

  test('whose result is not confirmed for 15 minutes is given up and logged as an error', async () => {
    let clock = now;
    const deliver = deliverer({ clock: () => clock });
    run.publisher.failWith('nacked');
    const outcome = deliver(message());
    await eventually('a refused report', () => run.publisher.refused() > 0);
    clock = new Date(now.getTime() + 900_001);
    expect(await outcome).toEqual({ kind: 'done' });
    expect(run.posts).toHaveLength(1);
    expect(run.logged.join('')).toContain('delivery.result_lost');
    expect(await metric('partner_webhook_results_lost_total')).toEqual([{ value: 1 }]);
  });

  test('that is new gets a new attempt: a new id, and a new signature over the same body at its own time [DELIVERY-1, DELIVERY-5, DELIVERY-10]', async () => {
    let time = now;
    const deliver = deliverer({ clock: () => time });
    await deliver(message());
    time = new Date(now.getTime() + 20_000);
    const leaseExpiresAt = timestampFromDate(new Date(time.getTime() + 30_000));
    const leasedAt = timestampFromDate(time);
    await deliver(message({ leaseId: 'lease-2', attempt: 4, leasedAt, leaseExpiresAt }));
    const [first, second] = run.posts;
    expect(Buffer.from(second?.body ?? [])).toEqual(Buffer.from(first?.body ?? []));
    const header = (name: string) => run.posts.map(({ headers }) => headers[name]);
    expect(header('x-svc-delivery-id')).toEqual(['dlv_attempt1', 'dlv_attempt2']);
    expect(header('webhook-id')).toEqual(['evt_1', 'evt_1']);
    const [one = 0, two = 0] = header('x-svc-timestamp').map(Number);
    expect(two - one).toBe(20);
    expect(second?.headers['x-svc-signature']).not.toBe(first?.headers['x-svc-signature']);
  });
});

test('the memory of leases drops the oldest', async () => {
  const leases = createLeaseMemory();
  const attempt = Promise.resolve(create(DeliveryAttemptedSchema, {}));
  for (let lease = 1; lease <= 20_001; lease += 1) leases.began(`lease-${lease}`, attempt);
  expect(['lease-1', 'lease-2', 'lease-20001'].map((leaseId) => leases.recall(leaseId))).toEqual([
    undefined,
    attempt,
    attempt,
  ]);
});
