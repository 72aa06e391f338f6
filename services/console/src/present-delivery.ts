import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import {
  type Attempt,
  AttemptOutcome,
  type Delivery,
  DeliveryState,
  type GetDeliveryResponse,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import type { attempt, delivery, deliveryWithAttempts } from '@partner/proto-contracts/public-api/console';
import { formatDateTime } from '@partner/proto-contracts/public-api/date-time';
import type { z } from 'zod';
import { requiredField } from './required-field.js';

type DeliveryView = z.input<typeof delivery>;
type AttemptView = z.input<typeof attempt>;

const STATES: Readonly<Record<DeliveryState, DeliveryView['state'] | undefined>> = {
  [DeliveryState.UNSPECIFIED]: undefined,
  [DeliveryState.PENDING]: 'pending',
  [DeliveryState.RETRY_SCHEDULED]: 'retry_scheduled',
  [DeliveryState.DELIVERED]: 'delivered',
  [DeliveryState.DEAD_LETTERED]: 'dead_lettered',
  [DeliveryState.HELD]: 'held',
};

const STATES_BY_NAME: Readonly<Record<DeliveryView['state'], DeliveryState>> = {
  pending: DeliveryState.PENDING,
  retry_scheduled: DeliveryState.RETRY_SCHEDULED,
  delivered: DeliveryState.DELIVERED,
  dead_lettered: DeliveryState.DEAD_LETTERED,
  held: DeliveryState.HELD,
};

const OUTCOMES: Readonly<Record<AttemptOutcome, AttemptView['outcome'] | undefined>> = {
  [AttemptOutcome.UNSPECIFIED]: undefined,
  [AttemptOutcome.DELIVERED]: 'delivered',
  [AttemptOutcome.REJECTED]: 'rejected',
  [AttemptOutcome.TIMED_OUT]: 'timed_out',
  [AttemptOutcome.TLS_FAILED]: 'tls_failed',
  [AttemptOutcome.CONNECTION_FAILED]: 'connection_failed',
  [AttemptOutcome.ENDPOINT_REFUSED]: 'endpoint_refused',
};

/** The state that an owner filters by, as job-state knows it. */
export function deliveryStateOf(name: DeliveryView['state']): DeliveryState {
  return STATES_BY_NAME[name];
}

/** A delivery as its owner sees it. Throws when job-state left out what it always gives. */
export function presentDelivery(message: Delivery | undefined): DeliveryView {
  const given = requiredField(message, 'a delivery');
  return {
    id: requiredField(given.id, 'delivery.id'),
    subscriptionId: requiredField(given.subscriptionId, 'delivery.subscription_id'),
    eventId: requiredField(given.eventId, 'delivery.event_id'),
    event: requiredField(given.event, 'delivery.event'),
    state: requiredField(STATES[given.state ?? DeliveryState.UNSPECIFIED], 'a known delivery.state'),
    attempts: requiredField(given.attempts, 'delivery.attempts'),
    nextAttemptAt: formatOptional(given.nextAttemptAt),
    createdAt: formatRequired(given.createdAt, 'delivery.created_at'),
    finishedAt: formatOptional(given.finishedAt),
    resource: {
      type: requiredField(given.resourceType, 'delivery.resource_type'),
      id: requiredField(given.resourceId, 'delivery.resource_id'),
    },
  };
}

/**
 * A delivery with its attempts and the exact text that every attempt sends. What a receiver answered is shown as text;
 * bytes that are no UTF-8 appear as U+FFFD.
 */
export function presentDeliveryWithAttempts(
  message: GetDeliveryResponse,
): z.input<typeof deliveryWithAttempts> {
  return {
    delivery: presentDelivery(message.delivery),
    attempts: message.attempts.map(presentAttempt),
    body: textOf(requiredField(message.body, 'a delivery body')),
  };
}

function presentAttempt(given: Attempt): AttemptView {
  return {
    deliveryId: requiredField(given.deliveryId, 'attempt.delivery_id'),
    number: requiredField(given.number, 'attempt.number'),
    startedAt: formatRequired(given.startedAt, 'attempt.started_at'),
    durationMs: requiredField(given.durationMs, 'attempt.duration_ms'),
    outcome: requiredField(OUTCOMES[given.outcome ?? AttemptOutcome.UNSPECIFIED], 'a known attempt.outcome'),
    responseStatus: given.responseStatus ?? null,
    responseBody: given.responseBody === undefined ? null : textOf(given.responseBody),
    error: given.error ?? null,
    remoteAddress: given.remoteAddress ?? null,
    secretVersion: requiredField(given.secretVersion, 'attempt.secret_version'),
  };
}

function formatRequired(instant: Timestamp | undefined, name: string): string {
  return formatDateTime(timestampDate(requiredField(instant, name)));
}

function formatOptional(instant: Timestamp | undefined): string | null {
  return instant === undefined ? null : formatDateTime(timestampDate(instant));
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
