import { invariant } from '@partner/kernel/process/invariant';
import { idFloor, instantOfId } from '@partner/kernel/process/ids';
import type { PartitionKey } from '../database/table.js';
import { TABLES } from '../database/tables.js';

export const DAY_MS = 24 * 3_600_000;

/** A table partitioned by range of time, with a default partition `<name>_default`. */
export interface PartitionedTable {
  readonly name: string;
  readonly key: PartitionKey;
  readonly widthDays: 7 | 15 | 30;
  /** Maximum number of days between now and the keys of new rows. */
  readonly aheadDays: number;
}

export type RetainedTable = ReturnType<typeof retainedTables>[number];

/** The archives, with a partition for each 30 days. */
export function archiveTables(): readonly PartitionedTable[] {
  return TABLES.flatMap(({ name, deleted }) =>
    typeof deleted === 'object' && 'archivedBy' in deleted
      ? [{ name, key: { kind: 'instant', column: deleted.archivedBy }, widthDays: 30, aheadDays: 0 }]
      : [],
  );
}

/** The partitioned tables in the order in which their partitions are dropped. */
export function retainedTables() {
  return TABLES.flatMap(({ name, deleted }) => {
    if (typeof deleted === 'string' || !('partitionedBy' in deleted)) return [];
    const { partitionedBy: key, widthDays, aheadDays = 0 } = deleted;
    return [{ name, key, widthDays, aheadDays, deleted }];
  }).toReversed();
}

/** A span from an instant to another one, exclusive. */
export interface TimeRange {
  readonly from: Date;
  readonly to: Date;
}

/** Weeks begin on Mondays, 00:00 UTC; the first one after the epoch did on January 5th, 1970. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/**
 * Returns the bound of an instant among the keys of a table, as text.
 *
 * No key that was created before the instant sorts at or after it, and no later one sorts before it.
 */
export function partitionBound(key: PartitionKey, instant: Date): string {
  return key.kind === 'instant' ? instant.toISOString() : idFloor(key.prefix, instant);
}

/** The instant of a bound that {@link partitionBound} created, or of a whole id; undefined for other texts. */
export function instantOfKey(key: PartitionKey, text: string): Date | undefined {
  if (key.kind === 'id') return instantOfId(key.prefix, text);
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}

/** The partition of an instant: whole weeks from Monday on, or 30 days counted from January 1st, 1970. */
function partitionRange(table: Pick<PartitionedTable, 'widthDays'>, instant: Date): TimeRange {
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

/** `<table>_p<yyyymmdd>`, with the first day of the partition. */
export function partitionName(table: Pick<PartitionedTable, 'name'>, { from }: TimeRange): string {
  return `${table.name}_p${from.toISOString().slice(0, 10).replaceAll('-', '')}`;
}

export function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}
