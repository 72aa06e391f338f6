import { formatDateTime, formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import type { RestoreCheck } from '@partner/proto-contracts/resources/restore-check/restore-check';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { Queryable } from '../database/database.js';

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
