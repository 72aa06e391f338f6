import { Counter, type Registry } from 'prom-client';

/** The registry's counter of platform messages, created at first use. */
export function platformMessageCounter(metrics: Registry): Counter<'type' | 'result'> {
  const name = 'partner_platform_messages_total';
  const known = metrics.getSingleMetric(name);
  if (known instanceof Counter) return known;
  return new Counter({
    name,
    help: 'Messages of the platform, by type and by what they did; one that came early counts again when it has effect.',
    labelNames: ['type', 'result'] as const,
    registers: [metrics],
  });
}
