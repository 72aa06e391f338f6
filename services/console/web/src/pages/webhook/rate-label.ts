import { formatCountOf } from '../../format.js';

/** Says how fast deliveries to a webhook start at most. */
export function rateLabel(deliveriesPerSecond: number | null): string {
  return deliveriesPerSecond === null
    ? 'As fast as your server responds'
    : `At most ${formatCountOf(deliveriesPerSecond, 'delivery', 'deliveries')} per second`;
}
