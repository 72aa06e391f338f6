import type { Queryable, Transaction } from '../../database/database.js';
import { sendLiveUpdate } from '../../live-updates/send-live-update.js';

export interface EventAbout {
  readonly companyId: string;
  readonly resourceId: string;
}

const EVENTS = `
  select e.id, e.company_id as "companyId", e.resource_id as "resourceId"
  from unnest($1::text[], $2::text[]) as given (company_id, resource_id)
  join events e on e.company_id = given.company_id and e.resource_id = given.resource_id`;

export function findEvents(
  database: Queryable,
  about: readonly EventAbout[],
): Promise<readonly (EventAbout & { readonly id: string })[]> {
  return database.query(EVENTS, columns(about));
}

/**
 * Deletes events that no endpoint has received, and their deliveries.
 *
 * An event of which an attempt has begun stays, with all of its deliveries. Locks: the events in ascending id, then their
 * deliveries in ascending id.
 */
export async function withdrawEvents(tx: Transaction, about: readonly EventAbout[]): Promise<void> {
  const found = await tx.query<{ id: string }>(`${EVENTS} order by e.id for update of e`, columns(about));
  const eventIds = found.map(({ id }) => id);
  void tx.query('select from deliveries where event_id = any($1::text[]) order by id for update', [eventIds]);
  // Its snapshot has the deliveries that were leased, or queued by a back-fill, while the locks were waited for.
  const withdrawn = await tx.query<{ companyId: string; subscriptionId: string }>(
    `with withdrawn as (
       delete from events e where e.id = any($1::text[])
         and not exists (
           select from deliveries d
           where d.event_id = e.id and (d.attempts > 0 or d.lease_id is not null or d.overdue_since is not null)
         )
         and not exists (select from finished_deliveries f where f.event_id = e.id and f.attempts > 0)
       returning e.id
     ), cancelled as (
       delete from finished_deliveries f using withdrawn where f.event_id = withdrawn.id
     )
     delete from deliveries d using withdrawn where d.event_id = withdrawn.id
     returning d.company_id as "companyId", d.subscription_id as "subscriptionId"`,
    [eventIds],
  );
  for (const { companyId, subscriptionId } of withdrawn) sendLiveUpdate(tx, companyId, [subscriptionId]);
}

function columns(about: readonly EventAbout[]): readonly unknown[] {
  return [about.map(({ companyId }) => companyId), about.map(({ resourceId }) => resourceId)];
}
