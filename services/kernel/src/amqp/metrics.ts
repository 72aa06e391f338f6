import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Name, help text and labels of a metric. Labels never hold ids: each value creates a series. */
export interface MetricDefinition<Label extends string> {
  readonly name: `partner_${string}`;
  readonly help: string;
  readonly labels: readonly Label[];
}

const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Returns the registry's counter of this name. Creates it on first use, so that connections of a process share it. */
export function counter<Label extends string>(
  registry: Registry,
  { name, help, labels }: MetricDefinition<Label>,
): Counter<Label> {
  const known = registry.getSingleMetric(name);
  if (known instanceof Counter) return known;
  return new Counter({ name, help, labelNames: labels, registers: [registry] });
}

export function gauge<Label extends string>(
  registry: Registry,
  { name, help, labels }: MetricDefinition<Label>,
): Gauge<Label> {
  const known = registry.getSingleMetric(name);
  if (known instanceof Gauge) return known;
  return new Gauge({ name, help, labelNames: labels, registers: [registry] });
}

/** Returns the registry's histogram of this name. Creates it on first use. Observe seconds, from 1 ms to 10 s. */
export function secondsHistogram<Label extends string>(
  registry: Registry,
  { name, help, labels }: MetricDefinition<Label>,
): Histogram<Label> {
  const known = registry.getSingleMetric(name);
  if (known instanceof Histogram) return known;
  return new Histogram({ name, help, labelNames: labels, buckets: SECONDS_BUCKETS, registers: [registry] });
}
