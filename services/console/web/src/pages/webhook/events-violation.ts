import { sentenceOf } from './sentence-of.js';

/** Returns the violation of the events among the violations by field. */
export function eventsViolation(violations: Readonly<Record<string, string>>): string | undefined {
  const violation = Object.entries(violations).find(
    ([field]) => field === 'events' || field.startsWith('events.'),
  );
  return violation === undefined ? undefined : sentenceOf(violation[1], 'Each event');
}
