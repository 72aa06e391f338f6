import type { Database, Transaction } from '../../database/database.js';
import type { LeaseLimits } from './claim-rule.js';
import type { LeasedDelivery } from './leased-delivery.js';

/** Publishes commands for leased deliveries. */
export interface Releaser {
  /** Undefined while deliveries must wait for the scheduler. */
  leaseLimits(): LeaseLimits | undefined;
  /** It must neither throw nor block. */
  release(deliveries: readonly LeasedDelivery[]): void;
}

const releasers = new WeakMap<object, Releaser>();
const leased = new WeakMap<object, LeasedDelivery[]>();

/** Sets the releaser of deliveries that transactions of the database lease. */
export function setReleaser({ hooks }: Pick<Database, 'hooks'>, releaser: Releaser): void {
  releasers.set(hooks, releaser);
}

/** Bounds of the leases of deliveries that the transaction queues; undefined: the scheduler leases them. */
export function leaseLimitsOf({ hooks }: Pick<Transaction, 'hooks'>): LeaseLimits | undefined {
  return releasers.get(hooks)?.leaseLimits();
}

/** Publishes commands for deliveries that the transaction has leased, all together after its commit. */
export function releaseAfterCommit(
  tx: Pick<Transaction, 'hooks' | 'afterCommit'>,
  deliveries: readonly LeasedDelivery[],
): void {
  if (deliveries.length === 0) return;
  const known = leased.get(tx);
  if (known !== undefined) {
    known.push(...deliveries);
    return;
  }
  const all = [...deliveries];
  leased.set(tx, all);
  tx.afterCommit(() => releasers.get(tx.hooks)?.release(all));
}
