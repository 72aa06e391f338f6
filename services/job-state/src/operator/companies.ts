import {
  createCompanyOperation,
  findCompanyOperation,
  listCompaniesOperation,
  updateCompanyOperation,
} from '@partner/proto-contracts/internal/operators/companies';
import type { Company } from '@partner/proto-contracts/resources/company/company';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { implementInternal } from '@partner/kernel/amqp/implement';
import { newId } from '@partner/kernel/process/ids';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import { invalidArgument } from '@partner/kernel/process/validation';
import { lockCompany } from '../access/lock-company.js';
import { callingActor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { Queryable, Transaction } from '../database/database.js';
import { linkedNow } from '../journal/accounting-links.js';
import { changeAccountingLinks } from '../journal/backfills.js';
import { type OperatorOperation, PAGE_SIZE, within } from './operator-deps.js';
import { checkFields, companyFields } from './operator-fields.js';

type CompanyRow = Omit<Company, 'createdAt'> & { readonly createdAt: Date };

const COLUMNS = `
  c.id, c.name, c.class, c.installer_requests_per_minute as "installerRequestsPerMinute",
  c.delivery_weight as "deliveryWeight", c.created_at as "createdAt",
  ${linkedNow('c.id')} as "accountingCompanyIds",
  (select count(*)::integer from api_keys k
   where k.company_id = c.id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())) as "activeKeys",
  (select count(*)::integer from subscriptions s
   where s.company_id = c.id and s.deleted_at is null and s.state = 'active') as "activeWebhooks"`;

const listCompanies: OperatorOperation = (deps) =>
  implementInternal(listCompaniesOperation, async (query, context) => {
    const { limit = PAGE_SIZE, afterCompanyId, nameContains, companyId } = query;
    const rows = await within(deps, context).query<CompanyRow>(
      `select ${COLUMNS} from companies c
       where ($2::text is null or c.id > $2) and ($3::text is null or strpos(lower(c.name), lower($3)) > 0)
         and ($4::text is null or c.id = $4)
       order by c.id limit $1`,
      [limit + 1, afterCompanyId ?? null, nameContains ?? null, companyId ?? null],
    );
    return { companies: rows.slice(0, limit).map(shownCompany), hasMore: rows.length > limit };
  });

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

/**
 * Creates a company.
 *
 * Later messages of the platform override it, and waiting messages for the company proceed. Fails with `invalid_argument` for
 * an invalid name or id, and for an id in use.
 *
 * Atomic: the company and its entry in the audit trail. Lock: none.
 */
const createCompany: OperatorOperation = ({ database, logger }) =>
  implementInternal(createCompanyOperation, async (input, { caller, timeoutMs }) => {
    const { name, class: companyClass } = input;
    checkFields(companyFields, { name, companyId: input.companyId });
    const companyId = input.companyId ?? newId('cmp');
    const company = await database.transaction(
      async (tx) => {
        const made = await tx.query(
          'insert into companies (id, name, class) values ($1, $2, $3) on conflict (id) do nothing returning id',
          [companyId, name, companyClass],
        );
        if (made.length === 0) {
          throw invalidArgument([{ path: 'companyId', message: 'is already the id of a company' }]);
        }
        await recordAudit(tx, {
          companyId,
          actor: callingActor(caller),
          action: 'company.created',
          subject: { type: 'company', id: companyId },
          details: { name, class: companyClass },
        });
        return getCompany(tx, companyId);
      },
      { timeoutMs: timeoutMs() },
    );
    logger.info({ companyId, companyClass }, 'company.created');
    return company;
  });

/**
 * Changes a company. Fields that are not given stay.
 *
 * Fails with `not_found`, and with `invalid_argument` for invalid values, and for links from or to a company that cannot have
 * them. A repeat changes nothing and adds no entry.
 *
 * Atomic: the change and its entry in the audit trail. Locks: the company, then those of {@link changeAccountingLinks}.
 */
const updateCompany: OperatorOperation = ({ database, logger, clock }) =>
  implementInternal(updateCompanyOperation, async (change, { caller, timeoutMs }) => {
    const { companyId, name, installerRequestsPerMinute, deliveryWeight } = change;
    const links = change.accountingCompanyIds && [...new Set(change.accountingCompanyIds)].sort();
    checkFields(companyFields, {
      ...{ name, installerRequestsPerMinute, deliveryWeight },
      accountingCompanyIds: links,
    });
    const { company, changed } = await database.transaction(
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
          await checkLinks(tx, companyClass, links);
          if (links.join() !== before.accountingCompanyIds.join()) {
            const now = clock();
            const linked = { companyId, effectiveFrom: now, accountingCompanyIds: links };
            await changeAccountingLinks(tx, linked, now);
          }
        }
        const after = await getCompany(tx, companyId);
        const differences = CHANGEABLE.filter(
          (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
        );
        if (differences.length > 0) {
          const values = Object.fromEntries(differences.map((field) => [field, after[field]]));
          await recordAudit(tx, {
            companyId,
            actor: callingActor(caller),
            action: 'company.updated',
            subject: { type: 'company', id: companyId },
            details: { changed: differences, ...values },
          });
        }
        return { company: after, changed: differences };
      },
      { companyId, timeoutMs: timeoutMs() },
    );
    logger.info({ companyId, changed }, 'company.updated');
    return company;
  });

const CHANGEABLE = ['name', 'installerRequestsPerMinute', 'deliveryWeight', 'accountingCompanyIds'] as const;

async function checkLinks(
  tx: Transaction,
  companyClass: CompanyClassName,
  links: readonly string[],
): Promise<void> {
  if (companyClass === 'ACCOUNTING' && links.length > 0) {
    throw refusedLinks('an accounting company has no journal');
  }
  const known = await tx.query<{ id: string }>(
    `select id from companies where id = any($1::text[]) and class = 'ACCOUNTING' for key share`,
    [links],
  );
  const unknown = links.find((id) => !known.some((company) => company.id === id));
  if (unknown !== undefined) throw refusedLinks(`${unknown} is not an accounting company`);
}

function refusedLinks(message: string) {
  return invalidArgument([{ path: 'accountingCompanyIds', message }]);
}

/** Queries by id prefix; each returns `company_id` and `delivery_id` of the id $1. */
const OWNER_QUERIES: Readonly<Record<string, string>> = {
  cmp: 'select id as company_id, null as delivery_id from companies where id = $1',
  mem: 'select company_id, null as delivery_id from memberships where id = $1',
  key: 'select company_id, null as delivery_id from api_keys where id = $1',
  whk: 'select company_id, null as delivery_id from subscriptions where id = $1',
  evt: 'select company_id, null as delivery_id from events where id = $1',
  rpl: 'select company_id, null as delivery_id from bulk_replays where id = $1',
  dlv: `select d.company_id, d.id as delivery_id from all_deliveries d
        where d.id = coalesce((select a.delivery_id from delivery_attempts a where a.id = $1 limit 1), $1)`,
};

/** Finds the company that owns a resource, by its id. Fails with `not_found`, which names the id and the form of ids. */
const findCompany: OperatorOperation = (deps) =>
  implementInternal(findCompanyOperation, async ({ id }, context) => {
    const query = OWNER_QUERIES[id.split('_')[0] ?? ''];
    if (query === undefined) throw noSuchId(id);
    const [found] = await within(deps, context).query<{
      readonly companyId: string;
      readonly companyClass: CompanyClassName;
      readonly deliveryId: string | null;
    }>(
      `select found.company_id as "companyId", c.class as "companyClass", found.delivery_id as "deliveryId"
       from (${query}) found join companies c on c.id = found.company_id`,
      [id],
    );
    if (found === undefined) throw noSuchId(id);
    return { ...found, deliveryId: found.deliveryId ?? undefined };
  });

/** Shows only the part of the input before a dot: the part after it may be the secret of an API key. */
function noSuchId(id: string): ServiceError {
  const shown = id.split('.', 1)[0]?.slice(0, 60) ?? '';
  const forms = Object.keys(OWNER_QUERIES).map((prefix) => `${prefix}_…`);
  return new ServiceError(
    'not_found',
    `no such id: "${shown}"; an id looks like ${forms.join(', ')}, with 26 characters after the _`,
  );
}

export const COMPANY_OPERATIONS = [listCompanies, createCompany, updateCompany, findCompany];
