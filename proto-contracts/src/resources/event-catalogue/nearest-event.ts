import { closestMatch } from 'leven';
import { EVENT_CATALOGUE, eventGroup, isEventName } from './catalogue.js';

const NAMES = Object.keys(EVENT_CATALOGUE).filter(isEventName);

/** Every event of the catalogue, and every group of them such as `install.*`. */
export const EVENT_PATTERNS: readonly string[] = [
  ...NAMES,
  ...new Set(NAMES.map((event) => `${eventGroup(event)}.*`)),
];

/** Names that begin with as many of the same letters are nearer than others. */
const ALIKE_LETTERS = 5;

/** Says which event, or group of events, is nearest to a name that is none; empty if there is none to choose from. */
export function nearestEvent(name: unknown, known: readonly string[] = EVENT_PATTERNS): string {
  const wanted = String(name).slice(0, 100).toLowerCase();
  const longer = known.filter((each) => each.toLowerCase().includes(wanted));
  const alike = known.filter((each) => each.toLowerCase().startsWith(wanted.slice(0, ALIKE_LETTERS)));
  const nearest = closestMatch(wanted, [longer, alike, [...known]].find(({ length }) => length > 0) ?? []);
  return nearest === undefined ? '' : `; the nearest is ${nearest}`;
}
