import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import {
  SHADOW_LIMITS,
  type ShadowDifference,
  type ShadowResult,
} from '@partner/proto-contracts/resources/shadow/shadow';
import type { Database, Transaction } from '../../database/database.js';
import type { AttemptResult } from './decode-deliveries-attempted.js';
import {
  DURATION_BOUNDS_MS,
  type DurationHistogram,
  DURATION_SLOTS,
} from '../statistics/duration-histogram.js';

/** A comparison that waits longer for its shadow is lost, so that it does not hold a connection. */
const LOCK_MS = 1_000;

/** The result of a shadow's test names the shadow in place of a delivery. */
const isOfTest = ({ deliveryId }: AttemptResult) => deliveryId.startsWith('shd_');

/** Whether a result is of a delivery that is not recorded yet. One that compares a shadow was reported before, on its own. */
export function isOfDelivery(result: AttemptResult): boolean {
  return !isOfTest(result) && (result.shadow === undefined || result.shadow.skipped);
}

/** Whether a result says something about a shadow. */
export function isOfShadow(result: AttemptResult): boolean {
  return isOfTest(result) || result.shadow !== undefined;
}

interface Comparison {
  outcomes: Record<string, number>;
  skipped: number;
  liveDurations: number[];
  shadowDurations: number[];
  differences: ShadowDifference[];
}

interface LockedShadow extends Readonly<Comparison> {
  readonly id: string;
  readonly subscriptionId: string;
  readonly companyId: string;
}

/**
 * Adds results to the shadows that they name, in one transaction. A shadow that was replaced gets none.
 *
 * The first result of a test decides whether its shadow runs. A message that the broker delivers twice counts twice in a
 * comparison. Locks: the shadows in ascending id.
 */
export async function recordShadowResults(
  database: Pick<Database, 'transaction'>,
  results: readonly AttemptResult[],
): Promise<void> {
  const tests = results.filter(isOfTest);
  const compared = results.flatMap((result) => {
    const { shadow } = result;
    return shadow === undefined || isOfTest(result) ? [] : [{ ...result, shadow }];
  });
  await database.transaction(
    async (tx) => {
      const ids = [
        ...tests.map(({ deliveryId }) => deliveryId),
        ...compared.map(({ shadow }) => shadow.shadowId),
      ];
      for (const shadow of await lockShadows(tx, ids)) {
        const test = tests.find(({ deliveryId }) => deliveryId === shadow.id);
        if (test !== undefined) settleTest(tx, shadow.id, test);
        const own = compared.filter((result) => result.shadow.shadowId === shadow.id);
        if (own.length > 0) writeComparison(tx, shadow.id, sumUp(shadow, own));
        tx.announceAfterCommit(shadow.companyId, [shadow.subscriptionId]);
      }
    },
    { lockTimeoutMs: LOCK_MS },
  );
}

async function lockShadows(tx: Transaction, ids: readonly string[]): Promise<readonly LockedShadow[]> {
  return tx.query<LockedShadow>(
    `select w.id, w.subscription_id as "subscriptionId", s.company_id as "companyId", w.outcomes, w.skipped,
       w.live_durations as "liveDurations", w.shadow_durations as "shadowDurations", w.differences
     from webhook_shadows w join subscriptions s on s.id = w.subscription_id
     where w.id = any($1::text[]) order by w.id for no key update of w`,
    [ids],
  );
}

function settleTest(tx: Transaction, id: string, { attempt }: AttemptResult): void {
  tx.send(
    `update webhook_shadows set state = $2, test = $3 where id = $1 and state = 'testing' and started_at > now() - interval '${SHADOW_LIMITS.testSeconds} seconds'`,
    [id, attempt.outcome === 'delivered' ? 'running' : 'refused', JSON.stringify(resultOf(attempt))],
  );
  tx.wakeAfterCommit('shadows');
}

function writeComparison(tx: Transaction, id: string, comparison: Comparison): void {
  const { outcomes, skipped, liveDurations, shadowDurations, differences } = comparison;
  tx.send(
    `update webhook_shadows set outcomes = $2, skipped = $3, live_durations = $4, shadow_durations = $5, differences = $6
     where id = $1`,
    [id, JSON.stringify(outcomes), skipped, liveDurations, shadowDurations, JSON.stringify(differences)],
  );
}

function sumUp(
  before: Readonly<Comparison>,
  results: readonly (AttemptResult & { readonly shadow: NonNullable<AttemptResult['shadow']> })[],
): Comparison {
  const sum: Comparison = {
    outcomes: { ...before.outcomes },
    skipped: before.skipped,
    liveDurations: [...before.liveDurations],
    shadowDurations: [...before.shadowDurations],
    differences: [...before.differences],
  };
  for (const { deliveryId, attempt, shadow } of results) {
    if (shadow.skipped) {
      sum.skipped += 1;
      continue;
    }
    const pair = `${attempt.outcome} ${shadow.outcome}`;
    sum.outcomes[pair] = (sum.outcomes[pair] ?? 0) + 1;
    sum.liveDurations = withDuration(sum.liveDurations, attempt.durationMs);
    sum.shadowDurations = withDuration(sum.shadowDurations, shadow.durationMs);
    if (attempt.outcome === shadow.outcome) continue;
    sum.differences.unshift({
      deliveryId,
      eventId: shadow.eventId,
      event: shadow.event,
      at: formatDateTime(attempt.startedAt),
      live: resultOf(attempt),
      shadow: resultOf(shadow),
    });
  }
  return { ...sum, differences: sum.differences.slice(0, SHADOW_LIMITS.differences) };
}

function withDuration(histogram: DurationHistogram, durationMs: number): number[] {
  const found = DURATION_BOUNDS_MS.findIndex((bound) => durationMs < bound);
  const slot = found === -1 ? DURATION_SLOTS - 1 : found;
  return histogram.map((count, index) => (index === slot ? count + 1 : count));
}

function resultOf({
  outcome,
  responseStatus = null,
  durationMs,
  error = null,
}: {
  readonly outcome: ShadowResult['outcome'];
  readonly responseStatus?: number | null | undefined;
  readonly durationMs: number;
  readonly error?: string | null | undefined;
}): ShadowResult {
  return { outcome, status: responseStatus, durationMs, error };
}
