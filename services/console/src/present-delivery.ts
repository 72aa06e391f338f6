import { DELIVERY_STATE_ON_THE_WIRE } from '@partner/proto-contracts/delivery-state';
import {
  type Attempt,
  AttemptOutcome,
  type Delivery,
  DeliveryState,
  type ExchangeTrace,
  type GetDeliveryResponse,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import type {
  attempt,
  delivery,
  deliveryWithAttempts,
  exchangeTrace,
} from '@partner/proto-contracts/public-api/webhook-delivery';
import type { z } from 'zod';
import { presentInstant, presentOptionalInstant } from './present-instant.js';
import { requiredField } from './required-field.js';

type DeliveryView = z.input<typeof delivery>;
type AttemptView = z.input<typeof attempt>;
type AttemptSummaryView = Omit<AttemptView, 'responseBody' | 'remoteAddress' | 'secretVersion' | 'exchange'>;

const STATES: Readonly<Record<DeliveryState, DeliveryView['state'] | undefined>> = {
  [DeliveryState.UNSPECIFIED]: undefined,
  [DeliveryState.PENDING]: 'pending',
  [DeliveryState.RETRY_SCHEDULED]: 'retry_scheduled',
  [DeliveryState.DELIVERED]: 'delivered',
  [DeliveryState.DEAD_LETTERED]: 'dead_lettered',
  [DeliveryState.HELD]: 'held',
  [DeliveryState.CANCELLED]: 'cancelled',
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
  return DELIVERY_STATE_ON_THE_WIRE[name];
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
    nextAttemptAt: presentOptionalInstant(given.nextAttemptAt),
    createdAt: presentInstant(given.createdAt, 'delivery.created_at'),
    finishedAt: presentOptionalInstant(given.finishedAt),
    resource: {
      type: requiredField(given.resourceType, 'delivery.resource_type'),
      id: requiredField(given.resourceId, 'delivery.resource_id'),
    },
    replayOf: given.replayOf ?? null,
    bulkReplayId: given.bulkReplayId ?? null,
  };
}

/**
 * A delivery with its attempts and the exact text that every attempt sends; null once the event is no longer kept. What a receiver answered is shown as text;
 * bytes that are no UTF-8 appear as U+FFFD.
 */
export function presentDeliveryWithAttempts(
  message: GetDeliveryResponse,
): z.input<typeof deliveryWithAttempts> {
  return {
    delivery: presentDelivery(message.delivery),
    attempts: message.attempts.map(presentAttempt),
    body: message.body === undefined ? null : textOf(message.body),
  };
}

/** An attempt as its owner sees it in a list. Throws when job-state left out what it always gives. */
export function presentAttemptSummary(given: Attempt): AttemptSummaryView {
  return {
    deliveryId: requiredField(given.deliveryId, 'attempt.delivery_id'),
    number: requiredField(given.number, 'attempt.number'),
    startedAt: presentInstant(given.startedAt, 'attempt.started_at'),
    durationMs: requiredField(given.durationMs, 'attempt.duration_ms'),
    outcome: requiredField(OUTCOMES[given.outcome ?? AttemptOutcome.UNSPECIFIED], 'a known attempt.outcome'),
    responseStatus: given.responseStatus ?? null,
    error: given.error ?? null,
  };
}

function presentAttempt(given: Attempt): AttemptView {
  return {
    ...presentAttemptSummary(given),
    responseBody: given.responseBody === undefined ? null : textOf(given.responseBody),
    remoteAddress: given.remoteAddress ?? null,
    secretVersion: requiredField(given.secretVersion, 'attempt.secret_version'),
    exchange: given.exchange === undefined ? null : presentExchange(given.exchange),
  };
}

function presentExchange(given: ExchangeTrace): z.input<typeof exchangeTrace> {
  const { certificateSubject, certificateIssuer, certificateValidTo } = given;
  const hasCertificate = [certificateSubject, certificateIssuer, certificateValidTo].some(
    (part) => part !== undefined,
  );
  return {
    dnsMs: given.dnsMs ?? null,
    addresses: given.addresses,
    connectMs: given.connectMs ?? null,
    tlsMs: given.tlsMs ?? null,
    tlsProtocol: given.tlsProtocol ?? null,
    certificate: hasCertificate
      ? {
          subject: certificateSubject ?? null,
          issuer: certificateIssuer ?? null,
          validTo: presentOptionalInstant(certificateValidTo),
        }
      : null,
    reusedConnection: given.reusedConnection ?? false,
    firstByteMs: given.firstByteMs ?? null,
  };
}

/** Bytes as text; what is no UTF-8 appears as U+FFFD. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
