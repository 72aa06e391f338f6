import { z } from 'zod';
import { LIMITS } from '../api/limits.js';

/** RFC 3339 in UTC: `t` and `z` may be lower-case, and `+00:00` is the same as `Z`. */
const IN_UTC = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d(?:\.\d+)?)(?:[Zz]|\+00:00)$/;

const inUtc = z.iso.datetime();

const EXPECTATION =
  'must be an ISO 8601 date-time in UTC (Z or +00:00), with seconds 00 to 59, e.g. 2026-08-26T14:03:00Z';

const { acceptedYears } = LIMITS;

/** An input date-time: RFC 3339 in UTC, with seconds or fractions. The output always ends in `Z`. */
export const dateTimeIn = z
  // A missing value is reported like any other missing field.
  .string({ error: ({ input }) => (input === undefined ? undefined : EXPECTATION) })
  .overwrite((text) => text.replace(IN_UTC, '$1T$2Z'))
  .refine((text) => IN_UTC.test(text) && inUtc.safeParse(text).success, { error: EXPECTATION, abort: true })
  .meta({
    format: 'date-time',
    description: 'In UTC (`Z` or `+00:00`), with seconds or fractions of a second.',
    examples: ['2026-08-26T14:03:00Z'],
  });

/** An input date-time of a plan. A year out of range is a wrong unit or a typing error. */
export const plannedDateTimeIn = dateTimeIn.refine((text) => isAcceptedYear(Number(text.slice(0, 4))), {
  error: `must be in the years ${acceptedYears.min} to ${acceptedYears.max}`,
});

/** An output date-time: ISO 8601 in UTC, always with milliseconds and `Z`. */
export const dateTimeOut = z.iso.datetime({ precision: 3 }).meta({
  description: 'ISO 8601 in UTC, always with milliseconds and `Z`.',
  examples: ['2026-08-26T14:03:00.000Z'],
});

/** Formats an instant as every response and webhook does: ISO 8601 UTC with milliseconds and `Z`. */
export function formatDateTime(instant: Date): string {
  return instant.toISOString();
}

/** Formats an instant like {@link formatDateTime}; null stays null. */
export function formatOptionalDateTime(instant: Date | null): string | null {
  return instant === null ? null : formatDateTime(instant);
}

function isAcceptedYear(year: number): boolean {
  return year >= acceptedYears.min && year <= acceptedYears.max;
}
