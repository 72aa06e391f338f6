import { type IdPrefix, idFloor } from '@partner/kernel/ids';

/** How far the time in an id and `created_at` of its row can be apart, in milliseconds: a transaction is shorter. */
const APART_MS = 60_000;

/** A span of creation: from `from` on, before `to`; undefined: without bound. */
export interface CreationSpan {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/**
 * The ids that rows created within the span can have: from `lowest` on, before `beyond`. It is a little wider than the span, so
 * `created_at` has to be compared too; but it lets the indexes and partitions of the ids be used.
 */
export function idsCreatedWithin(prefix: IdPrefix, { from, to }: CreationSpan) {
  return {
    lowest: from === undefined ? `${prefix}_` : floorAround(prefix, from, -APART_MS),
    beyond: to === undefined ? `${prefix}_z` : floorAround(prefix, to, APART_MS),
  };
}

function floorAround(prefix: IdPrefix, instant: Date, ms: number): string {
  return idFloor(prefix, new Date(Math.max(0, instant.getTime() + ms)));
}
