import { DELIVERY_STATES } from '@partner/proto-contracts/resources/delivery/delivery';
import type { DeliveryState } from '../../api/deliveries.js';
import type { DeliveryFilter } from '../../paths.js';

/** What the list is narrowed to, apart from the subscription. */
export interface ListFilter {
  readonly status?: DeliveryState;
  readonly event?: string;
  readonly resourceId?: string;
  readonly from?: string;
  readonly to?: string;
}

/** The filter in the address of the page; what means nothing is left out. */
export function filterOf(query: URLSearchParams): ListFilter {
  const status = DELIVERY_STATES.find((state) => state === query.get('status'));
  const text = (name: keyof DeliveryFilter) => {
    const value = query.get(name)?.trim() ?? '';
    return value === '' ? {} : { [name]: value };
  };
  const time = (name: keyof DeliveryFilter) => {
    const at = Date.parse(query.get(name) ?? '');
    return Number.isNaN(at) ? {} : { [name]: new Date(at).toISOString() };
  };
  return {
    ...(status === undefined ? {} : { status }),
    ...text('event'),
    ...text('resourceId'),
    ...time('from'),
    ...time('to'),
  };
}

/** Whether a filter leaves something out. */
export function isNarrowed(filter: ListFilter): boolean {
  return Object.keys(filter).length > 0;
}

/** Whether its time span is none. */
export function isSpanWrong({ from, to }: ListFilter): boolean {
  return from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to);
}

/**
 * The query of the list while it is held still: only what was there when its newest entry was, however many come. Of what came
 * since, the other query asks; there is none when the filter lets nothing newer through.
 */
export function heldQueries(
  filter: ListFilter,
  newestCreatedAt: string,
): { readonly list: ListFilter; readonly since: ListFilter | undefined } {
  const anchor = new Date(Date.parse(newestCreatedAt) + 1).toISOString();
  const isPast = filter.to !== undefined && Date.parse(filter.to) <= Date.parse(anchor);
  if (isPast) return { list: filter, since: undefined };
  return { list: { ...filter, to: anchor }, since: { ...filter, from: anchor } };
}
