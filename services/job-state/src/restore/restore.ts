import { formatDateTime, formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import type { RestoreCheck } from '@partner/proto-contracts/resources/restore-check/restore-check';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { Database, Queryable } from '../database/database.js';
import { lastEventNumber } from '../database/event-numbers.js';

/** Numbers that a company can use in each second between two restores, before they would meet. */
const NUMBERS_PER_SECOND = 1_000_000;

/**
 * Declares that the database was restored from a backup to an instant. Resolves to false if that was declared before
 * (decision RESTORE-1).
 *
 * The numbers of all feeds and events, and of the deliveries to each subscription, continue at the time of the declaration: seconds since
 * 1970 times a million. So no number is given twice, not even by a restore to a time before another one. Those in between are marked as
 * lost: a reader with such a position is refused, since a later page would hide what it has missed.
 *
 * One transaction. Locks: the heads of all companies, in ascending order. No service may use the restored database before its end.
 */
export function declareRestore(
  database: Pick<Database, 'transaction'>,
  restoredTo: Date,
  now: Date,
): Promise<boolean> {
  const base = Math.floor(now.getTime() / 1_000) * NUMBERS_PER_SECOND;
  return database.transaction(async (tx) => {
    const declared = await tx.query(
      'insert into restores (restored_to, declared_at) values ($1, $2) on conflict do nothing returning 1',
      [restoredTo, now],
    );
    if (declared.length === 0) return false;
    await tx.query(
      `insert into feed_heads as head (company_id, last, lost_numbers)
       select id, $1::bigint, int8multirange(int8range(0, $1, '()')) from companies order by id
       on conflict (company_id) do update
         set last = $1, lost_numbers = head.lost_numbers + int8multirange(int8range(head.last, $1, '()'))`,
      [base],
    );
    await tx.query(
      `insert into event_heads as head (company_id, lost_numbers)
       select c.id, int8multirange(int8range(${lastEventNumber('c.id')}, $1, '()')) from companies c order by c.id
       on conflict (company_id) do update set lost_numbers = head.lost_numbers + excluded.lost_numbers`,
      [base],
    );
    await tx.query(
      `insert into event_numbers (company_id, block, last, delivery_counts)
       select c.id, $1::bigint / 64, $1, (
         select coalesce(jsonb_object_agg(s.id, $1::bigint), '{}') from subscriptions s
         where s.company_id = c.id and s.deleted_at is null
       )
       from companies c order by c.id`,
      [base],
    );
    return true;
  });
}

/**
 * Refuses a reader with a position from data that a restore has lost, and records the highest one of its company (decisions RESTORE-2 and
 * RESTORE-4). `remedy` says how to go on. A repeat writes nothing.
 */
export async function refuseLostCursor(
  database: Queryable,
  heads: 'feed_heads' | 'event_heads',
  { companyId, sequence }: { readonly companyId: string; readonly sequence: string },
  remedy: string,
): Promise<never> {
  await database.query(
    `update ${heads} set refused_cursor = $2 where company_id = $1 and (refused_cursor is null or refused_cursor < $2)`,
    [companyId, sequence],
  );
  const message = `is from data that was lost when the service was restored from a backup; ${remedy}`;
  throw new ServiceError('cursor_invalid', `cursor: ${message}`, { details: [{ path: 'cursor', message }] });
}

/** Dead letters of one webhook are counted up to this number, oldest first. */
const COUNTED = 10_000;

interface CompanyRow {
  readonly id: string;
  readonly name: string;
  readonly hasFeed: boolean;
  readonly feedKept: number | null;
  readonly feedSeen: number | null;
  readonly eventsKept: number | null;
  readonly eventsSeen: number | null;
}

interface WebhookRow {
  readonly companyId: string;
  readonly id: string;
  readonly unfinished: number;
  readonly deadLettered: number;
  readonly oldest: Date | null;
}

/** The newest lost range of a head, and the highest lost number that a reader has sent. Numbers are less than 2^53. */
const lostOf = (heads: string, name: string) => `
  left join lateral (
    select (lower(range) - 1)::double precision as "${name}Kept",
      case when refused_cursor >= lower(range) then refused_cursor::double precision end as "${name}Seen"
    from ${heads}, unnest(lost_numbers) as range where company_id = c.id
    order by range desc limit 1
  ) as ${name} on true`;

/**
 * Returns a page of companies by id with what the newest restore has lost and left to do (decision RESTORE-4). For operators on demand: it
 * counts all unfinished deliveries of the companies. Fails with `not_found` if no restore was declared.
 */
export async function checkRestore(
  database: Queryable,
  { afterCompanyId, limit }: { readonly afterCompanyId: string | undefined; readonly limit: number },
): Promise<RestoreCheck> {
  const [restore] = await database.query<{ restoredTo: Date; declaredAt: Date }>(
    `select restored_to as "restoredTo", declared_at as "declaredAt" from restores order by declared_at desc limit 1`,
  );
  if (restore === undefined)
    throw new ServiceError('not_found', 'no restore was declared; RESTORED_TO of the migration declares one');
  const found = await database.query<CompanyRow>(
    `select c.id, c.name, c.class = 'INSTALLER' as "hasFeed", "feedKept", "feedSeen", "eventsKept", "eventsSeen"
     from companies c ${lostOf('feed_heads', 'feed')} ${lostOf('event_heads', 'events')}
     where c.id > $1 order by c.id limit $2`,
    [afterCompanyId ?? '', limit + 1],
  );
  const companies = found.slice(0, limit);
  const webhooks = await database.query<WebhookRow>(
    `select s.company_id as "companyId", s.id, unfinished.count as unfinished, dead.count as "deadLettered", dead.oldest
     from subscriptions s cross join lateral (
       select count(*)::integer from deliveries d where d.subscription_id = s.id and d.created_at < $2 and not d.is_test
     ) unfinished cross join lateral (
       select count(*)::integer, min(created_at) as oldest from (
         select d.created_at from finished_deliveries d
         where d.subscription_id = s.id and d.state = 'dead_lettered' and d.finished_at >= $2 and not d.is_test
         order by d.id limit ${COUNTED}
       ) counted
     ) dead
     where s.company_id = any($1::text[]) and s.deleted_at is null and (unfinished.count > 0 or dead.count > 0)
     order by s.id`,
    [companies.map(({ id }) => id), restore.declaredAt],
  );
  return {
    restoredTo: formatDateTime(restore.restoredTo),
    declaredAt: formatDateTime(restore.declaredAt),
    companies: companies.map(({ id, name, hasFeed, feedKept, feedSeen, eventsKept, eventsSeen }) => ({
      id,
      name,
      feed: hasFeed && feedKept !== null ? { kept: feedKept, seen: feedSeen } : null,
      events: eventsKept === null ? null : { kept: eventsKept, seen: eventsSeen },
      webhooks: webhooks
        .filter(({ companyId }) => companyId === id)
        .map(({ companyId: _, oldest, ...webhook }) => ({
          ...webhook,
          oldest: formatOptionalDateTime(oldest),
        })),
    })),
    hasMore: found.length > limit,
  };
}
