import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import type { Lifecycle } from './lifecycle.js';

/**
 * Adds what every service measures of itself to a registry: the process (memory, processor, event loop), whether it is ready,
 * and each condition of that. Every series of the registry then carries the service's name as `partner_service`, which no
 * label that Prometheus gives a target stands in the way of.
 */
export function registerServiceMetrics(
  metrics: Registry,
  options: { readonly service: string; readonly lifecycle: Pick<Lifecycle, 'readiness'> },
): void {
  metrics.setDefaultLabels({ partner_service: options.service });
  collectDefaultMetrics({ register: metrics });
  new Gauge({
    name: 'partner_service_ready',
    help: '1 while the service is started, not draining, and each part that it depends on can be used.',
    registers: [metrics],
    collect() {
      this.set(Number(options.lifecycle.readiness().ready));
    },
  });
  new Gauge({
    name: 'partner_service_readiness_check',
    help: 'The conditions of being ready: 1 where one holds.',
    labelNames: ['check'] as const,
    registers: [metrics],
    collect() {
      for (const [check, holds] of Object.entries(options.lifecycle.readiness().checks)) {
        this.set({ check }, Number(holds));
      }
    },
  });
}
