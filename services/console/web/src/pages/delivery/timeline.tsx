import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { Attempt, Delivery } from '../../api/hooks.js';
import { formatDuration } from '../../format.js';
import { ExactTime, NextAttempt, OUTCOME_LOOKS, PastTime } from '../../parts/data.js';
import { nextAttemptOf } from '../../webhook-facts.js';
import classes from './delivery.module.css';
import { statusText } from './explain-attempt.js';

/** The attempts of a delivery, newest first, between the next one and its creation. */
export function Timeline(props: {
  readonly delivery: Delivery;
  readonly attempts: readonly Attempt[];
  readonly perSecond: number | null;
  readonly selected: Attempt | undefined;
  readonly onSelect: (attempt: Attempt) => void;
}) {
  const { delivery, attempts, selected } = props;
  return (
    <ol className={`plain ${classes['timeline']}`} aria-label="Attempts">
      {nextAttemptOf(delivery) !== null && (
        <li>
          <div className={classes['step']}>
            <b>{`Attempt ${delivery.attempts + 1} of ${LIMITS.webhookAttempts}`}</b>
            <small>
              <NextAttempt of={delivery} perSecond={props.perSecond} />
            </small>
          </div>
        </li>
      )}
      {attempts.toReversed().map((attempt) => (
        <li key={attempt.deliveryId}>
          <button
            type="button"
            className={classes['step']}
            data-tone={OUTCOME_LOOKS[attempt.outcome].tone}
            aria-current={attempt === selected ? 'step' : undefined}
            onClick={() => props.onSelect(attempt)}
          >
            <b>
              {attempt.responseStatus === null
                ? OUTCOME_LOOKS[attempt.outcome].label
                : statusText(attempt.responseStatus)}
            </b>
            <small>{`Attempt ${attempt.number} · ${formatDuration(attempt.durationMs)}`}</small>
            <small>
              <PastTime at={attempt.startedAt} />
            </small>
          </button>
        </li>
      ))}
      <li>
        <div className={classes['step']}>
          <b>Created</b>
          <small>
            <ExactTime at={delivery.createdAt} />
          </small>
        </div>
      </li>
    </ol>
  );
}
