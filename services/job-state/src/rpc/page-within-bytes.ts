import { MAX_MESSAGE_BYTES } from '@partner/kernel/amqp/message-size';

/** Room for the other fields of a response and its rows. */
const FRAME_BYTES = 64 * 1_024;

/** Maximum size of the texts of a page, which make up nearly all of its response. */
export const PAGE_BYTES = MAX_MESSAGE_BYTES - FRAME_BYTES;

/**
 * SQL for the size of a text column in all rows before this one.
 *
 * A query for the rows where it is at most {@link PAGE_BYTES} reads one page and at most one more row. Postgres returns the size of
 * a text without reading it.
 */
export function bytesBefore(column: string, order: string): string {
  return `sum(octet_length(${column})) over (order by ${order} rows unbounded preceding) - octet_length(${column})`;
}

/**
 * Cuts rows to a page of at most `limit` rows and {@link PAGE_BYTES}.
 *
 * A page has at least one row, so that a reader always proceeds. `rows` has one more than the page if others follow.
 */
export function pageWithinBytes<Row>(
  rows: readonly Row[],
  limit: number,
  textOf: (row: Row) => string,
): { readonly page: readonly Row[]; readonly hasMore: boolean } {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += Buffer.byteLength(textOf(row));
    return index === limit || (index > 0 && bytes > PAGE_BYTES);
  });
  return { page: end === -1 ? rows : rows.slice(0, end), hasMore: end !== -1 };
}
