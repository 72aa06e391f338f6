import { KeyRevokedSchema } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import type { ErrorReason } from '@partner/proto-contracts/api/error-reasons';
import type { Caller } from '@partner/proto-contracts/call';
import type { KeyKindName } from '@partner/proto-contracts/api/scopes';
import {
  type ApiKeyCreated,
  type ApiKeyPage,
  type ApiKeyRotated,
  KEY_KINDS_OF_CLASS,
  KEY_LIMITS,
} from '@partner/proto-contracts/resources/api-key/api-key';
import {
  createApiKeyOperation,
  listApiKeysOperation,
  revokeApiKeyOperation,
  rotateApiKeyOperation,
} from '@partner/proto-contracts/resources/api-key/operations';
import type { InstallerPage } from '@partner/proto-contracts/resources/installer/installer';
import { listInstallersOperation } from '@partner/proto-contracts/resources/installer/operations';
import { ACCESS_BROADCAST } from '@partner/proto-contracts/topology';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { implement } from '@partner/kernel/amqp/implement';
import { invariant } from '@partner/kernel/process/invariant';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import { callingActor } from '../../audit/actor.js';
import { recordAudit } from '../../audit/record-audit.js';
import type { Transaction } from '../../database/database.js';
import { enqueueMessage } from '../../outbox/enqueue-message.js';
import { pageById } from '../../rpc/page-by-id.js';
import { type AccessOperation, inTransaction } from '../access-deps.js';
import { contractInstaller } from './contracted-installers.js';
import { DAY_MS, insertKey, KEY_COLUMNS, type KeyRow, keyState, shownKey } from './key-row.js';
import { lockCompany } from '../lock-company.js';

const HOUR_MS = 3_600_000;

/** Lists the keys by id, newest first, including those no longer in force. */
const listKeys: AccessOperation = ({ database, clock }) =>
  implement(listApiKeysOperation, async ({ companyId, after, query: { limit }, timeoutMs }) => {
    const rows = await database.query<KeyRow>(
      `select ${KEY_COLUMNS} from api_keys k
       where k.company_id = $1 and ($2::text is null or k.id < $2) order by k.id desc limit $3`,
      [companyId, after ?? null, limit + 1],
      { companyId, timeoutMs: timeoutMs() },
    );
    const { page, nextCursor } = pageById(rows, limit);
    const keys = page.map((key) => shownKey(key, clock()));
    return { json: JSON.stringify({ keys, nextCursor } satisfies ApiKeyPage) };
  });

/**
 * Creates a key, whose text is returned only here.
 *
 * Fails with
 * - `key_kind_not_allowed` for a kind that the company's class does not allow, and for `automation` if an operator calls;
 * - `installer_not_bindable` for a company that no job of this one is or was assigned to;
 * - `key_limit_reached`.
 *
 * An operator can bind a key to any installer company, also before the first assignment: this pairs the companies.
 *
 * Atomic: the key and its entry in the audit trail. Lock: the company.
 */
const createKey: AccessOperation = ({ database, clock, environment, logger }) =>
  implement(createApiKeyOperation, async ({ companyId, caller, body, timeoutMs }) => {
    const { kind, boundCompanyId = null, description = '', networks = null } = body;
    const actor = callingActor(caller);
    refuseOperator(caller, kind, 'key_kind_not_allowed');
    const { key, text } = await inTransaction(database, { caller, timeoutMs }, async (tx) => {
      refuseKind(await lockCompany(tx, companyId), kind);
      if (boundCompanyId !== null) {
        await refuseInstaller(tx, companyId, boundCompanyId, caller.kind === 'operator');
      }
      const now = clock();
      const expiresAt = endOf(kind, now, body.expiresInDays);
      const made = await insertKey(
        tx,
        companyId,
        { kind, boundCompanyId, description: description === '' ? null : description, networks, expiresAt },
        { environment, now },
      );
      await recordAudit(tx, {
        companyId,
        actor,
        action: 'api_key.created',
        subject: { type: 'api_key', id: made.key.id },
        details: {
          kind,
          boundCompanyId,
          description: made.key.description,
          lastFour: made.key.lastFour,
          ...(expiresAt !== null && { expiresAt }),
          ...(networks !== null && { networks }),
        },
      });
      return made;
    });
    logger.info({ companyId, keyId: key.id, kind, membershipId: actor.membershipId }, 'key.created');
    const created = { key: shownKey(key, clock()), apiKey: text };
    return { json: JSON.stringify(created satisfies ApiKeyCreated) };
  });

/** An automation key sees and does what an owner does, so only one who has confirmed the password gets it. */
function refuseOperator(caller: Caller, kind: KeyKindName, reason: ErrorReason): void {
  if (caller.kind !== 'operator' || kind !== 'automation') return;
  throw refused(
    reason,
    'kind',
    'automation is for owners alone, who create and rotate such keys in the console',
  );
}

/** When a key ends that begins now; only those of kind `automation` end. */
function endOf(kind: KeyKindName, now: Date, days: number = KEY_LIMITS.automationDays): Date | null {
  if (kind !== 'automation') return null;
  return new Date(now.getTime() + Math.min(days, KEY_LIMITS.automationDays) * DAY_MS);
}

function refuseKind(companyClass: CompanyClassName, kind: KeyKindName): void {
  const allowed = KEY_KINDS_OF_CLASS[companyClass];
  if (allowed.includes(kind)) return;
  const expectation = `must be one of ${allowed.join(', ')} for a company of class ${companyClass}`;
  throw refused('key_kind_not_allowed', 'kind', expectation);
}

/** An owner's error never reveals which other companies exist; an operator's does. */
async function refuseInstaller(
  tx: Transaction,
  companyId: string,
  boundCompanyId: string,
  isOperator: boolean,
): Promise<void> {
  if (isOperator) await contractInstaller(tx, companyId, boundCompanyId);
  const contracted = await tx.query(
    'select from contracted_installers where selling_company_id = $1 and installer_company_id = $2',
    [companyId, boundCompanyId],
  );
  if (contracted.length > 0) return;
  throw refused(
    'installer_not_bindable',
    'boundCompanyId',
    isOperator
      ? 'must be an installer company'
      : 'must be an installer company that a job of this company is or was assigned to',
  );
}

function refused(reason: ErrorReason, path: string, message: string): ServiceError {
  return new ServiceError(reason, `${path}: ${message}`, { details: [{ path, message }] });
}

/**
 * Creates a key that replaces another one, with the same kind, bound company, networks and description. One that ends is as long valid
 * as the replaced one was from its creation.
 *
 * The replaced key expires after the overlap, never later than before. Without an overlap its revocation is broadcast, so that
 * gateways drop it. Fails with `not_found` for a key that the company does not have, with `key_not_rotatable` for one that is
 * not in force or was already replaced, and with `key_limit_reached` if both keys exceed the limit. An operator cannot replace
 * a key of kind `automation`: `key_not_rotatable`.
 *
 * Atomic: both keys, the entry in the audit trail and the broadcast. Locks: the company, then the key.
 */
const rotateKey: AccessOperation = ({ database, clock, environment, logger }) =>
  implement(rotateApiKeyOperation, async ({ companyId, caller, params: { id: keyId }, body, timeoutMs }) => {
    const overlapHours = body?.overlapHours ?? KEY_LIMITS.overlapHours.default;
    const actor = callingActor(caller);
    const { key, text, previous } = await inTransaction(database, { caller, timeoutMs }, async (tx) => {
      await lockCompany(tx, companyId);
      const now = clock();
      const replaced = await lockRotatable(tx, companyId, keyId, now);
      refuseOperator(caller, replaced.kind, 'key_not_rotatable');
      const lastedMs = (replaced.expiresAt ?? now).getTime() - replaced.createdAt.getTime();
      const expiresAt = endOf(replaced.kind, now, lastedMs / DAY_MS);
      // Before the new key is counted: without an overlap it replaces this one in the count.
      await tx.query('update api_keys set expires_at = least(expires_at, $2::timestamptz) where id = $1', [
        keyId,
        new Date(now.getTime() + overlapHours * HOUR_MS),
      ]);
      const made = await insertKey(tx, companyId, { ...replaced, expiresAt }, { environment, now });
      const [previous] = await tx.query<KeyRow>(
        `with k as (update api_keys set replaced_by = $2 where id = $1 returning *) select ${KEY_COLUMNS} from k`,
        [keyId, made.key.id],
      );
      invariant(previous, 'the locked row exists');
      const { id: replacedBy, lastFour } = made.key;
      await recordAudit(tx, {
        companyId,
        actor,
        action: 'api_key.rotated',
        subject: { type: 'api_key', id: keyId },
        details: { replacedBy, lastFour, overlapHours, expiresAt: previous.expiresAt },
      });
      if (overlapHours === 0) broadcastRevocation(tx, keyId);
      return { ...made, previous };
    });
    const { membershipId } = actor;
    logger.info({ companyId, keyId, replacedBy: key.id, overlapHours, membershipId }, 'key.rotated');
    const now = clock();
    const rotated = { key: shownKey(key, now), apiKey: text, previous: shownKey(previous, now) };
    return { json: JSON.stringify(rotated satisfies ApiKeyRotated) };
  });

async function lockRotatable(tx: Transaction, companyId: string, keyId: string, now: Date): Promise<KeyRow> {
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
    throw new ServiceError('key_not_rotatable', `the key was already replaced by ${key.replacedBy}`);
  }
  return key;
}

/** Makes every gateway replica drop a key after the commit. */
function broadcastRevocation(tx: Transaction, keyId: string): void {
  enqueueMessage(tx, { exchange: ACCESS_BROADCAST, schema: KeyRevokedSchema, message: { keyId } });
}

/**
 * Revokes a key permanently, and broadcasts it.
 *
 * A repeat keeps the first time and broadcasts again, without another entry in the audit trail. Fails with `not_found` for another
 * company's key. Lock: the key.
 */
const revokeKey: AccessOperation = ({ database, clock, logger }) =>
  implement(revokeApiKeyOperation, async ({ companyId, caller, params: { id: keyId }, timeoutMs }) => {
    const actor = callingActor(caller);
    await inTransaction(database, { caller, timeoutMs }, async (tx) => {
      const [key] = await tx.query<{ kind: string; lastFour: string; isRevoked: boolean }>(
        `select kind, last_four as "lastFour", revoked_at is not null as "isRevoked" from api_keys
           where id = $1 and company_id = $2 for no key update`,
        [keyId, companyId],
      );
      if (key === undefined) throw notFound('API key');
      if (!key.isRevoked) {
        await tx.query('update api_keys set revoked_at = $2 where id = $1', [keyId, clock()]);
        await recordAudit(tx, {
          companyId,
          actor,
          action: 'api_key.revoked',
          subject: { type: 'api_key', id: keyId },
          details: { kind: key.kind, lastFour: key.lastFour },
        });
      }
      broadcastRevocation(tx, keyId);
    });
    logger.info({ companyId, keyId, membershipId: actor.membershipId }, 'key.revoked');
    return { json: '' };
  });

/** Lists the companies that keys of a company can be bound to, by ascending id. */
const listInstallers: AccessOperation = ({ database }) =>
  implement(listInstallersOperation, async ({ companyId, after, query: { limit }, timeoutMs }) => {
    const rows = await database.query<InstallerPage['installers'][number]>(
      `select company.id, company.name
       from contracted_installers as contracted join companies as company on company.id = contracted.installer_company_id
       where contracted.selling_company_id = $1 and ($2::text is null or contracted.installer_company_id > $2)
       order by contracted.installer_company_id
       limit $3`,
      [companyId, after ?? null, limit + 1],
      { companyId, timeoutMs: timeoutMs() },
    );
    const { page: installers, nextCursor } = pageById(rows, limit);
    return { json: JSON.stringify({ installers, nextCursor } satisfies InstallerPage) };
  });

export const API_KEY_OPERATIONS = [listKeys, createKey, rotateKey, revokeKey, listInstallers];
