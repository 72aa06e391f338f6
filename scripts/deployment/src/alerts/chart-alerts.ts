import { SERVICE_NAMES, type ServiceName } from '@partner/local-stack/stack/services';
import type { Alert } from './alert.js';
import { CONSOLE_ALERTS } from './console-alerts.js';
import { DISPATCHER_ALERTS } from './dispatcher-alerts.js';
import { JOB_STATE_ALERTS } from './job-state-alerts.js';
import { objectiveAlerts } from './objectives.js';
import { publishAlerts } from './publish-alerts.js';
import { serviceAlerts } from './service-alerts.js';
import { surfaceAlerts } from './surface-alerts.js';

function alertsOf(service: ServiceName): readonly Alert[] {
  switch (service) {
    case 'job-state':
      return [...JOB_STATE_ALERTS, ...publishAlerts(service), ...serviceAlerts(service)];
    case 'webhook-dispatcher':
      return [...DISPATCHER_ALERTS, ...publishAlerts(service), ...serviceAlerts(service)];
    case 'console':
      return [...CONSOLE_ALERTS, ...surfaceAlerts(service), ...serviceAlerts(service)];
    case 'inbound-gateway':
    case 'installer-gateway':
      return [...surfaceAlerts(service), ...serviceAlerts(service)];
  }
}

export const CHART_ALERTS: ReadonlyMap<ServiceName, readonly Alert[]> = new Map(
  SERVICE_NAMES.map((service) => [service, [...objectiveAlerts(service), ...alertsOf(service)]]),
);
