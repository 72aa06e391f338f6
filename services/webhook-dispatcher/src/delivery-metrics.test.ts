import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { createDeliveryMetrics } from './delivery-metrics.js';

test('series whose increase alerts use are exported as 0 from the start', async () => {
  const registry = new Registry();
  createDeliveryMetrics(registry);
  const exported = await registry.metrics();
  for (const series of [
    'partner_webhook_attempts_total{outcome="delivered",refusal=""} 0',
    'partner_webhook_attempts_total{outcome="timed_out",refusal=""} 0',
    'partner_webhook_attempts_total{outcome="endpoint_refused",refusal="lookup_failed"} 0',
    'partner_webhook_commands_dropped_total{reason="secret_unreadable"} 0',
    'partner_webhook_clock_skewed_total{direction="ahead"} 0',
    'partner_webhook_clock_skewed_total{direction="behind"} 0',
  ]) {
    expect(exported).toContain(series);
  }
});
