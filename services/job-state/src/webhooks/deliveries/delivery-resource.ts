import { formatDateTime, formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import type { Attempt, AttemptSummary } from '@partner/proto-contracts/resources/attempt/attempt';
import type { Delivery, ListedDelivery } from '@partner/proto-contracts/resources/delivery/delivery';
import { shortUrl } from '@partner/proto-contracts/values/short-url';
import type { AttemptRow, AttemptSummaryRow } from './attempt-columns.js';
import type { DeliveryRow } from './delivery-columns.js';
import { shownExchange } from './exchange-steps.js';

export type ListedDeliveryRow = DeliveryRow &
  (AttemptSummaryRow | { readonly [Field in keyof AttemptSummaryRow]: null });

export function shownDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    subscriptionId: row.subscriptionId,
    eventId: row.eventId,
    event: row.event,
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: row.waitsFor === null ? formatOptionalDateTime(row.nextAttemptAt) : null,
    waitsFor: row.waitsFor,
    createdAt: formatDateTime(row.createdAt),
    finishedAt: formatOptionalDateTime(row.finishedAt),
    resource: { type: row.resourceType, id: row.resourceId },
    workOrderNo: row.workOrderNo,
    isTest: row.isTest,
    replayOf: row.replayOf,
    bulkReplayId: row.bulkReplayId,
    wrongSignature: row.wrongSignature,
    testUrl: row.testUrl === null ? null : shortUrl(row.testUrl),
    number: row.eventNumber === null ? null : Number(row.eventNumber),
  };
}

export function shownListedDelivery(row: ListedDeliveryRow): ListedDelivery {
  return {
    ...shownDelivery(row),
    lastAttempt: row.attemptId === null ? null : shownAttemptSummary(row),
  };
}

export function shownAttemptSummary(row: AttemptSummaryRow): AttemptSummary {
  return {
    deliveryId: row.attemptId,
    number: row.number,
    startedAt: formatDateTime(row.startedAt),
    durationMs: row.durationMs,
    outcome: row.outcome,
    responseStatus: row.responseStatus,
    error: row.error,
  };
}

/** An attempt as the public API shows it. Response bytes that are not UTF-8 appear as U+FFFD. */
export function shownAttempt(row: AttemptRow): Attempt {
  return {
    ...shownAttemptSummary(row),
    responseHeaders: row.responseHeaders,
    responseBody: row.responseBody === null ? null : row.responseBody.toString('utf8'),
    remoteAddress: row.remoteAddress,
    secretVersion: row.secretVersion,
    exchange: row.exchange === null ? null : shownExchange(row.exchange),
  };
}
