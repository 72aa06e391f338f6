import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { Attempt, Delivery } from '../../api/hooks.js';
import { formatDuration, formatRelative } from '../../format.js';
import { isWaitingForSlot, nextAttemptOf } from '../../webhook-facts.js';
import type { Tone } from '../../palette.js';
import { explainAttempt } from './explain-attempt.js';

/** Summary of a delivery at the top of its page. */
interface SumUp {
  readonly tone: Tone;
  readonly what: string;
  readonly advice: readonly string[];
}

/** Summarises a delivery. Attempts are given oldest first, and the rate of the webhook if it is known and has one. */
export function sumUp(
  delivery: Delivery,
  attempts: readonly Attempt[],
  now: Date,
  perSecond: number | null = null,
): SumUp {
  const last = attempts.at(-1);
  const explained = last === undefined ? undefined : explainAttempt(last);
  const why = explained?.what ?? '';
  const advice = explained?.advice ?? [];
  const next = nextOf(delivery, now, perSecond);
  switch (delivery.state) {
    case 'delivered':
      if (delivery.wrongSignature) {
        return {
          tone: 'warn',
          what: `${why} This test was signed wrongly on purpose: your server has to refuse it.`,
          advice: ['Verify the signature of each delivery, and respond with 401 if it does not match.'],
        };
      }
      return {
        tone: 'good',
        what: `${why}${delivery.attempts > 1 ? ` It took ${delivery.attempts} attempts.` : ''}${last === undefined ? '' : ` The response came after ${formatDuration(last.durationMs)}.`}`,
        advice: [],
      };
    case 'dead_lettered':
      return {
        tone: 'bad',
        what: `${why} Out of retries after ${delivery.attempts} attempts. Replay the delivery to send it again.`,
        advice: [...advice, 'Then replay the delivery.'],
      };
    case 'retry_scheduled':
      return {
        tone: 'warn',
        what: `${why} ${next}. Attempt ${delivery.attempts} of ${LIMITS.webhookAttempts} failed.`,
        advice,
      };
    case 'pending':
      return { tone: 'info', what: `Not sent yet. ${next}.`, advice: [] };
    case 'held':
      return {
        tone: 'info',
        what: 'Held while the webhook is paused. It is sent when you activate the webhook.',
        advice:
          last === undefined || last.outcome === 'delivered' ? [] : [`The last attempt: ${why}`, ...advice],
      };
    case 'cancelled':
      return {
        tone: 'quiet',
        what:
          last === undefined || (!delivery.wrongSignature && delivery.testUrl === null)
            ? 'Cancelled: the webhook was deleted first.'
            : `${why} ${delivery.wrongSignature ? 'This test was signed wrongly on purpose' : 'This was a test of another URL'}, so it is sent once.`,
        advice: [],
      };
  }
}

/** Describes the next step of a delivery that is neither held nor finished. Without a time an attempt is in flight. */
function nextOf(delivery: Delivery, now: Date, perSecond: number | null): string {
  const next = nextAttemptOf(delivery);
  if (next === null) return 'An attempt is in progress';
  if (!isWaitingForSlot(next, now)) {
    return `The next attempt starts ${formatRelative(new Date(next), now)}`;
  }
  return perSecond === null
    ? 'The next attempt is due and waits for a free slot of this webhook'
    : `The next attempt is due: this webhook is limited to ${perSecond} per second`;
}
