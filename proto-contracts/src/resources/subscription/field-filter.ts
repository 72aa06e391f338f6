import { z } from 'zod';
import { eventsNamedBy } from '../event-catalogue/catalogue.js';
import { EVENT_PATTERNS, nearestEvent } from '../event-catalogue/nearest-event.js';
import { changesOf } from '../event-catalogue/webhook-events.js';

/** The fields that `changed` of an event, or of any event of a group, can name. */
function fieldsNamedBy(...patterns: readonly string[]): readonly string[] {
  return [...new Set(patterns.flatMap(eventsNamedBy).flatMap((event) => changesOf(event).fields ?? []))];
}

/** Events, and groups of them, whose changes a filter can name. */
const FILTERED_PATTERNS = EVENT_PATTERNS.filter((pattern) => fieldsNamedBy(pattern).length > 0);

/** Says what is wrong with the first of the fields that no event of the patterns names; undefined if nothing is. */
export function fieldViolation(
  patterns: readonly string[],
  fields: readonly string[],
): { readonly index: number; readonly message: string } | undefined {
  const known = fieldsNamedBy(...patterns);
  const index = fields.findIndex((field) => !known.includes(field));
  const field = fields[index];
  if (field === undefined) return undefined;
  const of = patterns.length === 1 ? patterns.join() : 'an event';
  const shown = JSON.stringify(field.slice(0, 100));
  const message = `must be a field that \`changed\` of ${of} can name, not ${shown}${nearestEvent(field, known)}`;
  return { index, message };
}

/** For each event or group, the fields of which one must have changed. An event's own name counts before its group. */
export const fieldFilter = z
  .record(z.string(), z.array(z.string()).min(1).max(50))
  .superRefine((filter, context) => {
    const refuse = (path: readonly (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path: [...path], message });
    for (const [pattern, fields] of Object.entries(filter)) {
      if (!FILTERED_PATTERNS.includes(pattern)) {
        const nearest = nearestEvent(pattern, FILTERED_PATTERNS);
        refuse([pattern], `must be an event that has \`changed\`, or a group with one${nearest}`);
        continue;
      }
      const violation = fieldViolation([pattern], fields);
      if (violation !== undefined) refuse([pattern, violation.index], violation.message);
    }
  });

export type FieldFilter = Readonly<Record<string, readonly string[]>>;

/** Returns a filter as it is stored: each name once, in order; null for one that names nothing. */
export function normalizedFilter(filter: FieldFilter | null): Record<string, string[]> | null {
  const named = Object.entries(filter ?? {}).map(([pattern, fields]): [string, string[]] => [
    pattern,
    [...new Set(fields)].sort(),
  ]);
  return named.length === 0 ? null : Object.fromEntries(named);
}
