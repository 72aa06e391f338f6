import type { Company } from '@partner/proto-contracts/resources/company/company';
import { invalidArgument } from '@partner/kernel/process/validation';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { lockCompany } from '../access/insert-key.js';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { Database, Transaction, TransactionLimits } from '../database/database.js';
import { changeAccountingLinks } from '../journal/change-accounting-links.js';
import { getCompany } from './operator-company.js';
import { checkCompanyFields } from './operator-fields.js';

/** The fields of a company to change; undefined fields stay. */
export interface CompanyChange {
  readonly companyId: string;
  readonly name: string | undefined;
  /** Requests per minute to the installer API; 0: the standard limit. */
  readonly installerRequestsPerMinute: number | undefined;
  readonly deliveryWeight: number | undefined;
  /** The accounting companies that receive its journal from now on. */
  readonly accountingCompanyIds: readonly string[] | undefined;
  readonly actor: Actor;
}

/**
 * Changes a company.
 *
 * Fails with `not_found`, and with `invalid_argument` for invalid values, and for links from or to a company that cannot have
 * them. A repeat changes nothing and adds no entry.
 *
 * Atomic: the change and its entry in the audit trail. Locks: the company, then those of {@link changeAccountingLinks}.
 */
export async function updateCompany(
  deps: {
    readonly database: Pick<Database, 'transaction'>;
    readonly logger: Pick<Logger, 'info'>;
    readonly clock: () => Date;
  },
  change: CompanyChange,
  limits: TransactionLimits = {},
): Promise<Company> {
  const { companyId, name, installerRequestsPerMinute, deliveryWeight } = change;
  const links = change.accountingCompanyIds && [...new Set(change.accountingCompanyIds)].sort();
  checkCompanyFields({
    name,
    installerRequestsPerMinute,
    deliveryWeight,
    ...(links !== undefined && { accountingCompanyIds: links }),
  });
  const { company, changed } = await deps.database.transaction(
    async (tx) => {
      const companyClass = await lockCompany(tx, companyId);
      const before = await getCompany(tx, companyId);
      await tx.query(
        `update companies set name = coalesce($2, name), delivery_weight = coalesce($3, delivery_weight),
           installer_requests_per_minute = case when $4::integer is null then installer_requests_per_minute else nullif($4, 0) end
         where id = $1`,
        [companyId, name ?? null, deliveryWeight ?? null, installerRequestsPerMinute ?? null],
      );
      if (links !== undefined) {
        if (companyClass === 'ACCOUNTING' && links.length > 0)
          throw refusedLinks('an accounting company has no journal');
        await checkLinks(tx, links);
        if (links.join() !== before.accountingCompanyIds.join()) {
          const now = deps.clock();
          await changeAccountingLinks(
            tx,
            { companyId, effectiveFrom: now, accountingCompanyIds: links },
            now,
          );
        }
      }
      const after = await getCompany(tx, companyId);
      const differences = changedFields(before, after);
      if (differences.length > 0) {
        await recordAudit(tx, {
          companyId,
          actor: change.actor,
          action: 'company.updated',
          subject: { type: 'company', id: companyId },
          details: {
            changed: differences,
            ...Object.fromEntries(differences.map((field) => [field, after[field]])),
          },
        });
      }
      return { company: after, changed: differences };
    },
    { ...limits, companyId },
  );
  deps.logger.info({ companyId, changed }, 'company.updated');
  return company;
}

const CHANGEABLE = ['name', 'installerRequestsPerMinute', 'deliveryWeight', 'accountingCompanyIds'] as const;

function changedFields(before: Company, after: Company) {
  return CHANGEABLE.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
}

async function checkLinks(tx: Transaction, links: readonly string[]): Promise<void> {
  const known = await tx.query<{ id: string }>(
    `select id from companies where id = any($1::text[]) and class = 'ACCOUNTING' for key share`,
    [links],
  );
  const unknown = links.find((id) => !known.some((company) => company.id === id));
  if (unknown !== undefined) throw refusedLinks(`${unknown} is no accounting company`);
}

function refusedLinks(message: string) {
  return invalidArgument([{ path: 'accountingCompanyIds', message }]);
}
