import { CHART_ALERTS } from './alerts/chart-alerts.js';
import { renderRules } from './alerts/render-alerts.js';
import { renderDashboard } from './dashboards/dashboard.js';
import { OVERVIEW } from './dashboards/overview.js';
import {
  CONSOLE,
  INBOUND_GATEWAY,
  INSTALLER_GATEWAY,
  JOB_STATE,
  WEBHOOK_DISPATCHER,
} from './dashboards/service-dashboards.js';

const DASHBOARDS = {
  'charts/job-state/dashboards/overview.json': OVERVIEW,
  'charts/job-state/dashboards/job-state.json': JOB_STATE,
  'charts/inbound-gateway/dashboards/inbound-gateway.json': INBOUND_GATEWAY,
  'charts/installer-gateway/dashboards/installer-gateway.json': INSTALLER_GATEWAY,
  'charts/console/dashboards/console.json': CONSOLE,
  'charts/webhook-dispatcher/dashboards/webhook-dispatcher.json': WEBHOOK_DISPATCHER,
} as const;

export function observabilityFiles(): ReadonlyMap<string, object> {
  return new Map<string, object>([
    ...[...CHART_ALERTS].map(
      ([service, alerts]) => [`charts/${service}/rules/alerts.yaml`, renderRules(service, alerts)] as const,
    ),
    ...Object.entries(DASHBOARDS).map(([file, dashboard]) => [file, renderDashboard(dashboard)] as const),
  ]);
}

export interface Expression {
  readonly source: string;
  readonly text: string;
}

export function chartExpressions(): readonly Expression[] {
  return [...observabilityFiles()].flatMap(([source, content]) =>
    expressionsIn(content).map((text) => ({ source, text })),
  );
}

function expressionsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    name === 'expr' && typeof member === 'string' ? [member] : expressionsIn(member),
  );
}
