import { type AfterCommit, commitTopic } from '../database/after-commit.js';

const changes = commitTopic<{ readonly companyId: string; readonly subscriptionIds: readonly string[] }>();

/**
 * Sends viewers of the company's webhooks a live update after the commit: these subscriptions or their deliveries changed.
 *
 * An empty list sends nothing.
 */
export function sendLiveUpdate(tx: AfterCommit, companyId: string, subscriptionIds: readonly string[]): void {
  if (subscriptionIds.length > 0) changes.tell(tx, { companyId, subscriptionIds });
}

/** Adds a listener, which each transaction calls once for each company. It must neither throw nor block. */
export function onLiveUpdate(
  database: Pick<AfterCommit, 'hooks'>,
  send: (companyId: string, subscriptionIds: readonly string[]) => void,
): void {
  changes.listen(database, (all) => {
    const companies = new Map<string, Set<string>>();
    for (const { companyId, subscriptionIds } of all) {
      companies.set(companyId, new Set([...(companies.get(companyId) ?? []), ...subscriptionIds]));
    }
    for (const [companyId, ids] of companies) send(companyId, [...ids]);
  });
}
