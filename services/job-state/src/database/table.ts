import type { IdPrefix } from '@partner/kernel/process/ids';

/** Minimum retention of data that partners can read, in days. */
export interface RetentionSettings {
  /** Finished deliveries, all attempts, and their statistics. */
  readonly deliveriesDays: number;
  readonly feedDays: number;
  /** How long a closed job stays unchanged before it moves to the archive. */
  readonly closedJobsDays: number;
}

export const NEVER = 'never';

export const ofDeliveries = ({ deliveriesDays }: RetentionSettings) => deliveriesDays;

/** The time of a table's rows: an instant, or the instant inside an id. */
export type PartitionKey =
  | { readonly kind: 'instant'; readonly column: string }
  | { readonly kind: 'id'; readonly column: string; readonly prefix: IdPrefix };

/** Conditions name their parameters in braces; `{before}` is `afterDays` ago, and `t` a row. */
interface Deletion {
  readonly afterDays: number | ((settings: RetentionSettings) => number);
  /** Which rows are deleted in batches. */
  readonly rowsIf?: string;
}

/** Partitions of months to which rows move from the partition of those that did not, `<name>_open`. They are never dropped. */
interface Archive {
  readonly archivedBy: 'archived_at';
}

/**
 * A table with partitions by range of time, which are dropped as a whole, `afterDays` after their end, and a default partition
 * `<name>_default`. `rowsIf` is about that one, and `{bound}` the bound of `{before}` among its keys; without it such rows stay.
 */
export interface PartitionDeletion extends Deletion {
  readonly partitionedBy: PartitionKey;
  readonly widthDays: 7 | 15 | 30;
  /** Maximum number of days between now and the keys of new rows; absent: 0. */
  readonly aheadDays?: number;
  /** A partition stays while this holds. `{partition}` is its name, `{from}` and `{to}` are the bounds of its keys. */
  readonly unless?: string;
}

export interface RowDeletion extends Deletion {
  readonly rowsIf: string;
  /** Rows of one batch; absent: 5,000. */
  readonly batchRows?: number;
}

/** What an erasure makes of a value that is not null. */
export type ErasedAs =
  /** A text that says that it was erased; an empty text; null; no bytes; the id of the row, where a value is unique. */
  | ('erased' | 'empty' | 'null' | 'no bytes' | 'id')
  /** The URL of a deleted subscription; the name of an actor, unless it is an operator's. */
  | ('url' | 'actor name')
  /** The same document without the personal data in it. */
  | ('customer' | 'job' | 'outcome' | 'envelope' | 'message' | 'details');

export type ErasedColumns = Readonly<Record<string, ErasedAs>>;

/** The columns of a unique key with their types, in their order. */
export type RowKey = Readonly<Record<string, string>>;

/** The rows of a table that concern a customer. */
interface CustomerRows {
  /**
   * Condition on the row `t`. `{jobs}` and the like stand for arrays of ids, see `CustomerIds`.
   *
   * With `scanned` it only limits what is read, page by page along the key, and `scanned` selects among it. Such a table is read
   * company by company (`{company}`), so its key begins with the company.
   */
  readonly where: string;
  readonly scanned?: string;
  readonly key: RowKey;
  readonly personal: ErasedColumns;
}

/** The rows of a table that only one company can read. */
export interface CompanyRows {
  /** Condition on the row `t` that an index on the company serves; absent: the whole table is scanned. */
  readonly where?: string;
  /** Selects among the rows; `{company}` is its id. */
  readonly scanned?: string;
  readonly erased: ErasedColumns;
}

export interface Table {
  readonly name: string;
  /** A text: when the code that owns the table deletes a row. */
  readonly deleted: string | PartitionDeletion | RowDeletion | Archive;
  /** Columns of text, JSON or bytes without personal data of customers: ids, codes, texts of a company's own staff, secrets. */
  readonly plain: string;
  /** Absent: it holds nothing about customers. */
  readonly customer?: CustomerRows;
  /** Absent: it holds nothing of a company but ids, settings and counts, or what is deleted with its access. */
  readonly company?: CompanyRows;
  /** Rows that another company can read too: an erasure of the company erases these columns, and no export has them. */
  readonly shared?: readonly CompanyRows[];
}
