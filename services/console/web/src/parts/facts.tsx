import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** List of names with their values; undefined values are omitted. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={classes['facts']}>
      {facts
        .filter(([, value]) => value !== undefined)
        .flatMap(([name, value]) => [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value}</dd>])}
    </dl>
  );
}

/** What to do about a problem, one sentence each. */
export function Advice({ advice }: { readonly advice: readonly string[] }) {
  return (
    <ul className={classes['advice']} aria-label="What to do">
      {advice.map((each) => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  );
}
