import type { Expression } from './observability-files.js';
import { parsePromql } from './promql/promql.js';

export interface ExposedMetric {
  readonly labels: ReadonlySet<string>;
  readonly hasSeries: boolean;
}

/** The series that a metric of several has. */
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/;
const LABEL = /(\w+)="(?:[^"\\]|\\.)*"/g;

/**
 * Reads the texts of several processes, by the names in queries: with `_bucket`, `_sum` and `_count`. A metric without
 * series has its declared labels.
 */
export function exposedMetrics(
  texts: readonly string[],
  declared: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, ExposedMetric> {
  const metrics = new Map<string, { labels: Set<string>; hasSeries: boolean }>();
  const at = (name: string) => {
    const metric = metrics.get(name) ?? { labels: new Set<string>(), hasSeries: false };
    metrics.set(name, metric);
    return metric;
  };
  for (const line of texts.flatMap((text) => text.split('\n'))) {
    const [, family, type = ''] = /^# TYPE (\S+) (\w+)$/.exec(line) ?? [];
    if (family !== undefined) {
      for (const suffix of SUFFIXES[type] ?? ['']) {
        for (const label of declared.get(family) ?? []) at(`${family}${suffix}`).labels.add(label);
        if (suffix === '_bucket') at(`${family}${suffix}`).labels.add('le');
        at(`${family}${suffix}`);
      }
    }
    const [, name, labels = ''] = SAMPLE.exec(line) ?? [];
    if (name === undefined) continue;
    const metric = at(name);
    metric.hasSeries = true;
    for (const [, label = ''] of labels.matchAll(LABEL)) metric.labels.add(label);
  }
  return metrics;
}

/** The labels that a scrape adds to each series. A metric's label of the same name is stored as `exported_…`. */
export const TARGET_LABELS: readonly string[] = [
  'job',
  'instance',
  'namespace',
  'pod',
  'container',
  'service',
  'endpoint',
  '__name__',
];

/** The metrics of others: Kubernetes, the broker, the database and Prometheus, with those that its rules record. */
const OF_OTHERS = /^(up|ALERTS|partner:|kube_|container_|rabbitmq_|pg_|redis_|prometheus_)/;

/**
 * Returns a sentence for each use of a metric or label that no process exposes: such an expression shows nothing and never
 * fires. The labels of a metric without series are unknown, so expressions that need them are violations too.
 */
export function expressionViolations(
  expressions: readonly Expression[],
  exposed: ReadonlyMap<string, ExposedMetric>,
): readonly string[] {
  return expressions.flatMap(({ source, text }) => {
    const { selectors, groupings } = parsePromql(text);
    const ours = selectors.filter(({ metric }) => !OF_OTHERS.test(metric));
    const areAllOurs = ours.length === selectors.length;
    const grouped = new Set([
      ...TARGET_LABELS,
      ...ours.flatMap(({ metric }) => [...(exposed.get(metric)?.labels ?? [])]),
    ]);
    return [
      ...ours.flatMap(({ metric: name, labels }) => {
        const metric = exposed.get(name);
        if (metric === undefined) return [`${source}: no service exposes ${name === '' ? text : name}`];
        return labels
          .filter((label) => !TARGET_LABELS.includes(label) && !metric.labels.has(label))
          .map((label) =>
            metric.hasSeries
              ? `${source}: ${name} has no label ${label}`
              : `${source}: whether ${name} has a label ${label} was not seen: it has no series`,
          );
      }),
      ...(areAllOurs ? groupings.filter((label) => !grouped.has(label)) : []).map(
        (label) => `${source}: none of its metrics has a label ${label}: ${text}`,
      ),
    ];
  });
}
