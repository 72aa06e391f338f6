import { sentenceOf } from './sentence-of.js';

/** What is wrong with the events, among the faults of a form by field. */
export function eventsViolation(faults: Readonly<Record<string, string>>): string | undefined {
  const fault = Object.entries(faults).find(([field]) => field === 'events' || field.startsWith('events.'));
  return fault === undefined ? undefined : sentenceOf(fault[1], 'Each event');
}
