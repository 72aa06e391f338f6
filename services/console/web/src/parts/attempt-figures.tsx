import type { AttemptCounts } from '../api/operations.js';
import { formatCount, formatDuration, formatShare } from '../format.js';
import classes from './attempt-figures.module.css';

/** Figures about attempts, side by side. */
export function AttemptFigures({ totals }: { readonly totals: AttemptCounts }) {
  const figures = [
    ['Success rate', formatShare(totals.delivered, totals.attempts) ?? '–'],
    ['Attempts', formatCount(totals.attempts)],
    ['Failed attempts', formatCount(totals.failed)],
    ['Dead-lettered', formatCount(totals.deadLettered)],
    ['p95', totals.p95Ms === null ? '–' : formatDuration(totals.p95Ms)],
  ] as const;
  return (
    <dl className={classes['figures']}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
