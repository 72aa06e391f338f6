import { invariant } from '@partner/kernel/invariant';
import { idFloor, type IdPrefix, instantOfId } from '@partner/kernel/ids';

export const DAY_MS = 24 * 3_600_000;

/** By what the rows of a table are told apart in time: an instant, or the instant inside of an id. */
export type PartitionKey =
  | { readonly kind: 'instant'; readonly column: string }
  | { readonly kind: 'id'; readonly column: string; readonly prefix: IdPrefix };

/** A table that is partitioned by range of time and has a default partition `<name>_default`. */
export interface PartitionedTable {
  readonly name: string;
  readonly key: PartitionKey;
  /** Days that one partition holds. */
  readonly widthDays: 7 | 30;
  /** How many days after now the keys of new rows can be. */
  readonly aheadDays: number;
}

/** From an instant on, up to another one that is no part of it. */
export interface TimeRange {
  readonly from: Date;
  readonly to: Date;
}

/** Weeks begin on Mondays, 00:00 UTC; the first one after the beginning of all instants did on January 5th, 1970. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/**
 * The bound of an instant among the keys of a table, as text: no key that was made before it sorts at or after it, and none
 * that was made later sorts before it.
 */
export function partitionBound(key: PartitionKey, instant: Date): string {
  return key.kind === 'instant' ? instant.toISOString() : idFloor(key.prefix, instant);
}

/** The instant of a bound that {@link partitionBound} made, or of a whole id; undefined when the text is neither. */
export function instantOfKey(key: PartitionKey, text: string): Date | undefined {
  if (key.kind === 'id') return instantOfId(key.prefix, text);
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}

/** The partition that an instant belongs into: whole weeks from Monday on, or 30 days counted from January 1st, 1970. */
export function partitionRange(table: Pick<PartitionedTable, 'widthDays'>, instant: Date): TimeRange {
  const widthMs = table.widthDays * DAY_MS;
  const firstMs = table.widthDays === 7 ? FIRST_MONDAY_MS : 0;
  const from = Math.floor((instant.getTime() - firstMs) / widthMs) * widthMs + firstMs;
  return { from: new Date(from), to: new Date(from + widthMs) };
}

/** The partitions from an instant to another one, both included. */
export function partitionRanges(
  table: Pick<PartitionedTable, 'widthDays'>,
  { from, to }: TimeRange,
): readonly TimeRange[] {
  const ranges: TimeRange[] = [];
  for (let at = from; ;) {
    const range = partitionRange(table, at);
    invariant(range.to > at, 'a partition has a width');
    ranges.push(range);
    if (range.to > to) return ranges;
    at = range.to;
  }
}

/** `<table>_p<yyyymmdd>`, with the day on which the partition begins. */
export function partitionName(table: Pick<PartitionedTable, 'name'>, { from }: TimeRange): string {
  return `${table.name}_p${from.toISOString().slice(0, 10).replaceAll('-', '')}`;
}
