import type { CompanyClassName } from '@partner/proto-contracts/public-api/webhook-events';
import { ServiceError } from '@partner/kernel/service-error';
import type { Queryable } from '../database/database.js';

/** Whose something is. */
export interface FoundCompany {
  readonly companyId: string;
  readonly companyClass: CompanyClassName;
  /** Of a delivery and its attempts. */
  readonly deliveryId: string | null;
}

/** Where the things with each prefix of an id are; each gives `company_id` and `delivery_id` of the id $1. */
const PLACES: Readonly<Record<string, string>> = {
  cmp: 'select id as company_id, null as delivery_id from companies where id = $1',
  mem: 'select company_id, null as delivery_id from memberships where id = $1',
  key: 'select company_id, null as delivery_id from api_keys where id = $1',
  whk: 'select company_id, null as delivery_id from subscriptions where id = $1',
  evt: 'select company_id, null as delivery_id from events where id = $1',
  rpl: 'select company_id, null as delivery_id from bulk_replays where id = $1',
  dlv: `select d.company_id, d.id as delivery_id from all_deliveries d
        where d.id = coalesce((select a.delivery_id from delivery_attempts a where a.id = $1 limit 1), $1)`,
};

/** Finds the company that something belongs to, by its id alone. Fails with `not_found`, which names the id and the form of ids. */
export async function findCompany(database: Queryable, id: string): Promise<FoundCompany> {
  const place = PLACES[id.split('_')[0] ?? ''];
  const [found] =
    place === undefined
      ? []
      : await database.query<FoundCompany>(
          `select found.company_id as "companyId", c.class as "companyClass", found.delivery_id as "deliveryId"
           from (${place}) found join companies c on c.id = found.company_id`,
          [id],
        );
  if (found === undefined) throw noSuchId(id);
  return found;
}

/** Of what was given only the part before a dot is told: behind it an API key is secret. */
function noSuchId(id: string): ServiceError {
  const told = id.split('.', 1)[0]?.slice(0, 60) ?? '';
  const forms = Object.keys(PLACES).map((prefix) => `${prefix}_…`);
  return new ServiceError(
    'not_found',
    `no such id: "${told}"; it must be one of ${forms.join(', ')}, with 26 characters behind the _`,
  );
}
