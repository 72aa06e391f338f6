import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { ConfigMap } from 'kubernetes-models/v1';
import { z } from 'zod';
import { NAMESPACE } from '../chart-workspace.js';
import { CHOSEN_NAMESPACE, matchersOf } from '../label-matchers.js';
import { type DeploymentRule, objectsOf, type RenderedChart, when } from './deployment-rule.js';

const dashboard = z.looseObject({
  templating: z.looseObject({
    list: z.array(
      z.looseObject({
        name: z.string(),
        includeAll: z.boolean().default(false),
        allValue: z.string().optional(),
      }),
    ),
  }),
  panels: z.array(
    z.looseObject({
      title: z.string(),
      targets: z.array(z.looseObject({ expr: z.string() })).default([]),
    }),
  ),
});

function dashboardsOf(rendered: RenderedChart) {
  return objectsOf(rendered, ConfigMap.is)
    .filter(({ metadata }) => metadata.labels['grafana_dashboard'] !== undefined)
    .flatMap(({ data = {} }) =>
      Object.entries(data).map(([file, text]) => ({ file, ...dashboard.parse(JSON.parse(text)) })),
    );
}

const isEverywhere = (matcher: string, expression: string) =>
  matchersOf(expression).every((matchers) => matchers.includes(matcher));

/** Rules about several environments in one Prometheus. */
export const MONITORING_RULES: readonly DeploymentRule[] = [
  {
    name: 'an alert is about the namespace of its release only, and names it',
    faults: (rendered) =>
      objectsOf(rendered, PrometheusRule.is)
        .flatMap(({ spec: { groups = [] } }) => groups.flatMap(({ rules = [] }) => rules))
        .flatMap(({ alert = '', expr, labels = {} }) =>
          when({
            [`alert ${alert} counts other namespaces: ${expr}`]: !isEverywhere(
              `namespace="${NAMESPACE}"`,
              String(expr),
            ),
            [`alert ${alert} has no label of its namespace`]: labels['namespace'] !== NAMESPACE,
          }),
        ),
  },
  {
    name: 'a dashboard is about the namespace that is selected in it, and shows series without one',
    faults: (rendered) =>
      dashboardsOf(rendered).flatMap(({ file, templating, panels }) => [
        ...when({
          [`${file} has no variable namespace whose "All" is .*`]: !templating.list.some(
            ({ name, includeAll, allValue }) => name === 'namespace' && includeAll && allValue === '.*',
          ),
        }),
        ...panels.flatMap(({ title, targets }) =>
          targets.flatMap(({ expr }) =>
            when({
              [`${file}, ${title}: every namespace is shown: ${expr}`]: !isEverywhere(CHOSEN_NAMESPACE, expr),
            }),
          ),
        ),
      ]),
  },
];
