import { KeyRevokedSchema } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { ACCESS_BROADCAST } from '@partner/proto-contracts/topology';
import type { Logger } from '@partner/runtime/logger';
import { notFound } from '@partner/runtime/service-error';
import type { Database } from '../database/database.js';
import { enqueueMessage } from '../outbox/enqueue-message.js';

/**
 * Ends a key of a company for good. The same transaction enqueues the broadcast that makes every gateway replica forget it;
 * repeating it keeps the first time and broadcasts again. Throws `not_found` for another company's key.
 */
export async function revokeKey(
  deps: {
    readonly database: Pick<Database, 'transaction'>;
    readonly clock: () => Date;
    readonly logger: Logger;
  },
  command: {
    readonly companyId: string;
    readonly keyId: string;
    /** For how many milliseconds the caller still waits. */
    readonly timeoutMs: number | undefined;
  },
): Promise<void> {
  const { companyId, keyId, timeoutMs } = command;
  await deps.database.transaction(
    async (tx) => {
      const revoked = await tx.query(
        'update api_keys set revoked_at = coalesce(revoked_at, $3) where id = $1 and company_id = $2 returning id',
        [keyId, companyId, deps.clock()],
      );
      if (revoked.length === 0) throw notFound('key');
      await enqueueMessage(tx, { exchange: ACCESS_BROADCAST, schema: KeyRevokedSchema, message: { keyId } });
    },
    { companyId, timeoutMs },
  );
  deps.logger.info({ companyId, keyId }, 'key.revoked');
}
