import { Counter, Histogram, type Registry } from 'prom-client';
import type { Database, Queryable } from '../../database/database.js';
import { measuredGauge } from '../../database/measured-gauge.js';
import { FAILING_AFTER } from '../deliveries/claim-rule.js';
import { type DeliveryCapacity, ENDPOINT_STATES, measuring, oldestDueSeconds } from './oldest-due.js';

export type ReleaseMetrics = ReturnType<typeof createReleaseMetrics>;

/** Metrics of releasing due deliveries. The age of due deliveries is queried from the database, at most every 10 s. */
export function createReleaseMetrics(
  metrics: Registry,
  database: Pick<Database, 'query'>,
  capacity: DeliveryCapacity,
) {
  measuredGauge({
    name: 'partner_webhook_oldest_due_seconds',
    help: 'Age of the oldest due delivery, 0 without one: to endpoints that have failed five times in a row (failing), to endpoints at capacity, with half of their slots in use while others have free slots (busy), and to all others (healthy). A delivery that the dispatcher received but did not report is due from the end of its first lease, and never counts as busy.',
    label: { name: 'endpoint_state', values: ENDPOINT_STATES },
    metrics,
    measure: () => oldestDueSeconds(measuring(database), capacity),
  });
  measuredGauge({
    name: 'partner_webhook_failing_endpoints',
    help: 'Active subscriptions whose last five or more attempts failed. Together they have at most half of the slots.',
    metrics,
    measure: () => failingEndpoints(measuring(database)),
  });
  return {
    batchSize: new Histogram({
      name: 'partner_webhook_release_batch_size',
      help: 'Deliveries per released batch, without empty batches.',
      buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
      registers: [metrics],
    }),
    leaseExpiries: new Counter({
      name: 'partner_webhook_lease_expiries_total',
      help: 'Released deliveries whose lease expired without a result.',
      registers: [metrics],
    }),
    failedReleases: new Counter({
      name: 'partner_webhook_failed_releases_total',
      help: 'Deliveries that the broker did not accept; they are due again.',
      registers: [metrics],
    }),
  };
}

async function failingEndpoints(database: Queryable): Promise<number> {
  const [row] = await database.query<{ failing: number }>(
    `select count(*)::integer as failing from subscriptions
     where failures_in_row >= $1 and state = 'active' and deleted_at is null`,
    [FAILING_AFTER],
  );
  return row?.failing ?? 0;
}
