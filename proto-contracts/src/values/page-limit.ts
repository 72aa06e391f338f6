import { z } from 'zod';

/** The `limit` of a list's query: decimal digits only, from 1 to the list's maximum page size. */
export function pageLimit(pageSize: { readonly default: number; readonly max: number }) {
  const expectation = `must be an integer from 1 to ${pageSize.max}`;
  return z
    .string({ error: expectation })
    .regex(/^\d+$/, expectation)
    .transform(Number)
    .pipe(z.int(expectation).min(1, expectation).max(pageSize.max, expectation))
    .default(pageSize.default)
    .meta({
      description: 'Maximum items in one response.',
      // Describes the parsed number: query values are text.
      override: { type: 'integer', minimum: 1, maximum: pageSize.max, default: pageSize.default },
    });
}
