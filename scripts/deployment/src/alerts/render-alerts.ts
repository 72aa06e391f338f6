import type { ServiceName } from '@partner/local-stack/stack/services';
import { ANY_NAMESPACE, withMatcher } from '../promql.js';
import { type Alert, runbookOf } from './alert.js';

/**
 * `rules/alerts.yaml` of a chart: the rules for a Prometheus of a single environment. The chart restricts each selector to the
 * namespace of its release.
 */
export function renderRules(service: ServiceName, alerts: readonly Alert[]) {
  return {
    groups: [
      {
        name: `partner-${service}`,
        rules: alerts.map((alert) => ({
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
      },
    ],
  };
}

/** Renders the promtool tests of one alert, whose rule is alone in a file. */
export function renderRuleTests(alert: Alert, ruleFile: string) {
  return {
    rule_files: [ruleFile],
    evaluation_interval: '1m',
    tests: alert.cases.map((each) => ({
      name: `${alert.name}: ${each.when}`,
      interval: '1m',
      input_series: Object.entries(each.series).map(([series, values]) => ({ series, values })),
      alert_rule_test: [
        {
          eval_time: each.at,
          alertname: alert.name,
          exp_alerts: each.firing.map((labels) => ({
            exp_labels: { severity: alert.severity, ...labels },
            exp_annotations: {
              summary: alert.summary,
              description: filledIn(alert.description, labels),
              runbook: runbookOf(alert),
            },
          })),
        },
      ],
    })),
  };
}

function filledIn(template: string, labels: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_whole, label: string) => labels[label] ?? '');
}
