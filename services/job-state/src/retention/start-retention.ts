import { counter, gauge } from '@partner/kernel/amqp/metrics';
import type { Logger } from '@partner/kernel/telemetry/logger';
import type { Registry } from 'prom-client';
import type { Database } from '../database/database.js';
import { type Loop, startLoop } from '../database/start-loop.js';
import type { RetentionSettings } from '../database/table.js';
import { agreedNow, RetentionBusyError } from './partitions.js';
import { retainedTables } from './partitioned-table.js';
import { oldestSeconds, runRetention } from './run-retention.js';

const FAILURE_PAUSE_MS = 60_000;

/**
 * Creates partitions, deletes data past its retention and archives closed jobs, at once and then after each interval.
 *
 * A failed run is retried after a minute. Any number of replicas can run it: one works, the others find nothing left. Age uses
 * the earlier of the clocks of this process and the server, so that one wrong clock cannot drop recent data.
 */
export function startRetention(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly settings: RetentionSettings;
  readonly clock: () => Date;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly metrics: Registry;
  readonly intervalMs: number;
}): Loop {
  const { database, settings, logger } = deps;
  const metrics = createRetentionMetrics(deps.metrics);
  const tables = retainedTables();
  for (const { name } of tables) metrics.oldest.set({ table: name }, Number.NaN);

  async function measure(now: Date): Promise<void> {
    for (const table of tables) {
      const age = await oldestSeconds(database, table, now).catch(() => Number.NaN);
      metrics.oldest.set({ table: table.name }, age);
    }
  }

  return startLoop({
    name: 'retention',
    intervalMs: deps.intervalMs,
    failurePauseMs: FAILURE_PAUSE_MS,
    logger,
    metrics: deps.metrics,
    runOnce: async () => {
      const now = await agreedNow(database, deps.clock);
      try {
        const next = await runRetention(
          {
            database,
            settings,
            logger,
            metrics: {
              dropped: (table) => metrics.dropped.inc({ table }),
              purged: (table, rows) => metrics.purged.inc({ table }, rows),
              archived: (jobs) => metrics.archived.inc(jobs),
              kept: (table, partitions) => metrics.kept.set({ table }, partitions),
            },
          },
          now,
        );
        metrics.lastSuccess.set(now.getTime() / 1_000);
        return next;
      } catch (error) {
        if (error instanceof RetentionBusyError) return 'idle';
        throw error;
      } finally {
        await measure(now);
      }
    },
  });
}

function createRetentionMetrics(metrics: Registry) {
  const labels = ['table'] as const;
  return {
    dropped: counter(metrics, {
      name: 'partner_retention_dropped_partitions_total',
      help: 'Dropped partitions: all of their rows were past their retention.',
      labels,
    }),
    purged: counter(metrics, {
      name: 'partner_retention_purged_rows_total',
      help: 'Rows deleted because of their age: counted in batches, estimated in dropped partitions.',
      labels,
    }),
    archived: counter(metrics, {
      name: 'partner_retention_archived_jobs_total',
      help: 'Closed jobs moved to the archive.',
      labels: [],
    }),
    kept: gauge(metrics, {
      name: 'partner_retention_overdue_partitions',
      help: 'Partitions past their retention that are still needed, as of the last run.',
      labels,
    }),
    oldest: gauge(metrics, {
      name: 'partner_retention_oldest_seconds',
      help: 'Age of the oldest data since the end of its partition, as of the last run; NaN if unknown.',
      labels,
    }),
    lastSuccess: gauge(metrics, {
      name: 'partner_retention_last_success_timestamp_seconds',
      help: 'Time of the last complete run of this process; 0 before the first.',
      labels: [],
    }),
  };
}
