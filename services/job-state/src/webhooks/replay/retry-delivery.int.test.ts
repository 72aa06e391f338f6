import { describe, expect, test } from '@jest/globals';
import { failureOf } from '../../testing/subscription-fixture.js';
import {
  attemptOf,
  client,
  companyWithFinished,
  fixture,
  logLines,
} from '../testing/delivery-service-fixture.js';

/** A delivery that waits for its next attempt for `waitSeconds`. */
async function waitingDelivery(waitSeconds: number) {
  const { companyId, subscriptionId } = await fixture.companyWith(1);
  const [made] = await fixture.deliveriesOf(subscriptionId);
  const deliveryId = made?.id ?? '';
  await fixture.database.query(
    `update deliveries set state = 'retry_scheduled', attempts = 3, next_attempt_at = now() + make_interval(secs => $2)
     where id = $1`,
    [deliveryId, waitSeconds],
  );
  return { companyId, subscriptionId, deliveryId };
}

describe('RetryDelivery', () => {
  test('makes the next attempt of a waiting delivery due now, as the scheduled one [DELIVERY-20]', async () => {
    const { companyId, deliveryId } = await waitingDelivery(240);
    const woken: unknown[] = [];
    fixture.database.onWake('deliveries', (ids) => woken.push(...ids));
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
    const finished = await companyWithFinished('dead_lettered');
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
