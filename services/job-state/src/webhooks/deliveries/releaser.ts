import { type AfterCommit, commitTopic } from '../../database/after-commit.js';
import type { LeaseLimits } from './claim-rule.js';
import type { LeasedDelivery } from './leased-delivery.js';

/** Publishes commands for leased deliveries. */
export interface Releaser {
  /** Undefined while deliveries must wait for the scheduler. */
  leaseLimits(): LeaseLimits | undefined;
  /** It must neither throw nor block. */
  release(deliveries: readonly LeasedDelivery[]): void;
}

/** Subscriptions whose deliveries wait for the scheduler. Without any: unknown ones. */
export const deliveriesWaiting = commitTopic<string>();

export const slotsFreed = commitTopic<never>();

const leased = commitTopic<LeasedDelivery>();
const releasers = new WeakMap<object, Releaser>();

/** Sets the releaser of deliveries that transactions of the database lease: all of a transaction together, after its commit. */
export function setReleaser(database: Pick<AfterCommit, 'hooks'>, releaser: Releaser): void {
  releasers.set(database.hooks, releaser);
  leased.listen(database, (deliveries) => releaser.release(deliveries));
}

/** Bounds of the leases of deliveries that the transaction queues; undefined: the scheduler leases them. */
export function leaseLimitsOf({ hooks }: Pick<AfterCommit, 'hooks'>): LeaseLimits | undefined {
  return releasers.get(hooks)?.leaseLimits();
}

export function releaseAfterCommit(tx: AfterCommit, deliveries: readonly LeasedDelivery[]): void {
  if (deliveries.length > 0) leased.tell(tx, ...deliveries);
}
