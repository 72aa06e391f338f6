/** Returns the first `limit` of at most `limit + 1` rows, and the id after which the others follow; null without others. */
export function pageById<Row extends { readonly id: string }>(rows: readonly Row[], limit: number) {
  const page = rows.slice(0, limit);
  return { page, nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
}
