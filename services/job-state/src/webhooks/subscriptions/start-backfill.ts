import { DEFAULT_REPLAYS_PER_MINUTE } from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { idFloor, newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { commitTopic } from '../../database/after-commit.js';
import { idsCreatedWithin } from '../../database/created-within.js';
import type { Transaction } from '../../database/database.js';
import { CHANGED_IN_BODY, wantsChange } from '../events/wants-change.js';
import { eventsSentTo } from '../events/events-sent-to.js';
import type { SubscriptionOfCompany } from './get-subscription.js';

/** A bulk replay or back-fill has a step to take. */
export const bulkReplayStarted = commitTopic<never>();

/**
 * Starts a back-fill, in the transaction of an activation, of the events missed during the pause from `from` to `to`.
 *
 * It queues the events that match the subscription's names, class and schema version at the time of queueing and have no
 * delivery to it. A back-fill that still runs is extended to the new `to`. Its events are counted up to `maxCounted`; if there are more, `atLeast` is true. The caller holds the lock of the subscription.
 */
export async function startBackfill(
  tx: Transaction,
  request: SubscriptionOfCompany & { readonly from: Date; readonly to: Date; readonly maxCounted: number },
): Promise<{ readonly id: string }> {
  const { companyId, subscriptionId, from, to, maxCounted } = request;
  const [subscription] = await tx.query<{
    events: readonly string[];
    schemaVersion: number;
    companyClass: CompanyClassName;
  }>(
    `select s.events, s.schema_version as "schemaVersion", c.class as "companyClass"
     from subscriptions s join companies c on c.id = s.company_id
     where s.id = $1 and s.company_id = $2`,
    [subscriptionId, companyId],
  );
  invariant(subscription, 'an activation has its subscription');
  bulkReplayStarted.tell(tx);
  const [row] = await tx.query<{ id: string }>(
    `insert into bulk_replays as b
       (id, subscription_id, company_id, kind, from_time, to_time, per_minute, total, total_is_at_least)
     select $1, $2, $3, 'backfill', $4, $5, $6,
       count(*) filter (
         where e.created_at >= $4 and e.created_at <= $5 and e.schema_version = $11
           and e.resource_id <> $2 and e.is_wanted
       ),
       count(*) >= $9
     from (
       select e.schema_version, e.created_at, e.resource_id, case when e.name = any($10::text[]) then
         ${wantsChange('s.fields', 'e.name', CHANGED_IN_BODY)} end as is_wanted
       from events e join subscriptions s on s.id = $2
       where e.company_id = $3 and e.id >= $7 and e.id < $8 and e.test_subscription_id is null
       order by e.id limit $9
     ) e
     on conflict (subscription_id, kind) where state = 'running'
       do update set to_time = greatest(b.to_time, excluded.to_time), total = b.total + excluded.total,
         total_is_at_least = b.total_is_at_least or excluded.total_is_at_least
     returning id`,
    [
      newId('rpl'),
      subscriptionId,
      companyId,
      from,
      to,
      DEFAULT_REPLAYS_PER_MINUTE,
      idFloor('evt', from),
      idsCreatedWithin('evt', { from, to }).beyond,
      maxCounted,
      eventsSentTo(subscription),
      subscription.schemaVersion,
    ],
  );
  invariant(row, 'an insert returns its row');
  return row;
}
