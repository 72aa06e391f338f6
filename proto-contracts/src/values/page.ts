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

export const pageCursor = z
  .string()
  .max(200)
  .optional()
  .meta({ description: 'The `nextCursor` of an earlier response.' });

/** The query of a list of the console. */
export const pageQuery = z.object({ cursor: pageCursor, limit: pageLimit({ default: 50, max: 100 }) });

const OLDER = 'Send it as `cursor` for older ones; null when there are none.';

/** The `nextCursor` of a list with the newest first. */
export const olderCursor = z.string().nullable().meta({ description: OLDER });

/** The `nextCursor` of such a list with a filter. */
export const filteredCursor = olderCursor.meta({
  description: `${OLDER} With a filter, a page can hold fewer than \`limit\`, even none, and still have one: continue until it is null.`,
});
