import { z } from 'zod';

/** A date-time that comes in: ISO 8601 in UTC with a `Z` suffix, with seconds or fractions. */
export const dateTimeIn = z.iso
  .datetime({
    // One that is missing is told like any other field.
    error: ({ input }) =>
      input === undefined
        ? undefined
        : 'must be an ISO 8601 date-time in UTC with a Z suffix, e.g. 2026-08-26T14:03:00Z',
  })
  .meta({
    description: 'ISO 8601 in UTC with a `Z` suffix, with seconds or fractions of a second.',
    examples: ['2026-08-26T14:03:00Z'],
  });

/** A date-time that goes out: ISO 8601 in UTC, always with milliseconds and `Z`. */
export const dateTimeOut = z.iso.datetime({ precision: 3 }).meta({
  description: 'ISO 8601 in UTC, always with milliseconds and `Z`.',
  examples: ['2026-08-26T14:03:00.000Z'],
});

/** Writes an instant the way every answer and webhook shows it: ISO 8601 UTC with milliseconds and `Z`. */
export function formatDateTime(instant: Date): string {
  return instant.toISOString();
}
