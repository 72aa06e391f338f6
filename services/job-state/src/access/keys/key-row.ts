import { type ApiKey, KEY_LIMITS } from '@partner/proto-contracts/resources/api-key/api-key';
import { formatDateTime, formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import { KEY_KINDS, type KeyKindName } from '@partner/proto-contracts/api/scopes';
import { createApiKey, type Environment } from '@partner/kernel/security/api-key';
import { invariant } from '@partner/kernel/process/invariant';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { Transaction } from '../../database/database.js';

export interface KeyRow {
  readonly id: string;
  readonly kind: KeyKindName;
  readonly description: string | null;
  readonly lastFour: string;
  readonly boundCompanyId: string | null;
  readonly boundCompanyName: string | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  /** Null: it may be used from anywhere. */
  readonly networks: string[] | null;
  readonly revokedAt: Date | null;
  readonly replacedBy: string | null;
}

/** Columns of a {@link KeyRow}, from `api_keys k`. Never the hash of the secret. */
export const KEY_COLUMNS = `
  k.id, k.kind, k.description, k.last_four as "lastFour", k.bound_company_id as "boundCompanyId",
  (select bound.name from companies bound where bound.id = k.bound_company_id) as "boundCompanyName",
  k.created_at as "createdAt", k.last_used_at as "lastUsedAt", k.expires_at as "expiresAt", k.networks, k.revoked_at as "revokedAt",
  k.replaced_by as "replacedBy"`;

export const DAY_MS = 24 * 3_600_000;

/** State of a key; the authentication uses the same rule. */
export function keyState(
  key: Pick<KeyRow, 'revokedAt' | 'expiresAt' | 'replacedBy'>,
  now: Date,
): ApiKey['state'] {
  if (key.revokedAt !== null) return 'revoked';
  if (key.expiresAt === null) return 'active';
  const leftMs = key.expiresAt.getTime() - now.getTime();
  if (leftMs <= 0) return 'expired';
  return key.replacedBy === null && leftMs > KEY_LIMITS.expiringDays * DAY_MS ? 'active' : 'expiring';
}

export function shownKey(row: KeyRow, now: Date): ApiKey {
  return {
    id: row.id,
    kind: row.kind,
    scopes: [...KEY_KINDS[row.kind].scopes],
    description: row.description,
    lastFour: row.lastFour,
    boundCompany: shownBoundCompany(row),
    createdAt: formatDateTime(row.createdAt),
    lastUsedAt: formatOptionalDateTime(row.lastUsedAt),
    expiresAt: formatOptionalDateTime(row.expiresAt),
    ...(row.networks !== null && { networks: row.networks }),
    revokedAt: formatOptionalDateTime(row.revokedAt),
    state: keyState(row, now),
    replacedBy: row.replacedBy,
  };
}

function shownBoundCompany({ boundCompanyId: id, boundCompanyName: name }: KeyRow): ApiKey['boundCompany'] {
  if (id === null) return null;
  invariant(name, 'a company has a name');
  return { id, name };
}

/**
 * Creates a key of a company that the transaction has locked. The text, the value of `x-api-key`, is returned only here; its hash is stored.
 *
 * Fails with `key_limit_reached` if the company has the maximum number of keys in force.
 */
export async function insertKey(
  tx: Transaction,
  companyId: string,
  made: Pick<KeyRow, 'kind' | 'boundCompanyId' | 'description' | 'networks' | 'expiresAt'>,
  { environment, now }: { readonly environment: Environment; readonly now: Date },
): Promise<{ readonly key: KeyRow; readonly text: string }> {
  const [inForce] = await tx.query<{ count: number }>(
    `select count(*)::integer as count from api_keys
     where company_id = $1 and revoked_at is null and (expires_at is null or expires_at > $2)`,
    [companyId, now],
  );
  if (inForce === undefined || inForce.count >= KEY_LIMITS.keysInForce) {
    throw new ServiceError(
      'key_limit_reached',
      `a company can have at most ${KEY_LIMITS.keysInForce} API keys in force; revoke one first`,
    );
  }
  const { text, keyId, secretSha256, lastFour } = createApiKey(environment);
  const [key] = await tx.query<KeyRow>(
    `with k as (
       insert into api_keys (id, company_id, kind, bound_company_id, description, networks, expires_at, secret_sha256, last_four, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       returning *
     )
     select ${KEY_COLUMNS} from k`,
    [
      ...[keyId, companyId, made.kind, made.boundCompanyId, made.description, made.networks, made.expiresAt],
      ...[secretSha256, lastFour, now],
    ],
  );
  invariant(key, 'an insert returns its row');
  return { key, text };
}
