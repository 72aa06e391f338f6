import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import type {
  Subscription,
  WebhookCondition,
} from '@partner/proto-contracts/resources/subscription/subscription';
import { formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';

/** What decides the condition of a webhook. Tests count in none of the numbers but `failuresInRow`. */
export interface KnownOfWebhook extends Pick<
  Subscription,
  'state' | 'verified' | 'health' | 'failuresInRow'
> {
  readonly pausedAt: Date | null;
  /** Since when attempts fail, or are accepted, without a break; null if that is not known. */
  readonly inRowSince: Date | null;
  /** Deliveries that wait for a retry. */
  readonly waiting: number;
  /** Failed attempts since then. */
  readonly failed: number;
  /** Deliveries accepted since then. */
  readonly accepted: number;
  /** Events that the pause has withheld so far. */
  readonly missed: number;
  /** Whether there can be more of those. */
  readonly missedAtLeast: boolean;
}

/**
 * Decides the condition of a webhook by what happens now, not by attempts of an hour ago.
 *
 * It is failing from the fifth failure in a row until an attempt is accepted, if not only tests failed. It is recovering
 * while no attempt fails but deliveries still wait for a retry: at least five, or fewer if most attempts of the last hour failed.
 */
export function conditionOf(known: KnownOfWebhook): WebhookCondition {
  const { inRowSince, waiting, failed, accepted, failuresInRow, missed, missedAtLeast } = known;
  const since = formatOptionalDateTime(inRowSince);
  const is = (state: WebhookCondition['state'], facts: Partial<WebhookCondition> = {}): WebhookCondition => ({
    ...{ state, since: null, attempts: null, waiting, accepted: null, missed: null, missedAtLeast: false },
    ...facts,
  });
  if (!known.verified) return is('not_tested');
  if (known.state === 'paused') {
    return is('paused', { since: formatOptionalDateTime(known.pausedAt), missed, missedAtLeast });
  }
  if (failuresInRow >= WEBHOOK_LIMITS.failingAfter && failed > 0) {
    return is('failing', { since, attempts: Math.max(failed, failuresInRow) });
  }
  const isMore = waiting >= WEBHOOK_LIMITS.failingAfter || (waiting > 0 && known.health === 'degraded');
  if (failuresInRow === 0 && isMore) return is('recovering', { since, accepted });
  return is('active');
}
