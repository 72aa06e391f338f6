import { LIMITS } from '@partner/proto-contracts/api/limits';
import { signaturesOf } from '../support/webhook-signatures.js';
import type { RequestedChange, StoredEvent } from './delivery-history.js';
import {
  CLOCK_READING_MS,
  type HistoryIndex,
  inForce,
  type PlacedRequest,
  TEST_EVENT,
  eventKey,
} from './history-index.js';

const SECOND_MS = 1_000;

/**
 * Every POST that the receiver saw: an event of the subscription's own company, in its very bytes, with a delivery id, a
 * timestamp and its own signatures, made with the secret of the version that it states, which was the one to use; sent to
 * a URL that was the one to use, and not during a pause (spec: Delivery, Secret rotation).
 */
export function checkRequests(history: HistoryIndex): string[] {
  const placed = new Set(history.placed.map(({ request }) => request));
  const violations = history.requests
    .filter((request) => !placed.has(request))
    .map((request) => `a POST to ${request.path}, which is the URL of no subscription`);
  const seen = new Set<string>();
  for (const one of history.placed) {
    const found = checkRequest(history, one);
    if (seen.has(one.attemptId)) found.push('its delivery id was seen before');
    seen.add(one.attemptId);
    violations.push(
      ...found.map((violation) => `POST ${one.attemptId} to ${one.request.path}: ${violation}`),
    );
  }
  return violations;
}

function checkRequest(history: HistoryIndex, placed: PlacedRequest): string[] {
  const { request, subscription, attemptId, signedAt } = placed;
  const event = history.event(request.envelope.id);
  if (event === undefined) return [`there is no event ${request.envelope.id}`];
  const violations: string[] = [];
  if (event.companyId !== subscription.companyId)
    violations.push(`it carries data of ${event.companyId}, another company`);
  if (!request.body.equals(event.body)) violations.push(`its body is not that of event ${event.id}`);
  if (!/^dlv_[0-9a-z]+$/.test(attemptId)) violations.push('it has no delivery id');
  const given = {
    'x-svc-event': event.name,
    'webhook-id': event.id,
    'webhook-timestamp': request.headers['x-svc-timestamp'],
    'content-type': 'application/json',
  };
  for (const [header, value] of Object.entries(given)) {
    if (request.headers[header] !== value) {
      violations.push(`${header} is ${String(request.headers[header])} and not ${String(value)}`);
    }
  }
  const ageMs = request.receivedAt - signedAt;
  if (!(ageMs >= -CLOCK_READING_MS && ageMs <= LIMITS.webhookTimestampToleranceSeconds * SECOND_MS)) {
    violations.push(`its timestamp is ${ageMs} ms old`);
  }
  if (history.deliveriesOf(subscription.id, event.id).length === 0) {
    violations.push(`no delivery stands for it (${eventKey(event)})`);
  }
  return [
    ...violations,
    ...checkSignatures(placed),
    ...checkSecret(history, placed, event),
    ...checkPath(history, placed, event),
    ...checkPause(history, placed, event),
  ];
}

/** Exactly the secret of the stated version has made both signatures. */
function checkSignatures({ request, subscription }: PlacedRequest): string[] {
  const stated = Number(request.headers['x-svc-secret-version']);
  const violations: string[] = [];
  for (const header of ['x-svc-signature', 'webhook-signature'] as const) {
    const signers = subscription.secrets.filter(
      ({ secret }) => request.headers[header] === signaturesOf(secret, request)[header],
    );
    if (signers.length === 1 && signers[0]?.version === stated) continue;
    const versions = signers.map(({ version }) => version).join(' and ');
    violations.push(
      `it states version ${stated} of the secret, and ${header} is of version ${versions || 'none'}`,
    );
  }
  return violations;
}

function checkSecret(history: HistoryIndex, placed: PlacedRequest, event: StoredEvent): string[] {
  if (event.name === TEST_EVENT) return [];
  const secrets = placed.subscription.secrets.flatMap((secret) => {
    const { activation } = secret;
    return activation === undefined ? [] : [{ ...activation, secret }];
  });
  const stated = Number(placed.request.headers['x-svc-secret-version']);
  return canBeUsed(history, placed, event, secrets, ({ secret }) => secret.version === stated)
    ? []
    : [`version ${stated} of the secret was not the one to sign with`];
}

function checkPath(history: HistoryIndex, placed: PlacedRequest, event: StoredEvent): string[] {
  const { paths } = placed.subscription;
  return canBeUsed(history, placed, event, paths, ({ path }) => path === placed.request.path)
    ? []
    : ['that was not the URL to send to'];
}

/**
 * Whether a POST can have used what a change brought. Each attempt takes what is in force at its claim, which is not later than
 * its beginning, not earlier by more than its time in flight, and not before its event was committed.
 */
function canBeUsed<Change extends RequestedChange>(
  history: HistoryIndex,
  { signedAt }: PlacedRequest,
  event: StoredEvent,
  changes: readonly Change[],
  isUsed: (change: Change) => boolean,
): boolean {
  const committedAt = history.writeOf(event)?.sentAt ?? 0;
  const claimed = {
    from: Math.max(signedAt - history.settings.underWayMs, committedAt),
    to: signedAt + SECOND_MS,
  };
  const { before, possible } = inForce(changes, claimed);
  return [...(before === undefined ? [] : [before]), ...possible].some(isUsed);
}

/** What was claimed before a pause may still be sent, and nothing else but tests. */
function checkPause(history: HistoryIndex, placed: PlacedRequest, event: StoredEvent): string[] {
  if (event.name === TEST_EVENT) return [];
  const { signedAt, subscription } = placed;
  const claimed = { from: signedAt - history.settings.underWayMs, to: signedAt + SECOND_MS };
  const { before, possible } = inForce(subscription.states, claimed);
  const wasActive = before?.state === 'active' || possible.some(({ state }) => state === 'active');
  return wasActive ? [] : ['the subscription was paused'];
}
