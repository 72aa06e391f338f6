import { z } from 'zod';
import type { FieldViolation } from '@partner/kernel/service-error';

/**
 * A violation for each parameter that differs from a known one by case or by a bracket suffix alone, such as `Limit` and
 * `limit[]`: ignored like any other unknown one, it would silently give another answer than the caller asked for.
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
