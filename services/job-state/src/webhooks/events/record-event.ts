import { newId } from '@partner/kernel/process/ids';
import { currentRequestId } from '@partner/kernel/telemetry/request-context';
import { injectTrace } from '@partner/kernel/telemetry/tracing';
import { CURRENT_SCHEMA_VERSION } from '@partner/proto-contracts/api/versions';
import {
  EVENT_CATALOGUE,
  type EventName,
  eventGroup,
} from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { type EventData } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import type { Transaction } from '../../database/database.js';
import { deliveriesWaiting, leaseLimitsOf, releaseAfterCommit } from '../deliveries/releaser.js';
import { itemValues, RECORD_EVENTS, type RecordedDelivery } from './record-events-statement.js';
import { changedBy, renderEnvelope } from './render-envelope.js';
import { sendLiveUpdate } from '../../live-updates/send-live-update.js';

/** An event that the webhook subscriptions of a company may match. */
export interface EventToRecord<E extends EventName> {
  readonly companyId: string;
  readonly event: E;
  readonly occurredAt: Date;
  /** The resource, with the version that the change produced. */
  readonly resource: { readonly type: string; readonly id: string; readonly version: number };
  /** Public fields of the resource that differ from the version before; absent: all that the event names, if any. */
  readonly changed?: readonly string[];
  readonly data: EventData<E>;
  readonly now: Date;
}

export interface RecordedEvent {
  readonly eventId: string;
  /** The number of its deliveries, known once the transaction is committed. */
  readonly deliveries: () => number;
}

/** Why a subscription got no delivery of an event, as of the commit of the event. */
export const NOT_QUEUED_REASONS = ['class', 'not_subscribed', 'schema_version', 'fields', 'paused'] as const;

/**
 * Records an event in the transaction of its change, with one delivery for each matching subscription.
 *
 * A subscription matches if it is active, names the event or its group, opted in to the payload's schema version, and names no field
 * for it or one that changed. The event
 * is kept without any subscriber too. For each other subscription of the company the event keeps the first of {@link
 * NOT_QUEUED_REASONS} that holds. A company whose class does not allow the event gets no delivery, whatever its subscriptions
 * name, and a subscription none about itself. A deleted subscription gets neither delivery nor reason.
 *
 * It is one statement and one snapshot, right before the commit, that all events of the transaction share: each is ordered either
 * before or after a concurrent pause or activation. Events get the next numbers of their companies, and deliveries those of their
 * subscriptions. The numbers of each company are locked until the commit, in ascending order of company, so that they follow the order
 * of commits, without gaps. Throws if the data does not fit the event's schema.
 *
 * A delivery to an endpoint that has a free slot, no rate, no failing state and nothing due is leased at once, within the same bounds as
 * a claim of the scheduler, and released after the commit. Its lease begins with the statement: the transaction may have waited
 * for locks before. The others are due at once; the commit wakes the scheduler.
 */
export function recordEvent<E extends EventName>(tx: Transaction, event: EventToRecord<E>): RecordedEvent {
  const eventId = newId('evt');
  const body = renderEnvelope({ ...event, eventId });
  const traceParent = injectTrace()['traceparent'] ?? null;
  const requestId = currentRequestId() ?? null;
  let deliveries = 0;
  const { type: resourceType, id: resourceId, version: resourceVersion } = event.resource;
  const values = itemValues({
    ...{ eventId, companyId: event.companyId, name: event.event, occurredAt: event.occurredAt },
    ...{ resourceType, resourceId, resourceVersion, body, traceParent, requestId },
    group: `${eventGroup(event.event)}.*`,
    changed: changedBy(event)?.join(' ') ?? null,
    classes: EVENT_CATALOGUE[event.event].classes.join(' '),
    schemaVersion: CURRENT_SCHEMA_VERSION,
    createdAt: event.now,
    firstDeliveryId: newId('dlv'),
    ...leaseLimitsOf(tx),
  });
  tx.query<RecordedDelivery>(RECORD_EVENTS, values).then(
    (rows) => {
      deliveries = rows.length;
      const leased = rows.flatMap((row) =>
        row.leaseId === null ? [] : [{ ...row, body, traceParent, requestId }],
      );
      releaseAfterCommit(tx, leased);
      const waiting = rows.filter((row) => row.leaseId === null).map(({ subscriptionId }) => subscriptionId);
      if (waiting.length > 0) deliveriesWaiting.tell(tx, ...waiting);
      sendLiveUpdate(
        tx,
        event.companyId,
        rows.map(({ subscriptionId }) => subscriptionId),
      );
    },
    () => undefined,
  );
  return { eventId, deliveries: () => deliveries };
}
