import { newId } from '@partner/kernel/ids';
import { currentRequestId } from '@partner/kernel/request-context';
import { injectTrace } from '@partner/kernel/telemetry/tracing';
import { CURRENT_SCHEMA_VERSION } from '@partner/proto-contracts/api/versions';
import {
  EVENT_CATALOGUE,
  type EventName,
  type EventData,
  eventGroup,
} from '@partner/proto-contracts/events/webhook-events';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/resources/subscription/subscription';
import type { PreparedStatement } from '../../database/connection-pool.js';
import type { Transaction } from '../../database/database.js';
import { newDeliveryIds } from '../schedule/delivery-ids.js';
import { renderEnvelope } from './render-envelope.js';

/** An event that the webhook subscriptions of a company may match. */
export interface EventToRecord<E extends EventName> {
  /** The company that receives the event. */
  readonly companyId: string;
  readonly event: E;
  /** When it happened; part of the envelope. */
  readonly occurredAt: Date;
  /** The resource, with the version that the change produced. */
  readonly resource: { readonly type: string; readonly id: string; readonly version: number };
  readonly data: EventData<E>;
  /** The time of the change. */
  readonly now: Date;
}

/** An event in the transaction of its change. */
export interface RecordedEvent {
  readonly eventId: string;
  /** The number of its deliveries, known once the transaction is committed. */
  readonly deliveries: () => number;
}

/** Why a subscription got no delivery of an event, as of the commit of the event. */
export const NOT_QUEUED_REASONS = ['class', 'not_subscribed', 'schema_version', 'paused'] as const;

/** Statement that records an event and its deliveries: one per subscription, due at once, plus the given differences. */
const recordEventStatement = (
  name: string,
  { faults, copies, dueAt }: { readonly faults: string; readonly copies: string; readonly dueAt: string },
): PreparedStatement => ({
  name,
  text: `with ${faults}verdicts as materialized (
     select s.id,
       case
         when c.class <> all($14::text[]) then 'class'
         when not s.events && $12::text[] then 'not_subscribed'
         when s.schema_version <> $13 then 'schema_version'
         when s.state = 'paused' then 'paused'
       end as reason
     from subscriptions s
     join companies c on c.id = s.company_id
     where s.company_id = $2 and s.deleted_at is null
   ), event as (
     insert into events
       (id, company_id, name, schema_version, occurred_at, resource_type, resource_id, resource_version, body, trace_parent,
        created_at, request_id, not_queued)
     values ($1, $2, $3, $13, $4, $5, $6, $7, $8, $9, $10, $15,
       (select jsonb_object_agg(v.id, v.reason) from verdicts v where v.reason is not null))
   )
     insert into deliveries
       (id, subscription_id, company_id, event_id, event, resource_type, resource_id, created_at, next_attempt_at)
     select ($11::text[])[row_number() over (order by v.id)], v.id, $2, $1, $3, $5, $6, $10, ${dueAt}
     from verdicts v${copies}
     where v.reason is null
     returning subscription_id as "subscriptionId"`,
});

const RECORD_EVENT = recordEventStatement('record-event', { faults: '', copies: '', dueAt: 'now()' });

/** In the sandbox, the company's fault scripts decide about a second delivery and when the first one is due. */
const RECORD_EVENT_WITH_FAULTS = recordEventStatement('record-event-with-faults', {
  faults: `faults as (
     select coalesce(bool_or((k.faults -> 'webhooks' ->> 'duplicate')::boolean), false) as duplicate,
       coalesce(bool_or((k.faults -> 'webhooks' ->> 'reorder')::boolean), false) as reorder
     from api_keys k
     where k.company_id = $2 and k.faults is not null and k.revoked_at is null
       and (k.expires_at is null or k.expires_at > $10)
   ), `,
  copies: ' cross join faults f cross join lateral generate_series(0, f.duplicate::integer) copy (number)',
  // Mirrored around the end of its 4 seconds, so the earliest event is due last.
  dueAt: `now() + make_interval(secs => copy.number +
       case when f.reorder then 2 * (4 - mod(extract(epoch from now()), 4))::double precision else 0 end)`,
});

/**
 * Records an event in the transaction of its change, with one delivery for each matching subscription.
 *
 * A subscription matches if it is active, names the event or its group, and opted in to the payload's schema version. The event
 * is kept without any subscriber too. For each other subscription of the company the event keeps the first of {@link
 * NOT_QUEUED_REASONS} that holds. A company whose class does not allow the event gets no delivery, whatever its subscriptions
 * name. A deleted subscription gets neither delivery nor reason.
 *
 * It is one statement and one snapshot: the event is ordered either before or after a concurrent pause or activation. It takes
 * no lock, and nothing waits for it but the commit. The deliveries are due at once; the commit wakes the scheduler. Throws if
 * the data does not fit the event's schema.
 */
export function recordEvent<E extends EventName>(tx: Transaction, event: EventToRecord<E>): RecordedEvent {
  const eventId = newId('evt');
  const isSandbox = tx.environment === 'sandbox';
  const statement = isSandbox ? RECORD_EVENT_WITH_FAULTS : RECORD_EVENT;
  let deliveries = 0;
  const values = [
    eventId,
    event.companyId,
    event.event,
    event.occurredAt,
    event.resource.type,
    event.resource.id,
    event.resource.version,
    renderEnvelope({ ...event, eventId }),
    injectTrace()['traceparent'] ?? null,
    event.now,
    newDeliveryIds((isSandbox ? 2 : 1) * WEBHOOK_LIMITS.subscriptionsPerCompany),
    [event.event, `${eventGroup(event.event)}.*`],
    CURRENT_SCHEMA_VERSION,
    EVENT_CATALOGUE[event.event].classes,
    currentRequestId() ?? null,
  ];
  tx.query<{ subscriptionId: string }>(statement, values).then(
    (rows) => {
      const subscriptionIds = rows.map(({ subscriptionId }) => subscriptionId);
      deliveries = rows.length;
      if (deliveries > 0) tx.wakeAfterCommit('deliveries', subscriptionIds);
      tx.announceAfterCommit(event.companyId, subscriptionIds);
    },
    () => undefined,
  );
  return { eventId, deliveries: () => deliveries };
}
