import { expect, test } from '@jest/globals';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { Registry } from 'prom-client';
import { claimed, FAILED, fixture, handlerWith, lease } from './testing/delivery-results-fixture.js';
import { attemptedMessage } from '../../testing/webhook-fixture.js';

test('the metrics count attempts and dead letters by company class, and measure the latency of the first and of later attempts', async () => {
  const metrics = new Registry();
  const recording = handlerWith(fixture.database, metrics);
  const { DELIVERED } = AttemptOutcome;
  for (const outcomes of [[DELIVERED], [FAILED, DELIVERED], Array<typeof FAILED>(8).fill(FAILED)]) {
    const { id } = await claimed();
    await fixture.set('deliveries', id, `created_at = now() - interval '20 s'`);
    for (const outcome of outcomes) {
      const { lease_id: leaseId } = await lease(id);
      await recording(attemptedMessage({ deliveryId: id, leaseId, outcome }));
    }
  }
  const text = await metrics.metrics();
  const attempts = (companyClass: string, outcome: string) =>
    `partner_webhook_attempts_recorded_total{company_class="${companyClass}",outcome="${outcome}"}`;
  expect(text).toContain(`${attempts('installer', 'timed_out')} 9\n`);
  expect(text).toContain(`${attempts('installer', 'delivered')} 2\n`);
  expect(text).toContain(`${attempts('sales', 'delivered')} 0\n`);
  expect(text).toContain('partner_webhook_dead_letters_total{company_class="installer"} 1\n');
  const bucket = (attempt: string, le: number) =>
    `partner_webhook_delivery_seconds_bucket{le="${le}",company_class="installer",attempt="${attempt}"}`;
  for (const attempt of ['first', 'later']) {
    expect(text).toContain(`${bucket(attempt, 10)} 0\n`);
    expect(text).toContain(`${bucket(attempt, 30)} 1\n`);
  }
});
