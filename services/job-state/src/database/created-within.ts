import { type IdPrefix, idFloor } from '@partner/kernel/process/ids';

/** Maximum difference between the time in an id and `created_at` of its row, in milliseconds: longer than any transaction. */
const MAX_DIFFERENCE_MS = 60_000;

/** A span of creation times: from `from` on, before `to`; undefined: no bound. */
export interface CreationSpan {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/**
 * Returns the range of ids that rows created within the span can have: from `lowest` on, before `beyond`.
 *
 * The range is a little wider than the span, so `created_at` must be compared too. It makes the indexes and partitions of the
 * ids usable.
 */
export function idsCreatedWithin(prefix: IdPrefix, { from, to }: CreationSpan) {
  return {
    lowest: from === undefined ? `${prefix}_` : floorAround(prefix, from, -MAX_DIFFERENCE_MS),
    beyond: to === undefined ? `${prefix}_z` : floorAround(prefix, to, MAX_DIFFERENCE_MS),
  };
}

function floorAround(prefix: IdPrefix, instant: Date, ms: number): string {
  return idFloor(prefix, new Date(Math.max(0, instant.getTime() + ms)));
}
