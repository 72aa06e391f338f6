import type { ServiceName } from '@partner/local-stack/stack/services';
import { ANY_NAMESPACE, withMatcher } from '../promql/promql.js';
import { type Alert, runbookOf } from './alert.js';
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
