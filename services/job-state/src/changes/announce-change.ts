import { type AfterCommit, commitTopic } from '../database/after-commit.js';

const changes = commitTopic<{ readonly companyId: string; readonly subscriptionIds: readonly string[] }>();

/**
 * Announces to viewers of the company's webhooks, after the commit, that these subscriptions or their deliveries changed.
 *
 * An empty list announces nothing.
 */
export function announceAfterCommit(
  tx: AfterCommit,
  companyId: string,
  subscriptionIds: readonly string[],
): void {
  if (subscriptionIds.length > 0) changes.tell(tx, { companyId, subscriptionIds });
}

/** Adds a listener, which each transaction calls once for each company. It must neither throw nor block. */
export function onAnnounced(
  database: Pick<AfterCommit, 'hooks'>,
  announce: (companyId: string, subscriptionIds: readonly string[]) => void,
): void {
  changes.listen(database, (all) => {
    const companies = new Map<string, Set<string>>();
    for (const { companyId, subscriptionIds } of all) {
      companies.set(companyId, new Set([...(companies.get(companyId) ?? []), ...subscriptionIds]));
    }
    for (const [companyId, ids] of companies) announce(companyId, [...ids]);
  });
}
