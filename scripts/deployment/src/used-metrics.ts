import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROJECT_ROOT } from '@partner/local-stack/stack/project-root';
import { SERVICE_NAMES } from '@partner/local-stack/stack/services';

/** A query to Prometheus, and its place. */
export interface Expression {
  readonly source: string;
  readonly text: string;
}

/** The metrics and labels that an expression uses. */
export interface UsedMetrics {
  /** Each series by the name of its metric, with the labels of its matchers. */
  readonly metrics: readonly { readonly name: string; readonly labels: readonly string[] }[];
  /** Labels that group or join results, of any of the metrics. */
  readonly groupings: readonly string[];
  readonly isReadable: boolean;
}

/** Grafana's built-in variables, in the place of a duration. */
const withoutVariables = (text: string) =>
  text
    .replaceAll(/\$\{?__(rate_interval|interval|range)\}?/g, '5m')
    .replaceAll(/\$\{?(\w+)(:\w+)?\}?/g, '$1');

/** Returns the metrics and labels of an expression in PromQL. Replaces Grafana's variables by durations or by their names. */
export function usedMetrics(expression: string): UsedMetrics {
  const text = withoutVariables(expression);
  const metrics: { name: string; labels: string[] }[] = [];
  const groupings: string[] = [];
  const parents: string[] = [];
  let isReadable = true;
  parser.parse(text).iterate({
    enter: ({ name, from, to, type }) => {
      const own = text.slice(from, to);
      if (type.isError) isReadable = false;
      if (name === 'VectorSelector') metrics.push({ name: '', labels: [] });
      const [parent] = parents.slice(-1);
      const metric = metrics.at(-1);
      if (name === 'Identifier' && parent === 'VectorSelector' && metric !== undefined) metric.name = own;
      if (name === 'LabelName') {
        if (parent === 'GroupingLabels') groupings.push(own);
        else metric?.labels.push(own);
      }
      parents.push(name);
    },
    leave: () => {
      parents.pop();
    },
  });
  return { metrics, groupings, isReadable };
}

const rules = z.object({
  groups: z.array(
    z.looseObject({
      rules: z.array(
        z.looseObject({
          alert: z.string().optional(),
          record: z.string().optional(),
          expr: z.union([z.string(), z.number()]).transform(String),
        }),
      ),
    }),
  ),
});

/** Returns every expression of the alerts and dashboards of the charts. */
export function chartExpressions(): readonly Expression[] {
  return SERVICE_NAMES.flatMap((service) => {
    const chart = path.join(PROJECT_ROOT, 'charts', service);
    const { groups } = rules.parse(parse(readFileSync(path.join(chart, 'rules/alerts.yaml'), 'utf8')));
    const alerts = groups
      .flatMap((group) => group.rules)
      .map(({ alert, record, expr }) => ({
        source: `${service}, alert ${alert ?? record ?? ''}`,
        text: expr,
      }));
    const dashboards = readdirSync(path.join(chart, 'dashboards')).flatMap((file) => {
      const dashboard: unknown = JSON.parse(readFileSync(path.join(chart, 'dashboards', file), 'utf8'));
      return [...expressionsIn(dashboard)].map((text) => ({ source: `${service}, dashboard ${file}`, text }));
    });
    return [...alerts, ...dashboards];
  });
}

/** `label_values(metric{...}, label)`, which Grafana uses to fill a variable. */
const LABEL_VALUES = /^label_values\((.+),\s*(\w+)\)$/;

/** Returns the queries of a dashboard: panels, annotations and variables. */
function* expressionsIn(value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    for (const member of value) yield* expressionsIn(member);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const text: unknown = member;
      const [, selector, label] = typeof text === 'string' ? (LABEL_VALUES.exec(text) ?? []) : [];
      if (selector !== undefined && label !== undefined) yield `count by (${label}) (${selector})`;
      else if (name === 'expr' && typeof text === 'string') yield text;
      else yield* expressionsIn(text);
    }
  }
}
