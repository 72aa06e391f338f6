import { z } from 'zod';

/** The `limit` of a list's query: decimal digits and nothing else, from 1 to the list's greatest page. */
export function pageLimit(pageSize: { readonly default: number; readonly max: number }) {
  const expectation = `must be an integer from 1 to ${pageSize.max}`;
  return z
    .string({ error: expectation })
    .regex(/^\d+$/, expectation)
    .transform(Number)
    .pipe(z.int(expectation).min(1, expectation).max(pageSize.max, expectation))
    .default(pageSize.default);
}
