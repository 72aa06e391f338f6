import { Counter, Gauge, type Registry } from 'prom-client';

/** Metrics of the runs of a loop. */
export interface LoopMetrics {
  /** A run succeeded. */
  succeeded(): void;
  failed(): void;
}

/** The metrics of one loop; the loops of a process share a registry. Before its first success a loop reports 0. */
export function loopMetrics(metrics: Registry, loop: string): LoopMetrics {
  const knownSuccess = metrics.getSingleMetric('partner_loop_last_success_timestamp_seconds');
  const lastSuccess =
    knownSuccess instanceof Gauge
      ? knownSuccess
      : new Gauge({
          name: 'partner_loop_last_success_timestamp_seconds',
          help: 'Time of the last successful run of a loop of this process; 0 before the first.',
          labelNames: ['loop'],
          registers: [metrics],
        });
  const knownFailures = metrics.getSingleMetric('partner_loop_failures_total');
  const failures =
    knownFailures instanceof Counter
      ? knownFailures
      : new Counter({
          name: 'partner_loop_failures_total',
          help: 'Runs of a loop that failed; each is retried.',
          labelNames: ['loop'],
          registers: [metrics],
        });
  lastSuccess.set({ loop }, 0);
  failures.inc({ loop }, 0);
  return {
    succeeded: () => lastSuccess.setToCurrentTime({ loop }),
    failed: () => failures.inc({ loop }),
  };
}
