import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import type { Lifecycle } from './lifecycle.js';

/**
 * How often the delay of the event loop is measured. The measured time contains it, so alerts and dashboards subtract it. Each tick wakes
 * the process: with the default of 10 ms they were most of what an idle service did.
 */
const EVENT_LOOP_TICK_MS = 500;

/**
 * Registers the metrics that every service exports: the process (memory, CPU, event loop), readiness, each
 * of its conditions, and each dependency. Every series of the registry then carries the service's name as `partner_service`, a label that does
 * not collide with Prometheus target labels.
 */
export function registerServiceMetrics(
  metrics: Registry,
  options: {
    readonly service: string;
    readonly lifecycle: Pick<Lifecycle, 'readiness'>;
    readonly release: {
      readonly version: string;
      readonly sandboxSince: string;
      readonly earlyReason: string;
    };
  },
): void {
  metrics.setDefaultLabels({ partner_service: options.service });
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: EVENT_LOOP_TICK_MS });
  const { version, sandboxSince, earlyReason } = options.release;
  new Gauge({
    name: 'partner_release_info',
    help: 'Always 1: the version, the day since which it runs in the sandbox, and why production got it before 14 days there.',
    labelNames: ['version', 'sandbox_since', 'early_reason'] as const,
    registers: [metrics],
  }).set({ version, sandbox_since: sandboxSince, early_reason: earlyReason }, 1);
  new Gauge({
    name: 'partner_service_ready',
    help: '1 while the service is started, not draining, and has reached each dependency since its start.',
    registers: [metrics],
    collect() {
      this.set(Number(options.lifecycle.readiness().ready));
    },
  });
  new Gauge({
    name: 'partner_service_readiness_check',
    help: 'Conditions of readiness: 1 if the condition holds.',
    labelNames: ['check'] as const,
    registers: [metrics],
    collect() {
      for (const [check, holds] of Object.entries(options.lifecycle.readiness().checks)) {
        this.set({ check }, Number(holds));
      }
    },
  });
  new Gauge({
    name: 'partner_service_dependency_available',
    help: 'Dependencies of the service: 1 if available.',
    labelNames: ['dependency'] as const,
    registers: [metrics],
    collect() {
      for (const [dependency, isAvailable] of Object.entries(options.lifecycle.readiness().dependencies)) {
        this.set({ dependency }, Number(isAvailable));
      }
    },
  });
}
