import type { Logger } from '@partner/kernel/telemetry/logger';
import type { Registry } from 'prom-client';
import { commitTopic } from '../../database/after-commit.js';
import type { Database } from '../../database/database.js';
import { isWaiting, RETAINED_COLUMNS } from '../deliveries/delivery-columns.js';
import { type Loop, startLoop } from '../../database/start-loop.js';
import { sendLiveUpdate } from '../../live-updates/send-live-update.js';
import { deliveriesWaiting } from '../deliveries/releaser.js';

/** Subscriptions have deliveries that do not match their state. */
export const subscriptionStateChanged = commitTopic<never>();

/** Deliveries that one statement moves, which bounds its locks. */
const BATCH_SIZE = 1_000;
const MAX_SUBSCRIPTIONS = 1_000;

const MOVES = ['hold', 'resume', 'cancel'] as const;
type Move = (typeof MOVES)[number];

export interface FollowDeps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
}

/** Hops through a partial index from one subscription with such deliveries to the next, however many deliveries there are. */
function hop(name: string, condition: string): string {
  const next = (after: string) => `select d.subscription_id from deliveries d
     where ${condition}${after} order by d.subscription_id limit 1`;
  return `${name} (id) as (
    (${next('')})
    union all
    select (${next(` and d.subscription_id > ${name}.id`)}) from ${name} where ${name}.id is not null
  )`;
}

const PENDING = isWaiting('d', 'pending');
const RETRY = isWaiting('d', 'retry_scheduled');

const MISMATCHED = `
  with recursive ${hop('held', `d.state = 'held'`)}, ${hop('first', PENDING)}, ${hop('retry', RETRY)}, waiting (id) as (
    select id from first union select id from retry
  )
  select s.id, case when s.deleted_at is null then 'resume' else 'cancel' end as move
  from held join subscriptions s on s.id = held.id
  where s.state = 'active' or s.deleted_at is not null
  union
  select s.id, case when s.deleted_at is null then 'hold' else 'cancel' end
  from waiting join subscriptions s on s.id = waiting.id
  where s.deleted_at is not null or s.state = 'paused' and (
    exists (select 1 from deliveries d where d.subscription_id = s.id and ${PENDING} and not d.is_test)
    or exists (select 1 from deliveries d where d.subscription_id = s.id and ${RETRY} and not d.is_test)
  )
  limit ${MAX_SUBSCRIPTIONS}`;

/**
 * Selects up to $2 deliveries of each kind and subscription, so that a backlog does not block the others.
 *
 * It checks the state again: a change since the scan is left to the next run.
 */
function candidates(condition: string, branches: readonly string[]): string {
  const of = branches
    .map((branch) => `(select d.id from deliveries d where d.subscription_id = s.id and ${branch} limit $2)`)
    .join(' union all ');
  return `
    select backlog.id from unnest($1::text[]) as one (id)
    join subscriptions s on s.id = one.id and ${condition}
    cross join lateral (${of}) backlog
    limit ${BATCH_SIZE}`;
}

/** Rows that another transaction is changing are skipped, or fail the second check. The next run finds them. */
function locked(candidateRows: string, condition: string): string {
  return `
    with candidates as materialized (${candidateRows}), locked as materialized (
      select d.id from deliveries d join candidates on candidates.id = d.id
      where ${condition}
      order by d.id
      for update of d skip locked
    )`;
}

const STATEMENTS: Readonly<Record<Move, string>> = {
  hold: `
    ${locked(
      candidates(
        `s.state = 'paused' and s.deleted_at is null`,
        [PENDING, RETRY].map((branch) => `${branch} and not d.is_test`),
      ),
      `d.state in ('pending', 'retry_scheduled') and d.lease_id is null`,
    )}
    update deliveries d set state = 'held', overdue_since = null from locked where d.id = locked.id
    returning d.subscription_id as "subscriptionId", d.company_id as "companyId"`,
  resume: `
    ${locked(candidates(`s.state = 'active'`, [`d.state = 'held'`]), `d.state = 'held'`)}
    update deliveries d set state = case d.attempts when 0 then 'pending' else 'retry_scheduled' end
    from locked where d.id = locked.id
    returning d.subscription_id as "subscriptionId", d.company_id as "companyId"`,
  cancel: `
    ${locked(candidates(`s.deleted_at is not null`, [PENDING, RETRY, `d.state = 'held'`]), `d.lease_id is null`)}
    , cancelled as (
      delete from deliveries d using locked where d.id = locked.id returning d.*
    )
    insert into finished_deliveries (${RETAINED_COLUMNS}, state, attempts, finished_at)
    select ${RETAINED_COLUMNS}, 'cancelled', attempts, now()
    from cancelled
    returning subscription_id as "subscriptionId", company_id as "companyId"`,
};

/**
 * Moves unfinished deliveries without a lease to the state that their subscription requires, and returns their number.
 *
 * It moves a bounded number at a time:
 *
 * - deliveries of a paused subscription become `held`, tests excepted;
 * - held deliveries of an active one resume, each at its original time;
 * - deliveries of a deleted one finish as `cancelled`.
 *
 * It compares states and does not depend on notifications: the next run also finds a delivery that is queued, or whose attempt
 * fails, while its subscription changes. Any number of replicas can run it.
 *
 * Locks: deliveries in ascending id, without waiting for any.
 */
export async function followSubscriptionState({ database }: FollowDeps): Promise<number> {
  const found = await database.query<{ id: string; move: Move }>(MISMATCHED);
  let moved = 0;
  for (const move of MOVES) {
    const ids = found.filter((each) => each.move === move).map(({ id }) => id);
    if (ids.length === 0) continue;
    const perSubscription = Math.ceil(BATCH_SIZE / ids.length);
    moved += await database.transaction(async (tx) => {
      const rows = await tx.query<{ subscriptionId: string; companyId: string }>(STATEMENTS[move], [
        ids,
        perSubscription,
      ]);
      for (const { companyId, subscriptionId } of rows) sendLiveUpdate(tx, companyId, [subscriptionId]);
      if (move === 'resume' && rows.length > 0) deliveriesWaiting.tell(tx);
      return rows.length;
    });
  }
  return moved;
}

/** Follows the states of subscriptions until it is stopped. Waking makes it prompt, polling makes it correct. */
export function startFollowingSubscriptionState(
  options: FollowDeps & {
    readonly logger: Pick<Logger, 'info' | 'warn'>;
    readonly metrics: Registry;
    readonly intervalMs: number;
  },
): Loop {
  return startLoop({
    name: 'subscription_states',
    intervalMs: options.intervalMs,
    logger: options.logger,
    metrics: options.metrics,
    runOnce: async () => ((await followSubscriptionState(options)) > 0 ? 'more' : 'idle'),
  });
}
