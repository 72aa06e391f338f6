import { LIMITS } from '@partner/proto-contracts/public-api/limits';
import type { Attempt, Delivery } from '../../api/deliveries.js';
import { formatDuration, formatRelative } from '../../format.js';
import type { Tone } from '../../tones.js';
import { explainAttempt } from './explain-attempt.js';

/** What a delivery has come to, at the top of its page. */
export interface SumUp {
  readonly tone: Tone;
  readonly what: string;
  readonly advice: readonly string[];
}

/** Sums up a delivery with its attempts, oldest first. */
export function sumUp(delivery: Delivery, attempts: readonly Attempt[], now: Date): SumUp {
  const last = attempts.at(-1);
  const explained = last === undefined ? undefined : explainAttempt(last);
  const why = explained?.what ?? '';
  const advice = explained?.advice ?? [];
  // Without a time an attempt is under way.
  const next =
    delivery.nextAttemptAt === null
      ? 'It is being tried again now'
      : `It is tried again by itself ${formatRelative(new Date(delivery.nextAttemptAt), now)}`;
  switch (delivery.state) {
    case 'delivered':
      return {
        tone: 'good',
        what: `${why}${delivery.attempts > 1 ? ` It needed ${delivery.attempts} attempts.` : ''}${last === undefined ? '' : ` The answer came after ${formatDuration(last.durationMs)}.`}`,
        advice: [],
      };
    case 'dead_lettered':
      return {
        tone: 'bad',
        what: `${why} After ${delivery.attempts} attempts we gave up; nothing more is sent unless you replay it.`,
        advice: [...advice, 'When that is done, replay the delivery with the button above.'],
      };
    case 'retry_scheduled':
      return {
        tone: 'warn',
        what: `${why} ${next}; ${delivery.attempts} of ${LIMITS.webhookAttempts} attempts are used.`,
        advice,
      };
    case 'pending':
      return { tone: 'info', what: 'It waits for its turn and has not been sent yet.', advice: [] };
    case 'held':
      return {
        tone: 'info',
        what: 'It waits, because the webhook is paused. It goes on when you activate the webhook.',
        advice:
          last === undefined || last.outcome === 'delivered' ? [] : [`The last attempt: ${why}`, ...advice],
      };
    case 'cancelled':
      return {
        tone: 'quiet',
        what: 'It was not delivered, because the webhook was deleted before.',
        advice: [],
      };
  }
}
