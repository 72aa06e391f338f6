import {
  RESTORE_SHOWN_DAYS,
  SERVICE_STATUS_LEAST_WEBHOOKS,
  SERVICE_STATUS_LIMITS,
  type ServiceStatus,
} from '@partner/proto-contracts/resources/service-status/service-status';
import { measureServiceStatusOperation } from '@partner/proto-contracts/internal/service-status/measure-service-status';
import { type Implementation, implementInternal } from '@partner/kernel/amqp/implement';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { Database } from '../../database/database.js';
import { FAILING_AFTER } from '../deliveries/claim-rule.js';
import { type DeliveryCapacity, measuring, oldestDueSeconds } from './oldest-due.js';

/** Measures whether webhooks leave in time, and how many of all endpoints fail (CONSOLE-12). Each query takes at most 3 s. */
export async function getServiceStatus(deps: {
  readonly database: Pick<Database, 'query'>;
  readonly capacity: DeliveryCapacity;
  readonly clock: () => Date;
}): Promise<ServiceStatus> {
  const database = measuring(deps.database);
  const due = await oldestDueSeconds(database, deps.capacity);
  const [found] = await database.query<{ active: number; failing: number; restoredTo: Date | null }>(
    `select count(*)::integer as active, (count(*) filter (where failures_in_row >= $1))::integer as failing,
       (select max(restored_to) from restores where declared_at > now() - make_interval(days => $2)) as "restoredTo"
     from subscriptions where state = 'active' and deleted_at is null`,
    [FAILING_AFTER, RESTORE_SHOWN_DAYS],
  );
  const { active = 0, failing = 0, restoredTo = null } = found ?? {};
  const delayMs = Math.round((due.get('healthy') ?? 0) * 1_000);
  const percent = active < SERVICE_STATUS_LEAST_WEBHOOKS ? null : Math.round((100 * failing) / active);
  const isLate = delayMs > SERVICE_STATUS_LIMITS.delayMs;
  const mostFail = percent !== null && percent > SERVICE_STATUS_LIMITS.failingPercent;
  return {
    status: isLate || mostFail ? 'degraded' : 'operational',
    webhookDelayMs: delayMs,
    failingWebhooksPercent: percent,
    restoredTo: restoredTo && formatDateTime(restoredTo),
    checkedAt: formatDateTime(deps.clock()),
  };
}

export function serviceStatusOperations(
  deps: Parameters<typeof getServiceStatus>[0],
): readonly Implementation[] {
  return [implementInternal(measureServiceStatusOperation, () => getServiceStatus(deps))];
}
