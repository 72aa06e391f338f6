import type { Logger } from '@partner/kernel/telemetry/logger';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { Database, TransactionLimits } from '../database/database.js';
import { noticeToPerson } from './queue-notices.js';
import type { MembershipOfCompany } from './get-owner.js';

/**
 * Runs work that needs a code, and records a wrong one in the audit trail. If the second factor is enabled, the client has sent the right
 * password before, so the person gets an email too. The work's transaction is rolled back by then, so this is a second one; if that
 * fails, the code stays refused.
 */
export async function recordRefusedCode<Result>(
  deps: { readonly database: Pick<Database, 'transaction'>; readonly logger: Pick<Logger, 'warn'> },
  { companyId, membershipId, actor }: MembershipOfCompany & { readonly actor: Actor | undefined },
  {
    during,
    limits,
  }: {
    readonly during: 'sign_in' | 'enable' | 'disable' | 'recovery_codes';
    readonly limits: TransactionLimits;
  },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'second_factor_wrong') {
      await record().catch((failure: unknown) => {
        deps.logger.warn({ err: failure, companyId, membershipId }, 'second_factor.refusal_not_recorded');
      });
    }
    throw error;
  }

  async function record(): Promise<void> {
    await deps.database.transaction(
      async (tx) => {
        const [factor] = await tx.query<{ displayName: string; isEnabled: boolean }>(
          `select m.display_name as "displayName", f.enabled_at is not null as "isEnabled"
           from second_factors f join memberships m on m.id = f.membership_id where m.id = $1 and m.company_id = $2`,
          [membershipId, companyId],
        );
        if (factor === undefined) return;
        const { displayName, isEnabled } = factor;
        await recordAudit(tx, {
          companyId,
          actor,
          action: 'owner.code_refused',
          subject: { type: 'owner', id: membershipId },
          details: { displayName, during },
        });
        if (!isEnabled) return;
        await noticeToPerson(tx, { companyId, subjectId: membershipId, kind: 'second_factor_wrong', actor });
      },
      { ...limits, companyId },
    );
  }
}
