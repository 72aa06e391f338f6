import { describe, expect, test } from '@jest/globals';
import { ServiceError } from '@partner/kernel/process/service-error';
import { attemptOf, client, fixture, logLines } from '../testing/delivery-fixture.js';
import { failureOf } from '../../testing/subscription-fixture.js';
import { deliveriesWaiting } from '../deliveries/releaser.js';

describe('ReplayDelivery', () => {
  test.each(['delivered', 'dead_lettered'] as const)(
    'starts a new series of attempts of the same event for a %s one [DELIVERY-3, REPLAY-1]',
    async (state) => {
      const { companyId, subscriptionId, deliveryId, eventId } = await fixture.companyWithFinished(state, 1);
      const delivery = await client.replayDelivery({ companyId, deliveryId, membershipId: 'mem_1' });
      expect(delivery).toMatchObject({
        subscriptionId,
        eventId,
        event: 'install.status_changed',
        state: 'pending',
        attempts: 0,
        replayOf: deliveryId,
      });
      expect((await fixture.delivery(deliveryId)).state).toBe(state);
      expect(await client.getDelivery({ companyId, deliveryId: delivery.id })).toMatchObject({
        body: (await client.getDelivery({ companyId, deliveryId })).body,
      });
      const logged = { deliveryId: delivery.id, replayOf: deliveryId, companyId, membershipId: 'mem_1' };
      expect(logLines).toContainEqual([expect.objectContaining(logged), 'delivery.replayed']);
    },
  );

  test('accepts the id of an attempt, and replays a replay [REPLAY-1]', async () => {
    const { companyId, deliveryId } = await fixture.companyWithFinished('dead_lettered', 1);
    const attemptId = await attemptOf(deliveryId);
    const replay = await client.replayDelivery({ companyId, deliveryId: attemptId });
    expect(replay.replayOf).toBe(deliveryId);
    await fixture.finish('dead_lettered', replay.id);
    const again = await client.replayDelivery({ companyId, deliveryId: replay.id });
    expect(again.replayOf).toBe(replay.id);
  });

  test('queues one delivery for concurrent requests, and names it in the other responses [REPLAY-2]', async () => {
    const { companyId, subscriptionId, deliveryId } = await fixture.companyWithFinished('dead_lettered', 1);
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => client.replayDelivery({ companyId, deliveryId })),
    );
    const made = (await fixture.deliveriesOf(subscriptionId)).filter(({ state }) => state === 'pending');
    expect(made).toHaveLength(1);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'fulfilled') continue;
      const failure = ServiceError.from(result.reason);
      expect(failure.reason).toBe('replay_in_progress');
      expect(failure.message).toContain(made[0]?.id);
    }
  });

  test('queues a held delivery while the subscription is paused [REPLAY-1]', async () => {
    const { companyId, subscriptionId, deliveryId } = await fixture.companyWithFinished('dead_lettered', 1);
    await fixture.setState(subscriptionId, 'paused');
    const replay = await client.replayDelivery({ companyId, deliveryId });
    expect(replay).toMatchObject({ state: 'held', nextAttemptAt: null });
  });

  test('is refused for an unfinished delivery, a test, a dropped event and a deleted subscription [REPLAY-2]', async () => {
    const unfinished = await fixture.companyWith(1);
    const cancelled = await fixture.companyWithFinished('cancelled', 1);
    const tested = await fixture.companyWithFinished('delivered', 1);
    await fixture.set('finished_deliveries', tested.deliveryId, 'is_test = true');
    const dropped = await fixture.companyWithFinished('delivered', 1);
    await fixture.database.query('delete from events where id = $1', [dropped.eventId]);
    const deleted = await fixture.companyWithFinished('delivered', 1);
    await fixture.setDeleted(deleted.subscriptionId);
    const cases = [
      [unfinished, 'delivery_not_replayable', 'is pending'],
      [cancelled, 'delivery_not_replayable', 'is cancelled'],
      [tested, 'delivery_not_replayable', 'test'],
      [dropped, 'event_expired', 'no longer kept'],
      [deleted, 'not_found', 'no such'],
    ] as const;
    for (const [{ companyId, deliveryId }, reason, words] of cases) {
      const failure = await failureOf(client.replayDelivery({ companyId, deliveryId }));
      expect([failure.reason, failure.message]).toEqual([reason, expect.stringContaining(words)]);
    }
  });
});

async function waitingDelivery(waitSeconds: number) {
  const { companyId, deliveryId } = await fixture.companyWith(1);
  await fixture.setRetrying([deliveryId], waitSeconds, 3);
  return { companyId, deliveryId };
}

describe('RetryDelivery', () => {
  test('makes the next attempt of a waiting delivery due now, as the scheduled one [DELIVERY-20]', async () => {
    const { companyId, deliveryId } = await waitingDelivery(240);
    const woken: unknown[] = [];
    deliveriesWaiting.listen(fixture.database, (ids) => woken.push(...ids));
    const delivery = await client.retryDelivery({ companyId, deliveryId, membershipId: 'mem_1' });
    expect(delivery).toMatchObject({ id: deliveryId, state: 'retry_scheduled', attempts: 3 });
    const stored = await fixture.delivery(deliveryId);
    expect(stored).toMatchObject({ state: 'retry_scheduled', attempts: 3 });
    expect(stored.wait_ms).toBeLessThanOrEqual(0);
    expect(woken).toContain(delivery.subscriptionId);
    expect(logLines).toContainEqual([
      expect.objectContaining({ deliveryId, companyId, membershipId: 'mem_1' }),
      'delivery.retried',
    ]);
  });

  test('leaves the time of a delivery that is due already [DELIVERY-17]', async () => {
    const { companyId, deliveryId } = await waitingDelivery(-60);
    await client.retryDelivery({ companyId, deliveryId });
    expect((await fixture.delivery(deliveryId)).wait_ms).toBeLessThanOrEqual(-60_000);
  });

  test('refuses a delivery that is in flight, held or finished, and says which [DELIVERY-20]', async () => {
    const inFlight = await waitingDelivery(240);
    await fixture.set('deliveries', inFlight.deliveryId, `lease_id = 'lse_1'`);
    const held = await waitingDelivery(240);
    await fixture.set('deliveries', held.deliveryId, `state = 'held'`);
    const finished = await fixture.companyWithFinished('dead_lettered', 1);
    for (const [{ companyId, deliveryId }, state] of [
      [inFlight, 'in flight'],
      [held, 'held'],
      [finished, 'dead_lettered'],
      [{ ...finished, deliveryId: await attemptOf(finished.deliveryId) }, 'dead_lettered'],
    ] as const) {
      const failure = await failureOf(client.retryDelivery({ companyId, deliveryId }));
      expect(failure).toMatchObject({
        reason: 'delivery_not_waiting',
        message: expect.stringContaining(`the delivery is ${state}`),
      });
    }
  });
});
