import type { ReactNode } from 'react';
import classes from './delivery.module.css';

/** Names with their values; undefined ones are left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={classes['facts']}>
      {facts
        .filter(([, value]) => value !== undefined)
        .flatMap(([name, value]) => [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value}</dd>])}
    </dl>
  );
}
