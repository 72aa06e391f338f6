import type { ServiceName } from '@partner/local-stack/stack/services';
import { ANY_NAMESPACE, withMatcher } from '../promql/promql.js';
import { type Alert, type AlertCase, runbookOf } from './alert.js';
import { recordingsOf, RULES_INTERVAL_SECONDS } from './objectives.js';

/**
 * `rules/alerts.yaml` of a chart: objectives and alerts for a Prometheus of a single environment. The chart restricts each selector to the
 * namespace of its release.
 */
export function renderRules(service: ServiceName, alerts: readonly Alert[]) {
  return {
    groups: [
      {
        name: `partner-${service}`,
        interval: `${RULES_INTERVAL_SECONDS}s`,
        rules: [
          ...recordingsOf(service).map((recording) => ({
            ...recording,
            expr: withMatcher(recording.expr, ANY_NAMESPACE),
          })),
          ...alerts.map((alert) => ({
            alert: alert.name,
            expr: withMatcher(alert.expr, ANY_NAMESPACE),
            for: alert.for,
            labels: { severity: alert.severity },
            annotations: {
              summary: alert.summary,
              description: alert.description,
              runbook: runbookOf(alert),
            },
          })),
        ],
      },
    ],
  };
}

/** The name of an alert for one of its cases. */
const nameOf = (alert: Alert, { when }: AlertCase) => `${alert.name}: ${when}`;
const namespaceOf = (index: number) => `case-${index}`;

interface Rule {
  readonly alert?: string | undefined;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Returns the rules of a namespace once for each case of an alert: for a namespace of the case, with the name of that case. */
export function rulesOfCases(alert: Alert, rules: readonly Rule[], namespace: string): readonly Rule[] {
  return alert.cases.flatMap((each, index) =>
    rules.map((rule) => ({
      ...rule,
      ...(rule.alert !== undefined && { alert: nameOf(alert, each) }),
      expr: rule.expr.replaceAll(`namespace="${namespace}"`, `namespace="${namespaceOf(index)}"`),
      labels: {
        ...rule.labels,
        ...(rule.labels['namespace'] === namespace && { namespace: namespaceOf(index) }),
      },
    })),
  );
}

/** Returns a test of these rules: each case beside all others, which are in other namespaces. */
export function renderRuleTests(alert: Alert, ruleFile: string) {
  const test = {
    interval: '1m',
    input_series: alert.cases.flatMap(({ series }, index) =>
      Object.entries(series).map(([name, values]) => ({
        series: withMatcher(name, `namespace="${namespaceOf(index)}"`),
        values,
      })),
    ),
    alert_rule_test: alert.cases.map((each, index) => ({
      eval_time: each.at,
      alertname: nameOf(alert, each),
      exp_alerts: each.firing.map((labels) => ({
        exp_labels: { severity: alert.severity, ...labels, namespace: namespaceOf(index) },
        exp_annotations: {
          summary: alert.summary,
          description: filledIn(alert.description, labels),
          runbook: runbookOf(alert),
        },
      })),
    })),
  };
  return { rule_files: [ruleFile], evaluation_interval: '1m', tests: [test] };
}

function filledIn(template: string, labels: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_whole, label: string) => labels[label] ?? '');
}
