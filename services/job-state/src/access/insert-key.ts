import { KEY_LIMITS } from '@partner/proto-contracts/resources/api-key/api-key';
import type { KeyKindName } from '@partner/proto-contracts/api/scopes';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { createApiKey, type Environment } from '@partner/kernel/security/api-key';
import { invariant } from '@partner/kernel/process/invariant';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import type { Transaction } from '../database/database.js';
import { KEY_COLUMNS, type KeyRow } from './key-resource.js';

/** A new key with its text, which is returned only once. */
export interface NewKey {
  readonly key: KeyRow;
  /** The value of `x-api-key`; only its hash is stored. */
  readonly text: string;
}

/** Condition: the erasure of the company `$1` has begun. */
export const HAS_ERASURE = `exists (select from erasures where subject ->> 'companyId' = $1)`;

/**
 * Locks the company and returns its class, which serializes the count of concurrently created keys.
 *
 * Take this lock before any of the company's keys. Fails with `not_found` for a company whose erasure has begun, so that it gets
 * no access again.
 */
export async function lockCompany(tx: Transaction, companyId: string): Promise<CompanyClassName> {
  const [company] = await tx.query<{ class: CompanyClassName }>(
    `select class from companies where id = $1 and not ${HAS_ERASURE} for no key update`,
    [companyId],
  );
  if (company === undefined) throw notFound('company');
  return company.class;
}

/**
 * Creates a key of a company that {@link lockCompany} has locked.
 *
 * Fails with `key_limit_reached` if the company has the maximum number of keys in force.
 */
export async function insertKey(
  tx: Transaction,
  made: {
    readonly environment: Environment;
    readonly companyId: string;
    readonly kind: KeyKindName;
    readonly boundCompanyId: string | null;
    readonly description: string | null;
    readonly now: Date;
  },
): Promise<NewKey> {
  const { companyId, now } = made;
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
  const { text, keyId, secretSha256, lastFour } = createApiKey(made.environment);
  const [key] = await tx.query<KeyRow>(
    `with k as (
       insert into api_keys (id, company_id, kind, bound_company_id, description, secret_sha256, last_four, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       returning *
     )
     select ${KEY_COLUMNS} from k`,
    [keyId, companyId, made.kind, made.boundCompanyId, made.description, secretSha256, lastFour, now],
  );
  invariant(key, 'an insert returns its row');
  return { key, text };
}
