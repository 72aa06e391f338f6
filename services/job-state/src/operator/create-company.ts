import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import type { Company } from '@partner/proto-contracts/resources/company/company';
import { invalidArgument } from '@partner/kernel/process/validation';
import { newId } from '@partner/kernel/process/ids';
import type { Logger } from '@partner/kernel/telemetry/logger';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { Database, TransactionLimits } from '../database/database.js';
import { getCompany } from './operator-company.js';
import { checkCompanyFields } from './operator-fields.js';

/**
 * Creates a company.
 *
 * Later messages of the platform override it, and waiting messages for the company proceed. Fails with `invalid_argument` for
 * an invalid name or id, and for an id in use.
 *
 * Atomic: the company and its entry in the audit trail. Lock: none.
 */
export async function createCompany(
  deps: { readonly database: Pick<Database, 'transaction'>; readonly logger: Pick<Logger, 'info'> },
  request: {
    readonly name: string;
    readonly companyClass: CompanyClassName;
    readonly companyId: string | undefined;
    readonly actor: Actor;
  },
  limits: TransactionLimits = {},
): Promise<Company> {
  const { name, companyClass } = request;
  checkCompanyFields({ name, companyId: request.companyId });
  const companyId = request.companyId ?? newId('cmp');
  const company = await deps.database.transaction(async (tx) => {
    const made = await tx.query(
      'insert into companies (id, name, class) values ($1, $2, $3) on conflict (id) do nothing returning id',
      [companyId, name, companyClass],
    );
    if (made.length === 0) throw invalidArgument([{ path: 'companyId', message: 'there is such a company' }]);
    await recordAudit(tx, {
      companyId,
      actor: request.actor,
      action: 'company.created',
      subject: { type: 'company', id: companyId },
      details: { name, class: companyClass },
    });
    return getCompany(tx, companyId);
  }, limits);
  deps.logger.info({ companyId, companyClass }, 'company.created');
  return company;
}
