import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { ATTEMPT_OUTCOMES } from '@partner/proto-contracts/public-api/webhook-delivery';
import type { Queryable } from '../database/database.js';
import { BREAKER_FAILURES } from './claim-due.js';

export type ReleaseMetrics = ReturnType<typeof createReleaseMetrics>;

export type AttemptMetrics = ReturnType<typeof createAttemptMetrics>;

/** What the release of due deliveries measures; the age of what is due is asked of the database at each scrape. */
export function createReleaseMetrics(metrics: Registry, database: Queryable) {
  new Gauge({
    name: 'partner_webhook_oldest_due_seconds',
    help: 'For how long the oldest due delivery has been due; 0 when none is, NaN when it is not known.',
    registers: [metrics],
    async collect() {
      this.set(await oldestDueSeconds(database).catch(() => Number.NaN));
    },
  });
  new Gauge({
    name: 'partner_webhook_open_breakers',
    help: 'Active subscriptions that get one attempt at a time, since the last ones failed; NaN when it is not known.',
    registers: [metrics],
    async collect() {
      this.set(await openBreakers(database).catch(() => Number.NaN));
    },
  });
  return {
    batchSize: new Histogram({
      name: 'partner_webhook_release_batch_size',
      help: 'Deliveries that were released at once; only batches with any.',
      buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
      registers: [metrics],
    }),
    leaseExpiries: new Counter({
      name: 'partner_webhook_lease_expiries_total',
      help: 'Released deliveries whose lease ran out without a result.',
      registers: [metrics],
    }),
    failedReleases: new Counter({
      name: 'partner_webhook_failed_releases_total',
      help: 'Deliveries that could not be given to the broker and became due again.',
      registers: [metrics],
    }),
  };
}

/** What the recording of attempts measures. */
export function createAttemptMetrics(metrics: Registry) {
  const attempts = new Counter({
    name: 'partner_webhook_attempts_recorded_total',
    help: 'Recorded attempts by how they ended.',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  for (const outcome of ATTEMPT_OUTCOMES) attempts.inc({ outcome }, 0);
  return {
    attempts,
    deadLetters: new Counter({
      name: 'partner_webhook_dead_letters_total',
      help: 'Deliveries whose last attempt failed.',
      registers: [metrics],
    }),
  };
}

async function openBreakers(database: Queryable): Promise<number> {
  const [row] = await database.query<{ open: number }>(
    `select count(*)::integer as open from subscriptions
     where failures_in_row >= $1 and state = 'active' and deleted_at is null`,
    [BREAKER_FAILURES],
  );
  return row?.open ?? 0;
}

/** Of each subscription the oldest that waits: the indexes begin with it, whatever the backlog. */
async function oldestDueSeconds(database: Queryable): Promise<number> {
  const [oldest] = await database.query<{ age: number }>(
    `with recursive first (subscription_id, next_attempt_at) as (
       (select subscription_id, next_attempt_at from deliveries where state = 'pending' and lease_id is null
        order by subscription_id, next_attempt_at limit 1)
       union all
       select following.* from first cross join lateral (
         select d.subscription_id, d.next_attempt_at from deliveries d
         where d.state = 'pending' and d.lease_id is null and d.subscription_id > first.subscription_id
         order by d.subscription_id, d.next_attempt_at limit 1
       ) following
     ), retry (subscription_id, next_attempt_at) as (
       (select subscription_id, next_attempt_at from deliveries where state = 'retry_scheduled' and lease_id is null
        order by subscription_id, next_attempt_at limit 1)
       union all
       select following.* from retry cross join lateral (
         select d.subscription_id, d.next_attempt_at from deliveries d
         where d.state = 'retry_scheduled' and d.lease_id is null and d.subscription_id > retry.subscription_id
         order by d.subscription_id, d.next_attempt_at limit 1
       ) following
     )
     select extract(epoch from now() - min(waiting.next_attempt_at))::double precision as age
     from (select * from first union all select * from retry) waiting
     where waiting.next_attempt_at <= now()
     having count(*) > 0`,
  );
  return oldest?.age ?? 0;
}
