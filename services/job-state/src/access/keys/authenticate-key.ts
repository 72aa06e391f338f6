import { timingSafeEqual } from 'node:crypto';
import type { KeyKindName } from '@partner/proto-contracts/api/scopes';
import { authenticateKeyOperation } from '@partner/proto-contracts/internal/access/authenticate-key';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { type Implementation, implementInternal } from '@partner/kernel/amqp/implement';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { Environment } from '@partner/kernel/security/api-key';
import type { Database } from '../../database/database.js';
import type { KeyUsage } from './start-key-usage.js';

interface KeyRow {
  readonly secret_sha256: Buffer;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly company_id: string;
  readonly class: CompanyClassName;
  readonly kind: KeyKindName;
  readonly bound_company_id: string | null;
  /** Null: the standard limit. */
  readonly installer_requests_per_minute: number | null;
  /** Null: the key may be used from anywhere. */
  readonly networks: string[] | null;
  /** The fault script of the key with its id; null: none. */
  readonly faults: unknown;
}

const NO_SECRET = Buffer.alloc(32);

/**
 * The operation that finds, for the gateways, the company and the rights of an API key by its public part and the hash of its secret part
 * (spec: Authentication 4).
 *
 * The hash is compared in constant time. It throws the same `unauthenticated` for an unknown, wrong, expired and revoked key, and
 * compares in each case, so that neither the response nor its time reveals which.
 */
export function keyOperations(deps: {
  readonly database: Pick<Database, 'query'>;
  readonly clock: () => Date;
  readonly keyUsage: Pick<KeyUsage, 'note'>;
  /** The environment of the keys. Production keys never have fault scripts. */
  readonly environment: Environment;
}): readonly Implementation[] {
  return [
    implementInternal(authenticateKeyOperation, async ({ keyId, secretSha256 }, { timeoutMs }) => {
      const [row] = await deps.database.query<KeyRow>(
        `select key.secret_sha256, key.expires_at, key.revoked_at, key.company_id, company.class, key.kind,
           key.bound_company_id, company.installer_requests_per_minute, key.networks, key.faults
         from api_keys as key join companies as company on company.id = key.company_id
         where key.id = $1`,
        [keyId],
        { timeoutMs: timeoutMs() },
      );
      const now = deps.clock();
      const given = Buffer.from(secretSha256, 'hex');
      const stored = row?.secret_sha256 ?? NO_SECRET;
      const isSecretRight = stored.length === given.length && timingSafeEqual(stored, given);
      const isInForce =
        row !== undefined && row.revoked_at === null && (row.expires_at === null || row.expires_at > now);
      if (!isSecretRight || !isInForce) throw new ServiceError('unauthenticated', 'the API key is not valid');
      deps.keyUsage.note(keyId, now);
      return {
        companyId: row.company_id,
        companyClass: row.class,
        kind: row.kind,
        boundCompanyId: row.bound_company_id ?? undefined,
        installerRequestsPerMinute: row.installer_requests_per_minute ?? undefined,
        networks: row.networks ?? undefined,
        ...(deps.environment !== 'production' && { faults: row.faults }),
      };
    }),
  ];
}
