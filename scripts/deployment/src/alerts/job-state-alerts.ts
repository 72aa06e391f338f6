import type { Alert } from './alert.js';
import { DELIVERY_ALERTS } from './delivery-alerts.js';
import { MESSAGE_ALERTS } from './message-alerts.js';
import { UPKEEP_ALERTS } from './upkeep-alerts.js';

/** Alerts of job-state only: it inspects the database and all queues. */
export const JOB_STATE_ALERTS: readonly Alert[] = [...DELIVERY_ALERTS, ...MESSAGE_ALERTS, ...UPKEEP_ALERTS];
