import { invariant } from '@partner/kernel/process/invariant';
import type { Logger } from '@partner/kernel/telemetry/logger';
import type { AuditAction } from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { type AuditedChange, recordAudit } from '../../audit/record-audit.js';
import type { Database, Transaction } from '../../database/database.js';
import { type Caller, lockSubscription, type OwnersSubscription } from './get-subscription.js';
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-resource.js';
import { sendLiveUpdate } from '../../live-updates/send-live-update.js';

export interface ChangeDeps {
  readonly database: Pick<Database, 'transaction'>;
  readonly logger: Pick<Logger, 'info'>;
  readonly clock: () => Date;
}

interface RecordedChange {
  readonly subscriptionId: string;
  readonly action: AuditAction;
  readonly subject: AuditedChange['subject'];
  /** For the audit trail: visible to every owner. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly line: string;
  /** Additional fields of the log line. */
  readonly logged?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Changes a company's webhooks in one transaction, with an entry in the audit trail and a live update, and logs it after the
 * commit. A change without `recorded` did nothing.
 */
export async function recordChange<Result>(
  { database, logger }: Pick<ChangeDeps, 'database' | 'logger'>,
  { companyId, actor, timeoutMs }: Caller,
  change: (
    tx: Transaction,
  ) => Promise<{ readonly result: Result; readonly recorded?: RecordedChange | undefined }>,
): Promise<Result> {
  const { result, recorded } = await database.transaction(
    async (tx) => {
      const changed = await change(tx);
      if (changed.recorded === undefined) return changed;
      const { subscriptionId, action, subject, details } = changed.recorded;
      await recordAudit(tx, { companyId, actor, action, subject, details });
      sendLiveUpdate(tx, companyId, [subscriptionId]);
      return changed;
    },
    { companyId, timeoutMs: timeoutMs() },
  );
  if (recorded !== undefined) {
    const { subscriptionId, line, logged } = recorded;
    logger.info({ subscriptionId, companyId, membershipId: actor.membershipId, ...logged }, line);
  }
  return result;
}

/**
 * Changes a subscription under its lock: {@link recordChange}. A change without `details` did nothing.
 *
 * Fails with `not_found` for a subscription that the company does not have.
 */
export function changeSubscription<Result>(
  deps: Pick<ChangeDeps, 'database' | 'logger'>,
  of: OwnersSubscription,
  [action, line]: readonly [AuditAction, string],
  change: (
    tx: Transaction,
    before: SubscriptionRow,
  ) => Promise<{ readonly result: Result } & Partial<Pick<RecordedChange, 'details' | 'logged'>>>,
): Promise<Result> {
  const { subscriptionId } = of;
  const subject = { type: 'webhook', id: subscriptionId } as const;
  return recordChange(deps, of, async (tx) => {
    const { result, details, logged } = await change(tx, await lockSubscription(tx, of));
    return { result, recorded: details && { subscriptionId, action, subject, details, line, logged } };
  });
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
