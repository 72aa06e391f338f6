import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { notFound } from '@partner/kernel/process/service-error';
import type { Transaction } from '../database/database.js';

/** Condition: the erasure of the company `$1` has begun. */
export const HAS_ERASURE = `exists (select from erasures where subject ->> 'companyId' = $1)`;

/**
 * Locks the company and returns its class, which serializes counts and changes of its keys and people.
 *
 * Take this lock before any of the company's rows. Fails with `not_found` for a company whose erasure has begun, so that it gets
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
