import { invariant } from '@partner/kernel/process/invariant';
import type { Logger } from '@partner/kernel/telemetry/logger';
import type { AuditAction } from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { recordAudit } from '../../audit/record-audit.js';
import type { Database, Transaction, TransactionLimits } from '../../database/database.js';
import { lockSubscription, type OwnersSubscription } from './get-subscription.js';
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-resource.js';
import { announceAfterCommit } from '../../changes/announce-change.js';

export interface ChangeDeps {
  readonly database: Pick<Database, 'transaction'>;
  readonly logger: Pick<Logger, 'info'>;
  readonly clock: () => Date;
}

/** What a change made of a subscription. Without `details` it changed nothing, and nothing is recorded. */
interface Changed<Result> {
  readonly result: Result;
  /** For the audit trail: visible to every owner. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Additional fields of the log line. */
  readonly logged?: Readonly<Record<string, unknown>>;
}

/**
 * Changes a subscription in one transaction under its lock, with an entry in the audit trail and a live update, and logs it after the
 * commit.
 *
 * Fails with `not_found` for a subscription that the company does not have.
 */
export async function changeSubscription<Result>(
  deps: Pick<ChangeDeps, 'database' | 'logger'>,
  { companyId, subscriptionId, actor }: OwnersSubscription,
  limits: TransactionLimits,
  [action, line]: readonly [AuditAction, string],
  change: (tx: Transaction, before: SubscriptionRow) => Promise<Changed<Result>>,
): Promise<Result> {
  const { result, details, logged } = await deps.database.transaction(async (tx) => {
    const changed = await change(tx, await lockSubscription(tx, { companyId, subscriptionId }));
    if (changed.details === undefined) return changed;
    await recordAudit(tx, {
      companyId,
      actor,
      action,
      subject: { type: 'webhook', id: subscriptionId },
      details: changed.details,
    });
    announceAfterCommit(tx, companyId, [subscriptionId]);
    return changed;
  }, limits);
  if (details !== undefined) {
    const { membershipId } = actor;
    deps.logger.info({ subscriptionId, companyId, membershipId, ...logged }, line);
  }
  return result;
}

/** Sets columns of a locked subscription `s`, whose id is $1, and returns it. `values` are those from $2 on. */
export async function setColumns(
  tx: Transaction,
  subscriptionId: string,
  assignments: string,
  values: readonly unknown[],
): Promise<SubscriptionRow> {
  const [row] = await tx.query<SubscriptionRow>(
    `update subscriptions s set ${assignments} where s.id = $1 returning ${SUBSCRIPTION_COLUMNS}`,
    [subscriptionId, ...values],
  );
  invariant(row, 'the locked row exists');
  return row;
}
