import type { ApiKey } from '@partner/proto-contracts/resources/api-key/api-key';
import { formatDateTime, formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import { KEY_KINDS, type KeyKindName } from '@partner/proto-contracts/api/scopes';
import { invariant } from '@partner/kernel/process/invariant';

/** An API key, as {@link KEY_COLUMNS} selects it. */
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
  readonly revokedAt: Date | null;
  readonly replacedBy: string | null;
}

/** Columns of a {@link KeyRow}, from `api_keys k`. Never the hash of the secret. */
export const KEY_COLUMNS = `
  k.id, k.kind, k.description, k.last_four as "lastFour", k.bound_company_id as "boundCompanyId",
  (select bound.name from companies bound where bound.id = k.bound_company_id) as "boundCompanyName",
  k.created_at as "createdAt", k.last_used_at as "lastUsedAt", k.expires_at as "expiresAt", k.revoked_at as "revokedAt",
  k.replaced_by as "replacedBy"`;

/** State of a key; the authentication uses the same rule. */
export function keyState(key: Pick<KeyRow, 'revokedAt' | 'expiresAt'>, now: Date): ApiKey['state'] {
  if (key.revokedAt !== null) return 'revoked';
  if (key.expiresAt === null) return 'active';
  return key.expiresAt > now ? 'expiring' : 'expired';
}

/** A key as the public API shows it. */
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
