import { DELIVERY_STATES } from '@partner/proto-contracts/resources/delivery/delivery';
import type { DeliveryState } from '../../api/hooks.js';
import type { DeliveryFilter } from '../../paths.js';

/** Filters of the list besides the subscription. */
export interface ListFilter {
  readonly status?: DeliveryState;
  readonly event?: string;
  readonly search?: string;
  readonly from?: string;
  readonly to?: string;
  /** Numbers of events at the webhook, in decimal digits; only with a webhook. */
  readonly fromNumber?: string;
  readonly toNumber?: string;
}

/** Parses the filter from the page's address; ignores invalid values. */
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
  const number = (name: keyof DeliveryFilter) => {
    const value = query.has('webhook') ? (query.get(name) ?? '') : '';
    return isEventNumber(value) ? { [name]: value } : {};
  };
  return {
    ...(status === undefined ? {} : { status }),
    ...text('event'),
    ...text('search'),
    ...time('from'),
    ...time('to'),
    ...number('fromNumber'),
    ...number('toNumber'),
  };
}

/** Whether a text is a number that an event can have. */
export function isEventNumber(text: string): boolean {
  return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text));
}

/** Whether its span of numbers is empty. */
export function areNumbersWrong({ fromNumber, toNumber }: ListFilter): boolean {
  return fromNumber !== undefined && toNumber !== undefined && Number(fromNumber) > Number(toNumber);
}

/** Whether a filter is set. */
export function isNarrowed(filter: ListFilter): boolean {
  return Object.keys(filter).length > 0;
}

/** Whether its time span is empty. */
export function isSpanWrong({ from, to }: ListFilter): boolean {
  return from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to);
}

/**
 * Returns the queries of a held list: one for deliveries up to its newest entry, and one for newer ones. The second is undefined if
 * the filter excludes newer ones.
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
