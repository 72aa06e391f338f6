import { KeyRevokedSchema } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { ACCESS_BROADCAST } from '@partner/proto-contracts/topology';
import type { Environment } from '@partner/kernel/security/api-key';
import { invariant } from '@partner/kernel/process/invariant';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { Database, Transaction, TransactionLimits } from '../database/database.js';
import { enqueueMessage } from '../outbox/enqueue-message.js';
import { insertKey, lockCompany, type NewKey } from './insert-key.js';
import { KEY_COLUMNS, type KeyRow, keyState } from './key-resource.js';

const HOUR_MS = 3_600_000;

/** The key to replace. */
export interface KeyToRotate {
  readonly companyId: string;
  readonly actor: Actor | undefined;
  readonly keyId: string;
  /** How long the replaced key stays valid. */
  readonly overlapHours: number;
}

/**
 * Creates a key that replaces another one, with the same kind, bound company and description.
 *
 * The replaced key expires after the overlap, never later than before. Without an overlap its revocation is broadcast, so that
 * gateways drop it. Fails with `not_found` for a key that the company does not have, with `key_not_rotatable` for one that is
 * not in force or was already replaced, and with `key_limit_reached` if both keys exceed the limit.
 *
 * Atomic: both keys, the entry in the audit trail and the broadcast. Locks: the company, then the key.
 */
export async function rotateKey(
  deps: {
    readonly database: Pick<Database, 'transaction'>;
    readonly environment: Environment;
    readonly clock: () => Date;
    readonly logger: Pick<Logger, 'info'>;
  },
  request: KeyToRotate,
  limits: TransactionLimits = {},
): Promise<NewKey & { readonly previous: KeyRow }> {
  const { companyId, actor, keyId, overlapHours } = request;
  const rotated = await deps.database.transaction(
    async (tx) => {
      await lockCompany(tx, companyId);
      const now = deps.clock();
      const { kind, boundCompanyId, description } = await lockRotatable(tx, request, now);
      // Before the new key is counted: without an overlap it replaces this one in the count.
      await tx.query('update api_keys set expires_at = least(expires_at, $2::timestamptz) where id = $1', [
        keyId,
        new Date(now.getTime() + overlapHours * HOUR_MS),
      ]);
      const made = await insertKey(tx, {
        environment: deps.environment,
        companyId,
        kind,
        boundCompanyId,
        description,
        now,
      });
      const [previous] = await tx.query<KeyRow>(
        `with k as (update api_keys set replaced_by = $2 where id = $1 returning *) select ${KEY_COLUMNS} from k`,
        [keyId, made.key.id],
      );
      invariant(previous, 'the locked row exists');
      const { expiresAt } = previous;
      await recordAudit(tx, {
        companyId,
        actor,
        action: 'api_key.rotated',
        subject: { type: 'api_key', id: keyId },
        details: { replacedBy: made.key.id, lastFour: made.key.lastFour, overlapHours, expiresAt },
      });
      if (overlapHours === 0) {
        enqueueMessage(tx, {
          exchange: ACCESS_BROADCAST,
          schema: KeyRevokedSchema,
          message: { keyId },
        });
      }
      return { ...made, previous };
    },
    { ...limits, companyId },
  );
  const { id: replacedBy } = rotated.key;
  deps.logger.info(
    { companyId, keyId, replacedBy, overlapHours, membershipId: actor?.membershipId },
    'key.rotated',
  );
  return rotated;
}

async function lockRotatable(tx: Transaction, { companyId, keyId }: KeyToRotate, now: Date): Promise<KeyRow> {
  const [key] = await tx.query<KeyRow>(
    `select ${KEY_COLUMNS} from api_keys k where k.id = $1 and k.company_id = $2 for no key update of k`,
    [keyId, companyId],
  );
  if (key === undefined) throw notFound('API key');
  const state = keyState(key, now);
  if (state === 'revoked' || state === 'expired') {
    throw new ServiceError('key_not_rotatable', `the key is ${state}; create another one`);
  }
  if (key.replacedBy !== null) {
    throw new ServiceError('key_not_rotatable', `the key was replaced by ${key.replacedBy} already`);
  }
  return key;
}
