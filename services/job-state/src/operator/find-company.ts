import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { Queryable } from '../database/database.js';

/** The owner of a resource. */
export interface FoundCompany {
  readonly companyId: string;
  readonly companyClass: CompanyClassName;
  /** Only for a delivery and its attempts. */
  readonly deliveryId: string | null;
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
export async function findCompany(database: Queryable, id: string): Promise<FoundCompany> {
  const query = OWNER_QUERIES[id.split('_')[0] ?? ''];
  const [found] =
    query === undefined
      ? []
      : await database.query<FoundCompany>(
          `select found.company_id as "companyId", c.class as "companyClass", found.delivery_id as "deliveryId"
           from (${query}) found join companies c on c.id = found.company_id`,
          [id],
        );
  if (found === undefined) throw noSuchId(id);
  return found;
}

/** Shows only the part of the input before a dot: the part after it may be the secret of an API key. */
function noSuchId(id: string): ServiceError {
  const shown = id.split('.', 1)[0]?.slice(0, 60) ?? '';
  const forms = Object.keys(OWNER_QUERIES).map((prefix) => `${prefix}_…`);
  return new ServiceError(
    'not_found',
    `no such id: "${shown}"; it must be one of ${forms.join(', ')}, with 26 characters behind the _`,
  );
}
