/** A row of a page from {@link pageWithScanEnd}: without an id if the page is empty. */
export type PageRow<Row extends { readonly id: string }> =
  | (Row & { readonly scanEnd: string | null })
  | { readonly id: null; readonly scanEnd: string | null };

/**
 * Builds the statement of a page that scans a bounded number of rows, with the end of its scan.
 *
 * Both come from one snapshot: two statements could skip rows that are committed or moved between them. `page` selects up to
 * `maxRows` of the first `maxScanned` rows of `scanned`, newest first by `id`. The end is computed only if it `isNeeded` and
 * the page is not full.
 */
export function pageWithScanEnd(of: {
  readonly page: string;
  readonly scanned: string;
  readonly isNeeded: string;
  readonly maxScanned: string;
  readonly maxRows: string;
}): string {
  return `
  with page as materialized (${of.page})
  select page.*, case when ${of.isNeeded} and (select count(*) from page) < ${of.maxRows}::integer then
    (select scanned.id from (${of.scanned} offset ${of.maxScanned}::integer - 1 limit 1) scanned)
  end as "scanEnd"
  from (select 1) as always left join page on true
  order by page.id desc`;
}

/** Returns the page and where the next one starts. `rows` has one more than `limit` if older ones follow. */
export function pageOf<Row extends { readonly id: string }>(
  rows: readonly PageRow<Row>[],
  limit: number,
): { readonly rows: readonly Row[]; readonly nextBeforeId: string | undefined } {
  const found = rows.flatMap((row) => (isFound(row) ? [row] : []));
  const page = found.slice(0, limit);
  const nextBeforeId = found.length > limit ? page.at(-1)?.id : rows[0]?.scanEnd;
  return { rows: page, nextBeforeId: nextBeforeId ?? undefined };
}

function isFound<Row extends { readonly id: string }>(
  row: PageRow<Row>,
): row is Row & { readonly scanEnd: string | null } {
  return row.id !== null;
}
