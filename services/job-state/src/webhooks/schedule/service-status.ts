import {
  INCIDENTS_SHOWN,
  INCIDENTS_SHOWN_DAYS,
  RESTORE_SHOWN_DAYS,
  SERVICE_STATUS_LEAST_WEBHOOKS,
  SERVICE_STATUS_LIMITS,
  type ServiceStatus,
} from '@partner/proto-contracts/resources/service-status/service-status';
import { measureServiceStatusOperation } from '@partner/proto-contracts/internal/service-status/measure-service-status';
import { type Implementation, implementInternal } from '@partner/kernel/amqp/implement';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { MANIFEST_MAX_DAYS } from '@partner/proto-contracts/resources/manifest/manifest';
import type { Database } from '../../database/database.js';
import { FAILING_AFTER } from '../deliveries/claim-rule.js';
import { type DeliveryCapacity, measuring, oldestDueSeconds } from './oldest-due.js';

const DAY_MS = 86_400_000;
/** How much more than its incident a manifest covers: a lease before, a look after. */
const MANIFEST_MARGIN_MS = { before: 5 * 60_000, after: 60_000 } as const;

/** Between two of these, the service was degraded all the time. */
const ONE_INCIDENT = `interval '3 minutes'`;

type Incident = NonNullable<ServiceStatus['incidents']>[number];

interface StoredIncident {
  readonly from: string;
  readonly until: string;
  readonly cause: Incident['cause'];
  readonly isOver: boolean;
}

/** The manifests begin with what was queued just before, and so late first. */
function shownIncident(
  { cause, isOver, ...span }: StoredIncident,
  status: ServiceStatus['status'],
): Incident {
  const [from, seen] = [Date.parse(span.from), Date.parse(span.until)];
  const until = isOver || status === 'operational' ? seen : undefined;
  const to = seen + MANIFEST_MARGIN_MS.after;
  const begin = Math.max(from - MANIFEST_MARGIN_MS.before, to - MANIFEST_MAX_DAYS * DAY_MS);
  const time = (ms: number) => formatDateTime(new Date(ms));
  return {
    ...{ from: time(from), until: until === undefined ? null : time(until), cause },
    manifests: ['/inbound', '/partner/v1'].map(
      (surface) =>
        `${surface}/webhooks/{id}/manifest?from=${time(begin)}${until === undefined ? '' : `&to=${time(to)}`}`,
    ),
  };
}

/** Measures whether webhooks leave in time, and how many of all endpoints fail (CONSOLE-12). Each query takes at most 3 s. */
export async function getServiceStatus(deps: {
  readonly database: Pick<Database, 'query'>;
  readonly capacity: DeliveryCapacity;
  readonly clock: () => Date;
}): Promise<ServiceStatus> {
  const database = measuring(deps.database);
  const due = await oldestDueSeconds(database, deps.capacity);
  const [found] = await database.query<{
    readonly active: number;
    readonly failing: number;
    readonly restoredTo: Date | null;
    readonly incidents: readonly StoredIncident[];
  }>(
    `select count(*)::integer as active, (count(*) filter (where failures_in_row >= $1))::integer as failing,
       (select max(restored_to) from restores where declared_at > now() - make_interval(days => $2)) as "restoredTo",
       array(
         select jsonb_build_object('from', began_at, 'until', seen_at, 'cause', cause, 'isOver', seen_at < now() - ${ONE_INCIDENT})
         from service_incidents where seen_at > now() - make_interval(days => $3) order by began_at desc limit $4
       ) as incidents
     from subscriptions where state = 'active' and deleted_at is null`,
    [FAILING_AFTER, RESTORE_SHOWN_DAYS, INCIDENTS_SHOWN_DAYS, INCIDENTS_SHOWN],
  );
  const { active = 0, failing = 0, restoredTo = null, incidents = [] } = found ?? {};
  const delayMs = Math.round((due.get('healthy') ?? 0) * 1_000);
  const percent = active < SERVICE_STATUS_LEAST_WEBHOOKS ? null : Math.round((100 * failing) / active);
  const isLate = delayMs > SERVICE_STATUS_LIMITS.delayMs;
  const mostFail = percent !== null && percent > SERVICE_STATUS_LIMITS.failingPercent;
  const status = isLate || mostFail ? 'degraded' : 'operational';
  return {
    status,
    webhookDelayMs: delayMs,
    failingWebhooksPercent: percent,
    restoredTo: restoredTo && formatDateTime(restoredTo),
    incidents: incidents.map((incident) => shownIncident(incident, status)),
    checkedAt: formatDateTime(deps.clock()),
  };
}

/**
 * Measures the status, and keeps since when and until when it is degraded: what the last minutes saw is one incident.
 *
 * Any number of replicas can do so. Lock: the incidents, while there is one.
 */
export async function followIncidents(
  deps: Parameters<typeof getServiceStatus>[0] & { readonly database: Pick<Database, 'transaction'> },
): Promise<void> {
  const { status, webhookDelayMs } = await getServiceStatus(deps);
  if (status === 'operational') return;
  const isLate = webhookDelayMs > SERVICE_STATUS_LIMITS.delayMs;
  await deps.database.transaction(async (tx) => {
    void tx.query('lock table service_incidents in exclusive mode');
    await tx.query(
      `with last as materialized (
         select began_at, seen_at from service_incidents order by seen_at desc limit 1
       ), same as (
         update service_incidents i set seen_at = now() from last
         where i.began_at = last.began_at and last.seen_at >= now() - ${ONE_INCIDENT}
         returning i.began_at
       )
       insert into service_incidents (began_at, seen_at, cause)
       select greatest(now() - make_interval(secs => $1), (select seen_at from last)), now(), $2 where not exists (select from same)
       on conflict do nothing`,
      [isLate ? webhookDelayMs / 1_000 : 0, isLate ? 'late' : 'failing'],
    );
  });
}

export function serviceStatusOperations(
  deps: Parameters<typeof getServiceStatus>[0],
): readonly Implementation[] {
  return [implementInternal(measureServiceStatusOperation, () => getServiceStatus(deps))];
}
