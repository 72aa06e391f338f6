import { SERVICE_NAMES, type ServiceName } from '@partner/local-stack/stack/services';
import { type Alert, parseAlerts } from './alert.js';
import { JOB_STATE_ALERTS } from './job-state-alerts.js';
import { objectiveAlerts } from './objectives.js';
import {
  CONSOLE_ALERTS,
  DISPATCHER_ALERTS,
  PUBLISH_ALERTS,
  SERVICE_ALERTS,
  SURFACE_ALERTS,
} from './service-alerts.js';

const OWN_ALERTS: Readonly<Record<ServiceName, string>> = {
  'job-state': JOB_STATE_ALERTS + PUBLISH_ALERTS,
  'webhook-dispatcher': DISPATCHER_ALERTS + PUBLISH_ALERTS,
  console: CONSOLE_ALERTS + SURFACE_ALERTS,
  'inbound-gateway': SURFACE_ALERTS,
  'installer-gateway': SURFACE_ALERTS,
};

export const CHART_ALERTS: ReadonlyMap<ServiceName, readonly Alert[]> = new Map(
  SERVICE_NAMES.map((service) => [
    service,
    parseAlerts(objectiveAlerts(service) + OWN_ALERTS[service] + SERVICE_ALERTS, service),
  ]),
);
