import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What a metric is called, says and is split by. Labels never hold ids: each value makes a series of its own. */
export interface MetricDefinition<Label extends string> {
  readonly name: `partner_${string}`;
  readonly help: string;
  readonly labels: readonly Label[];
}

const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The registry's counter of this name, made at first use, so that several connections of a process share it. */
export function counter<Label extends string>(
  registry: Registry,
  { name, help, labels }: MetricDefinition<Label>,
): Counter<Label> {
  const known = registry.getSingleMetric(name);
  if (known instanceof Counter) return known;
  return new Counter({ name, help, labelNames: labels, registers: [registry] });
}

/** The registry's gauge of this name, made at first use. */
export function gauge<Label extends string>(
  registry: Registry,
  { name, help, labels }: MetricDefinition<Label>,
): Gauge<Label> {
  const known = registry.getSingleMetric(name);
  if (known instanceof Gauge) return known;
  return new Gauge({ name, help, labelNames: labels, registers: [registry] });
}

/** The registry's histogram of this name, made at first use. Observe seconds, 1 ms to 10 s. */
export function secondsHistogram<Label extends string>(
  registry: Registry,
  { name, help, labels }: MetricDefinition<Label>,
): Histogram<Label> {
  const known = registry.getSingleMetric(name);
  if (known instanceof Histogram) return known;
  return new Histogram({ name, help, labelNames: labels, buckets: SECONDS_BUCKETS, registers: [registry] });
}
