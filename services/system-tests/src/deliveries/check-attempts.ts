import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { ShownDelivery } from './delivery-history.js';
import { CLOCK_READING_MS, type HistoryIndex, type PlacedRequest } from './history-index.js';

const SECOND_MS = 1_000;
/** Ends of attempts that the receiver need not have seen. */
const UNSEEN = ['timed_out', 'tls_failed', 'connection_failed', 'endpoint_refused'];

type ShownAttempt = ShownDelivery['attempts'][number];

/** An attempt that the console shows, with what the receiver saw of it. */
interface Attempt extends ShownAttempt {
  readonly startsAt: number;
  readonly endsAt: number;
  readonly seen: PlacedRequest | undefined;
}

/**
 * The attempts of one delivery: those that the console shows are those that the receiver saw, with the same end; they come in
 * the order and not before the times of the schedule; the delivery ends with the first 2xx or after exactly 8 failed attempts,
 * and nothing follows (spec: Acknowledgement and retries; States and transitions). A POST whose result was lost is made again,
 * and a result that came late is shown, but only across an unsettled time.
 */
export function checkAttempts(history: HistoryIndex, shown: ShownDelivery): string[] {
  const attempts = shown.attempts
    .map((one): Attempt => {
      const startsAt = Date.parse(one.startedAt);
      const seen = history.requestOfAttempt(one.deliveryId);
      return { ...one, startsAt, endsAt: startsAt + one.durationMs, seen };
    })
    .sort((a, b) => a.startsAt - b.startsAt);
  const { delivery } = shown;
  const violations = [
    ...attempts.flatMap((attempt) => checkSight(history, shown, attempt)),
    ...checkNumbers(history, shown, attempts),
    ...checkTimes(history, shown, attempts),
    ...checkEnd(history, shown, attempts),
    ...checkUnshown(history, shown, attempts),
  ];
  return violations.map((violation) => `delivery ${delivery.id} of event ${delivery.eventId}: ${violation}`);
}

/** What the console says of an attempt is what the receiver saw of it. */
function checkSight(
  history: HistoryIndex,
  { delivery }: ShownDelivery,
  { seen, ...attempt }: Attempt,
): string[] {
  const name = `attempt ${attempt.number} (${attempt.deliveryId}, ${attempt.outcome})`;
  if (seen === undefined) return UNSEEN.includes(attempt.outcome) ? [] : [`${name} was never made`];
  const violations: string[] = [];
  const { request, subscription, signedAt } = seen;
  if (subscription.id !== delivery.subscriptionId || request.envelope.id !== delivery.eventId) {
    violations.push(`${name} sent event ${request.envelope.id} to ${subscription.id}`);
  }
  if (request.headers['x-svc-secret-version'] !== String(attempt.secretVersion)) {
    violations.push(`${name} is said to be signed with version ${attempt.secretVersion}`);
  }
  if (signedAt !== Math.floor(attempt.startsAt / SECOND_MS) * SECOND_MS) {
    violations.push(`${name} has a timestamp that is not its own, ${signedAt / SECOND_MS}`);
  }
  const gotResponse = request.responseStatus > 0;
  const wasTaken = request.responseStatus >= 200 && request.responseStatus < 300;
  const reportsResponse = attempt.outcome === 'delivered' || attempt.outcome === 'rejected';
  if (reportsResponse && attempt.responseStatus !== request.responseStatus) {
    violations.push(`${name} got ${request.responseStatus} and not ${attempt.responseStatus}`);
  }
  if (reportsResponse && wasTaken !== (attempt.outcome === 'delivered')) {
    violations.push(`${name} got ${request.responseStatus}`);
  }
  const { startsAt: from, endsAt: to } = attempt;
  if (!reportsResponse && gotResponse && !history.isUnsettled({ from, to })) {
    violations.push(`${name} got ${request.responseStatus}`);
  }
  return violations;
}

/** They count from 1 in the order in which they begin, at most to 8. Two leases of one number need a lost result. */
function checkNumbers(
  history: HistoryIndex,
  { delivery }: ShownDelivery,
  attempts: readonly Attempt[],
): string[] {
  const numbers = attempts.map(({ number }) => number);
  const said = `its attempts are numbered ${numbers.join(', ')}, and it says that there were ${delivery.attempts}`;
  if (
    numbers.some((number) => number > LIMITS.webhookAttempts) ||
    delivery.attempts > attempts.length ||
    delivery.attempts > LIMITS.webhookAttempts
  ) {
    return [said];
  }
  const areInOrder =
    numbers.every((number, place) => number === place + 1) && delivery.attempts === numbers.length;
  return areInOrder || history.isUnsettled(spanOf(attempts)) ? [] : [said];
}

/**
 * An attempt of number n needs n - 1 results, so it begins after the (n-1)th of all ends and the wait that the schedule gives
 * then; and when each number is there once, after what the receiver asked for in `retry-after`.
 */
function checkTimes(
  { settings }: HistoryIndex,
  _shown: ShownDelivery,
  attempts: readonly Attempt[],
): string[] {
  const ends = attempts.map(({ endsAt }) => endsAt).sort((a, b) => a - b);
  const isCounted = attempts.every(({ number }, place) => number === place + 1);
  return attempts.flatMap(({ number, startsAt }) => {
    if (number === 1) return [];
    const endBefore = ends[number - 2];
    if (endBefore === undefined) return [`attempt ${number} has no ${number - 1} before it`];
    const scheduledMs = settings.retryBaseMs * 2 ** (number - 2);
    const askedMs = isCounted ? (attempts[number - 2]?.seen?.request.retryAfterSeconds ?? 0) * SECOND_MS : 0;
    const waitMs = Math.max(scheduledMs, askedMs);
    const earlyMs = endBefore + waitMs - startsAt;
    return earlyMs <= CLOCK_READING_MS
      ? []
      : [`attempt ${number} comes ${earlyMs} ms too early after ${endBefore}, with a wait of ${waitMs} ms`];
  });
}

function checkEnd(
  history: HistoryIndex,
  { delivery }: ShownDelivery,
  attempts: readonly Attempt[],
): string[] {
  const violations: string[] = [];
  const delivered = attempts.filter(({ outcome }) => outcome === 'delivered');
  const span = spanOf(attempts);
  if (delivery.state === 'delivered') {
    if (delivered.length === 0) violations.push('LOST, it is delivered without a 2xx');
    if (delivered.length > 1 && !history.isUnsettled(span))
      violations.push(`it was delivered ${delivered.length} times`);
  }
  if (delivery.state === 'dead_lettered') {
    if (delivery.attempts !== LIMITS.webhookAttempts)
      violations.push(`it is dead-lettered after ${delivery.attempts} attempts`);
    if (delivered.length > 0 && !history.isUnsettled(span))
      violations.push('it is dead-lettered and got 2xx');
  }
  const finishedAt = delivery.finishedAt === null ? Infinity : Date.parse(delivery.finishedAt);
  for (const { number, startsAt } of attempts) {
    if (startsAt > finishedAt && !history.isUnsettled({ from: span.from, to: startsAt })) {
      violations.push(`attempt ${number} was made after its end`);
    }
  }
  return violations;
}

/** What the receiver saw beyond what the console shows; and what it saw again after it had taken it. */
function checkUnshown(
  history: HistoryIndex,
  { delivery }: ShownDelivery,
  attempts: readonly Attempt[],
): string[] {
  const violations: string[] = [];
  const shownIds = new Set(attempts.map(({ deliveryId }) => deliveryId));
  const requests = history.requestsOf(delivery.subscriptionId, delivery.eventId);
  for (const { attemptId, request } of requests) {
    const { receivedAt } = request;
    const span = { from: receivedAt, to: receivedAt + history.settings.leaseMs };
    if (!shownIds.has(attemptId) && !history.isUnsettled(span))
      violations.push(`the POST ${attemptId} is not among its attempts`);
  }
  const taken = requests.find(({ request }) => request.responseStatus >= 200 && request.responseStatus < 300);
  for (const { attemptId, request } of requests) {
    if (
      taken === undefined ||
      request.receivedAt <= taken.request.receivedAt ||
      attemptId === taken.attemptId
    )
      continue;
    if (!history.isUnsettled({ from: taken.request.receivedAt, to: request.receivedAt })) {
      violations.push(`the POST ${attemptId} comes after the receiver had taken it`);
    }
  }
  return violations;
}

function spanOf(attempts: readonly Attempt[]) {
  return {
    from: Math.min(...attempts.map(({ startsAt }) => startsAt)),
    to: Math.max(...attempts.map(({ endsAt }) => endsAt)),
  };
}
