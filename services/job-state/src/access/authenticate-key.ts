import { timingSafeEqual } from 'node:crypto';
import type { KeyKindName } from '@partner/proto-contracts/api/scopes';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { Queryable } from '../database/database.js';
import type { KeyUsage } from './start-key-usage.js';

/** The company and rights of a valid API key. */
export interface KeyPrincipal {
  readonly companyId: string;
  readonly companyClass: CompanyClassName;
  readonly kind: KeyKindName;
  readonly boundCompanyId: string | null;
  /** Null: the standard limit. */
  readonly installerRequestsPerMinute: number | null;
  /** The fault script of the key with its id; null: none. Only used in the sandbox. */
  readonly faults: unknown;
}

interface KeyRow {
  readonly secret_sha256: Buffer;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly company_id: string;
  readonly class: CompanyClassName;
  readonly kind: KeyKindName;
  readonly bound_company_id: string | null;
  readonly installer_requests_per_minute: number | null;
  readonly faults: unknown;
}

const NO_SECRET = Buffer.alloc(32);

/**
 * Finds the principal of an API key by its public part and the hash of its secret part (spec: Authentication 4).
 *
 * The hash is compared in constant time. Throws the same `unauthenticated` for an unknown, wrong, expired and revoked key, and
 * compares in each case, so that neither the response nor its time reveals which.
 */
export async function authenticateKey(
  deps: {
    readonly database: Queryable;
    readonly clock: () => Date;
    readonly keyUsage: Pick<KeyUsage, 'note'>;
  },
  key: { readonly keyId: string; readonly secretSha256: Uint8Array },
): Promise<KeyPrincipal> {
  const [row] = await deps.database.query<KeyRow>(
    `select key.secret_sha256, key.expires_at, key.revoked_at, key.company_id, company.class, key.kind,
       key.bound_company_id, company.installer_requests_per_minute, key.faults
     from api_keys as key join companies as company on company.id = key.company_id
     where key.id = $1`,
    [key.keyId],
  );
  const now = deps.clock();
  const stored = row?.secret_sha256 ?? NO_SECRET;
  const isSecretRight =
    stored.length === key.secretSha256.length && timingSafeEqual(stored, key.secretSha256);
  const isInForce =
    row !== undefined && row.revoked_at === null && (row.expires_at === null || row.expires_at > now);
  if (!isSecretRight || !isInForce) throw new ServiceError('unauthenticated', 'the API key is not valid');
  deps.keyUsage.note(key.keyId, now);
  return {
    companyId: row.company_id,
    companyClass: row.class,
    kind: row.kind,
    boundCompanyId: row.bound_company_id,
    installerRequestsPerMinute: row.installer_requests_per_minute,
    faults: row.faults,
  };
}
