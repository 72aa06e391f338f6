import { z } from 'zod';
import type { FieldViolation } from '@partner/kernel/process/service-error';

/**
 * Returns a violation for each parameter that differs from a known one only in case or by a bracket suffix, such as
 * `Limit` and `limit[]`. Ignoring it would silently return another result than the caller wants.
 */
export function misspelledNames(
  query: z.ZodType | undefined,
  given: Readonly<Record<string, unknown>>,
): readonly FieldViolation[] {
  if (!(query instanceof z.ZodObject)) return [];
  const known = Object.keys(query.shape);
  const spellings = new Map(known.map((name) => [name.toLowerCase(), name]));
  return Object.keys(given).flatMap((name) => {
    const meant = spellings.get(name.replace(/\[.*$/s, '').toLowerCase());
    return meant === undefined || meant === name ? [] : [{ path: name, message: `must be written ${meant}` }];
  });
}
