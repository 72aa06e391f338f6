import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { CompanyClass } from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import type { CompanyClassName } from '@partner/proto-contracts/public-api/webhook-events';
import { notFound } from '@partner/kernel/service-error';
import type { Queryable } from '../database/database.js';

/** A company as operators see it. */
export interface OperatorCompanyRow {
  readonly id: string;
  readonly name: string;
  readonly class: CompanyClassName;
  readonly installerRequestsPerMinute: number | null;
  readonly deliveryWeight: number;
  readonly accountingCompanyIds: readonly string[];
  readonly createdAt: Date;
  readonly activeKeys: number;
  readonly activeWebhooks: number;
}

/** Each class as operator and platform messages carry it. */
export const PLATFORM_CLASS_ON_THE_WIRE: Readonly<Record<CompanyClassName, CompanyClass>> = {
  SALES: CompanyClass.SALES,
  INSTALLER: CompanyClass.INSTALLER,
  ACCOUNTING: CompanyClass.ACCOUNTING,
};

const CLASS_NAMES: Readonly<Record<CompanyClass, CompanyClassName | undefined>> = {
  [CompanyClass.UNSPECIFIED]: undefined,
  [CompanyClass.SALES]: 'SALES',
  [CompanyClass.INSTALLER]: 'INSTALLER',
  [CompanyClass.ACCOUNTING]: 'ACCOUNTING',
};

/** Reads a class from an RPC; undefined if it is missing or unknown to this version. */
export function companyClassName(given: CompanyClass): CompanyClassName | undefined {
  return CLASS_NAMES[given];
}

/** The columns of an {@link OperatorCompanyRow} of `companies c`. */
const COLUMNS = `
  c.id, c.name, c.class, c.installer_requests_per_minute as "installerRequestsPerMinute",
  c.delivery_weight as "deliveryWeight", c.created_at as "createdAt",
  array(select l.accounting_company_id from accounting_links l where l.company_id = c.id order by 1) as "accountingCompanyIds",
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
): Promise<{ readonly companies: readonly OperatorCompanyRow[]; readonly hasMore: boolean }> {
  const rows = await database.query<OperatorCompanyRow>(
    `select ${COLUMNS} from companies c
     where ($2::text is null or c.id > $2) and ($3::text is null or strpos(lower(c.name), lower($3)) > 0)
       and ($4::text is null or c.id = $4)
     order by c.id limit $1`,
    [query.limit + 1, query.afterCompanyId ?? null, query.nameContains ?? null, query.companyId ?? null],
  );
  return { companies: rows.slice(0, query.limit), hasMore: rows.length > query.limit };
}

/** Returns one company. Fails with `not_found`. */
export async function getCompany(database: Queryable, companyId: string): Promise<OperatorCompanyRow> {
  const [company] = await database.query<OperatorCompanyRow>(
    `select ${COLUMNS} from companies c where c.id = $1`,
    [companyId],
  );
  if (company === undefined) throw notFound('company');
  return company;
}

/** Converts a company to its RPC message. */
export function operatorCompanyMessage(row: OperatorCompanyRow) {
  return {
    id: row.id,
    name: row.name,
    class: PLATFORM_CLASS_ON_THE_WIRE[row.class],
    ...(row.installerRequestsPerMinute !== null && {
      installerRequestsPerMinute: row.installerRequestsPerMinute,
    }),
    deliveryWeight: row.deliveryWeight,
    accountingCompanyIds: [...row.accountingCompanyIds],
    createdAt: timestampFromDate(row.createdAt),
    activeKeys: row.activeKeys,
    activeWebhooks: row.activeWebhooks,
  };
}
