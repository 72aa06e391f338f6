import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  type ApiKey,
  ApiKeySchema,
  KeyState,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import type { KeyKindName } from '@partner/proto-contracts/public-api/scopes';
import { KEY_KIND_ON_THE_WIRE } from './access-wire.js';

/** An API key, as {@link KEY_COLUMNS} select it. */
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

/** Whether a key is in force; the authentication goes by the same. */
export function keyState(key: Pick<KeyRow, 'revokedAt' | 'expiresAt'>, now: Date): KeyState {
  if (key.revokedAt !== null) return KeyState.REVOKED;
  if (key.expiresAt === null) return KeyState.ACTIVE;
  return key.expiresAt > now ? KeyState.EXPIRING : KeyState.EXPIRED;
}

/** A key as the console gets it. */
export function keyMessage(row: KeyRow, now: Date): ApiKey {
  return create(ApiKeySchema, {
    id: row.id,
    kind: KEY_KIND_ON_THE_WIRE[row.kind],
    description: row.description ?? undefined,
    lastFour: row.lastFour,
    boundCompany:
      row.boundCompanyId === null
        ? undefined
        : { id: row.boundCompanyId, name: row.boundCompanyName ?? undefined },
    createdAt: timestampFromDate(row.createdAt),
    lastUsedAt: row.lastUsedAt === null ? undefined : timestampFromDate(row.lastUsedAt),
    expiresAt: row.expiresAt === null ? undefined : timestampFromDate(row.expiresAt),
    revokedAt: row.revokedAt === null ? undefined : timestampFromDate(row.revokedAt),
    state: keyState(row, now),
    replacedBy: row.replacedBy ?? undefined,
  });
}
