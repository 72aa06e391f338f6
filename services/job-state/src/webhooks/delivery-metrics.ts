import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { ATTEMPT_OUTCOMES } from '@partner/proto-contracts/public-api/console';
import type { Queryable } from '../database/database.js';

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

/** The index of what is due begins with the answer, whatever the backlog. */
async function oldestDueSeconds(database: Queryable): Promise<number> {
  const [oldest] = await database.query<{ age: number }>(
    `select extract(epoch from now() - next_attempt_at)::double precision as age
     from deliveries where finished_at is null and state <> 'held' and next_attempt_at <= now()
     order by next_attempt_at limit 1`,
  );
  return oldest?.age ?? 0;
}
