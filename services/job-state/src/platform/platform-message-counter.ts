import { Counter, type Registry } from 'prom-client';

/** The registry's counter of platform messages, created at first use. */
export function platformMessageCounter(metrics: Registry): Counter<'type' | 'result'> {
  const name = 'partner_platform_messages_total';
  const known = metrics.getSingleMetric(name);
  if (known instanceof Counter) return known;
  return new Counter({
    name,
    help: 'Platform messages by type and result; an early message counts again when it takes effect.',
    labelNames: ['type', 'result'] as const,
    registers: [metrics],
  });
}
