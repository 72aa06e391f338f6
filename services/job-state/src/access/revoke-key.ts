import { KeyRevokedSchema } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { ACCESS_BROADCAST } from '@partner/proto-contracts/topology';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { notFound } from '@partner/kernel/process/service-error';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { Database } from '../database/database.js';
import { enqueueMessage } from '../outbox/enqueue-message.js';

/**
 * Revokes a key of a company permanently.
 *
 * The same transaction enqueues the broadcast that makes every gateway replica drop it. A repeat keeps the first time and
 * broadcasts again, without another entry in the audit trail. Throws `not_found` for another company's key.
 *
 * Lock: the key.
 */
export async function revokeKey(
  deps: {
    readonly database: Pick<Database, 'transaction'>;
    readonly clock: () => Date;
    readonly logger: Logger;
  },
  command: {
    readonly companyId: string;
    readonly actor: Actor | undefined;
    readonly keyId: string;
    /** Time until the caller's deadline, in ms. */
    readonly timeoutMs: number | undefined;
  },
): Promise<void> {
  const { companyId, actor, keyId, timeoutMs } = command;
  await deps.database.transaction(
    async (tx) => {
      const [key] = await tx.query<{ kind: string; lastFour: string; isRevoked: boolean }>(
        `select kind, last_four as "lastFour", revoked_at is not null as "isRevoked" from api_keys
         where id = $1 and company_id = $2 for no key update`,
        [keyId, companyId],
      );
      if (key === undefined) throw notFound('API key');
      if (!key.isRevoked) {
        await tx.query('update api_keys set revoked_at = $2 where id = $1', [keyId, deps.clock()]);
        await recordAudit(tx, {
          companyId,
          actor,
          action: 'api_key.revoked',
          subject: { type: 'api_key', id: keyId },
          details: { kind: key.kind, lastFour: key.lastFour },
        });
      }
      enqueueMessage(tx, { exchange: ACCESS_BROADCAST, schema: KeyRevokedSchema, message: { keyId } });
    },
    { companyId, timeoutMs },
  );
  deps.logger.info({ companyId, keyId, membershipId: actor?.membershipId }, 'key.revoked');
}
