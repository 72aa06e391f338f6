import { createHmac } from 'node:crypto';
import { CURRENT_API_VERSION, CURRENT_SCHEMA_VERSION } from '@partner/proto-contracts/api/versions';
import { webhookEnvelope } from '@partner/proto-contracts/events/webhook-events';
import type { TimedWebhook } from '../../support/webhook-receiver.js';
import type { AcknowledgedWrite, DeliveryHistory, ShownDelivery, StoredEvent } from '../delivery-history.js';

/** The beginning of the history. */
export const START = Date.parse('2026-10-05T14:00:00.000Z');
export const RETRY_BASE_MS = 100;
export const UNDER_WAY_MS = 8_000;
export const COMPANY = 'cmp_1';
export const SUBSCRIPTION = 'whk_1';
export const SECRETS = [1, 2].map((version) => `whsec_${Buffer.alloc(32, version).toString('base64')}`);

/** A status event, by its place in the history; what it is about has the same version. */
export function eventAt(place: number): StoredEvent {
  const told = { name: 'install.status_changed', resourceId: 'job_1', resourceVersion: place };
  const envelope = {
    id: `evt_${place}`,
    event: told.name,
    apiVersion: CURRENT_API_VERSION,
    schemaVersion: CURRENT_SCHEMA_VERSION,
    occurredAt: new Date(START).toISOString(),
    resource: { type: 'install_job', id: told.resourceId, version: place },
    data: { jobId: told.resourceId },
  };
  const body = Buffer.from(JSON.stringify(envelope));
  return { ...told, id: envelope.id, companyId: COMPANY, resourceType: 'install_job', body };
}

/** The write that has made {@link eventAt}. */
export function writeAt(place: number, sentAt: number): AcknowledgedWrite {
  const { name, resourceId, resourceVersion } = eventAt(place);
  return {
    companyId: COMPANY,
    sentAt,
    answeredAt: sentAt + 20,
    tells: [{ name, resourceId, resourceVersion }],
  };
}

/** A POST of an event, signed as it should be. */
export function postOf(
  event: StoredEvent,
  post: {
    readonly attemptId: string;
    readonly startsAt: number;
    readonly status: number;
    readonly path?: string;
    readonly version?: number;
    readonly signedWith?: number;
    readonly retryAfterSeconds?: number;
  },
): TimedWebhook {
  const { attemptId, startsAt, status, path = '/a', version = 1, signedWith = version } = post;
  const timestamp = String(Math.floor(startsAt / 1_000));
  const secret = SECRETS[signedWith - 1] ?? '';
  const sign = (key: string | Buffer, text: string) =>
    createHmac('sha256', key).update(text).update(event.body);
  return {
    path,
    headers: {
      'content-type': 'application/json',
      'x-svc-event': event.name,
      'x-svc-delivery-id': attemptId,
      'x-svc-timestamp': timestamp,
      'x-svc-secret-version': String(version),
      'x-svc-signature': `v1=${sign(secret, `${timestamp}.`).digest('hex')}`,
      'webhook-id': event.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${sign(Buffer.from(secret.slice(6), 'base64'), `${event.id}.${timestamp}.`).digest('base64')}`,
    },
    body: event.body,
    envelope: webhookEnvelope.parse(JSON.parse(event.body.toString('utf8'))),
    answeredStatus: status,
    receivedAt: startsAt + 5,
    connection: 1,
    retryAfterSeconds: post.retryAfterSeconds,
  };
}

/** An attempt as the console shows it. */
export function attemptOf(
  attemptId: string,
  number: number,
  startsAt: number,
  status: number,
): ShownDelivery['attempts'][number] {
  return {
    deliveryId: attemptId,
    number,
    startedAt: new Date(startsAt).toISOString(),
    durationMs: 10,
    outcome: status === 204 ? 'delivered' : 'rejected',
    responseStatus: status,
    responseBody: null,
    error: null,
    remoteAddress: '127.0.0.1',
    secretVersion: 1,
    exchange: null,
  };
}

/** A delivery with these answers to its attempts, and the POSTs that go with it, from `startsAt` on. */
export function deliver(
  event: StoredEvent,
  startsAt: number,
  answers: readonly number[],
): { readonly shown: ShownDelivery; readonly requests: readonly TimedWebhook[] } {
  const attempts: ShownDelivery['attempts'] = [];
  const requests: TimedWebhook[] = [];
  let at = startsAt;
  for (const [place, status] of answers.entries()) {
    const attemptId = `dlv_${event.id.slice(4)}a${place + 1}`;
    attempts.push(attemptOf(attemptId, place + 1, at, status));
    requests.push(postOf(event, { attemptId, startsAt: at, status }));
    at += 10 + RETRY_BASE_MS * 2 ** place + 5;
  }
  const finishedAt = Date.parse(attempts.at(-1)?.startedAt ?? '') + 15;
  const shown: ShownDelivery = {
    delivery: {
      id: `dlv_${event.id.slice(4)}`,
      subscriptionId: SUBSCRIPTION,
      eventId: event.id,
      event: event.name,
      state: answers.at(-1) === 204 ? 'delivered' : 'dead_lettered',
      attempts: answers.length,
      nextAttemptAt: null,
      createdAt: new Date(startsAt).toISOString(),
      finishedAt: new Date(finishedAt).toISOString(),
      resource: { type: event.resourceType, id: event.resourceId },
      replayOf: null,
      bulkReplayId: null,
    },
    attempts,
    body: event.body.toString('utf8'),
  };
  return { shown, requests };
}

/** When the subscription of {@link goodHistory} is paused, and active again with a back-fill. */
export const PAUSED_AT = START + 30_000;
export const ACTIVE_AT = START + 60_000;

/**
 * A history without a violation. Event 1 is delivered at once, event 2 at the third attempt, event 3 dead-lettered; event 4 falls
 * into the pause and is back-filled.
 */
export function goodHistory(): DeliveryHistory {
  const played = [
    deliver(eventAt(1), START + 1_000, [204]),
    deliver(eventAt(2), START + 2_000, [500, 302, 204]),
    deliver(eventAt(3), START + 3_000, [500, 500, 500, 500, 500, 500, 500, 404]),
    deliver(eventAt(4), ACTIVE_AT + 1_000, [204]),
  ];
  const sinceEver = { sentAt: 0, answeredAt: 0 };
  return {
    settings: { retryBaseMs: RETRY_BASE_MS, leaseMs: 20_000, underWayMs: UNDER_WAY_MS },
    writes: [1, 2, 3]
      .map((place) => writeAt(place, START + place * 1_000 - 100))
      .concat(writeAt(4, PAUSED_AT + 1_000)),
    events: [1, 2, 3, 4].map(eventAt),
    subscriptions: [
      {
        id: SUBSCRIPTION,
        companyId: COMPANY,
        events: ['install.status_changed'],
        states: [
          { state: 'active', sentAt: START, answeredAt: START + 10 },
          { state: 'paused', sentAt: PAUSED_AT, answeredAt: PAUSED_AT + 10 },
          { state: 'active', sentAt: ACTIVE_AT, answeredAt: ACTIVE_AT + 10, backfill: true },
        ],
        paths: [{ ...sinceEver, path: '/a' }],
        secrets: [
          { version: 1, secret: SECRETS[0] ?? '', activation: sinceEver },
          { version: 2, secret: SECRETS[1] ?? '', activation: undefined },
        ],
      },
    ],
    requests: played.flatMap(({ requests }) => requests),
    deliveries: played.map(({ shown }, place) =>
      place === 3 ? { ...shown, delivery: { ...shown.delivery, bulkReplayId: 'rpl_1' } } : shown,
    ),
    unsettled: [],
  };
}
