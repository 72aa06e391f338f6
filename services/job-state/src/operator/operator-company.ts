import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { Company, CompanyPage } from '@partner/proto-contracts/resources/company/company';
import { notFound } from '@partner/kernel/process/service-error';
import type { Queryable } from '../database/database.js';
import { linkedNow } from '../journal/accounting-links.js';

/** A company, as {@link COLUMNS} selects it. */
type CompanyRow = Omit<Company, 'createdAt'> & { readonly createdAt: Date };

/** The columns of a {@link CompanyRow} of `companies c`. */
const COLUMNS = `
  c.id, c.name, c.class, c.installer_requests_per_minute as "installerRequestsPerMinute",
  c.delivery_weight as "deliveryWeight", c.created_at as "createdAt",
  ${linkedNow('c.id')} as "accountingCompanyIds",
  (select count(*)::integer from api_keys k
   where k.company_id = c.id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())) as "activeKeys",
  (select count(*)::integer from subscriptions s
   where s.company_id = c.id and s.deleted_at is null and s.state = 'active') as "activeWebhooks"`;

/** A page of companies by id, oldest first. */
export async function listCompanies(
  database: Queryable,
  query: {
    readonly afterCompanyId: string | undefined;
    readonly limit: number;
    /** Ignores case. */
    readonly nameContains: string | undefined;
    readonly companyId: string | undefined;
  },
): Promise<CompanyPage> {
  const rows = await database.query<CompanyRow>(
    `select ${COLUMNS} from companies c
     where ($2::text is null or c.id > $2) and ($3::text is null or strpos(lower(c.name), lower($3)) > 0)
       and ($4::text is null or c.id = $4)
     order by c.id limit $1`,
    [query.limit + 1, query.afterCompanyId ?? null, query.nameContains ?? null, query.companyId ?? null],
  );
  return { companies: rows.slice(0, query.limit).map(shownCompany), hasMore: rows.length > query.limit };
}

/** Returns one company. Fails with `not_found`. */
export async function getCompany(database: Queryable, companyId: string): Promise<Company> {
  const [row] = await database.query<CompanyRow>(`select ${COLUMNS} from companies c where c.id = $1`, [
    companyId,
  ]);
  if (row === undefined) throw notFound('company');
  return shownCompany(row);
}

function shownCompany({ createdAt, ...row }: CompanyRow): Company {
  return { ...row, createdAt: formatDateTime(createdAt) };
}
