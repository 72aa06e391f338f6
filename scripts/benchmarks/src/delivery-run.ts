import { setTimeout as delay } from 'node:timers/promises';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import { readMetric } from '@partner/test-kit/read-metric';
import type { Stack } from '@partner/local-stack/stack/start-stack';
import { z } from 'zod';
import type { Bench } from './bench-stack.js';
import { peakMemoryMiB } from './process-usage.js';
import { readStorage } from './postgres-counters.js';
import { coresOfOthers, type Counters, createUsageMeter, growth, mapCounters, sum } from './usage-meter.js';

export type DeliveryRun = Awaited<ReturnType<typeof measureDeliveries>>;

const SAMPLE_MS = 200;
/** After this time without a recorded result, the run counts a delivery as lost. */
const GIVE_UP_MS = 60_000;
const SERVICES = ['job-state', 'webhook-dispatcher'] as const;

/**
 * Measures from the call of `start` until the attempts of all expected events are recorded. Then stops job-state, because
 * Postgres counts the work of a connection only seconds later, or when it closes.
 */
export async function measureDeliveries(
  { stack, arrivals, connections, signal }: Bench,
  events: number,
  start: () => Promise<void> = () => Promise.resolve(),
) {
  const measure = createUsageMeter(stack, [{ process: 'bench', pid: process.pid }]);
  const base = await recordedBy(stack);
  const connectionsBefore = connections();
  const arrivalsBefore = arrivals.length;
  const databaseBefore = await readDatabaseWork(stack);
  const storageBefore = await readStorage(stack);
  const { result: startedAt, usage } = await measure(async () => {
    const now = performance.now();
    await untilRecorded({ stack, signal }, events, start, base);
    return now;
  });
  const peaks = SERVICES.flatMap((name): [string, number][] => {
    const peak = peakMemoryMiB(stack.process(name).pid ?? 0);
    return peak === undefined ? [] : [[name, peak]];
  });
  await stack.process('job-state').stop();
  const databaseAfter = await readDatabaseWork(stack);

  const perEvent = (counters: Counters) => mapCounters(counters, (value) => value / events);
  const processors = perEvent(usage.processors);
  const seconds = usage.elapsedMs / 1_000;
  return {
    events,
    seconds,
    recordedPerSecond: events / seconds,
    receivedPerSecond:
      ((arrivals.length - arrivalsBefore) * 1_000) / ((arrivals.at(-1)?.at ?? startedAt) - startedAt),
    connections: connections() - connectionsBefore,
    /** Milliseconds for each event, by process. `bench` publishes and receives. */
    processors,
    processorMs: sum(Object.values(processors)) - (processors['bench'] ?? 0),
    coresOfOthers: coresOfOthers([usage]),
    brokerBytes: usage.brokerBytes / events,
    stored: growth(storageBefore, await readStorage(stack)),
    postgres: perEvent(growth(databaseBefore, databaseAfter)),
    /** Since the start of each service. Absent where the system does not report it. */
    peakMiB: Object.fromEntries(peaks),
  };
}

/**
 * Returns the recorded events a second, from the call of `start` until the attempts of all expected ones are recorded, in addition
 * to `base`, those of before. Fails if a minute adds none.
 */
export async function untilRecorded(
  { stack, signal }: Pick<Bench, 'stack' | 'signal'>,
  events: number,
  start: () => Promise<void>,
  base?: number,
): Promise<number> {
  const before = base ?? (await recordedBy(stack));
  const startedAt = performance.now();
  const recording = async () => {
    let latest = -1;
    let changedAt = startedAt;
    for (;;) {
      signal.throwIfAborted();
      const recorded = (await recordedBy(stack)) - before;
      if (recorded >= events) return;
      if (recorded !== latest) changedAt = performance.now();
      latest = recorded;
      if (performance.now() - changedAt > GIVE_UP_MS)
        throw new Error(`only ${recorded} of ${events} deliveries are recorded`);
      await delay(SAMPLE_MS);
    }
  };
  await Promise.all([recording(), start()]);
  return (events * 1_000) / (performance.now() - startedAt);
}

async function recordedBy(stack: Stack): Promise<number> {
  const { adminUrl = '' } = stack.description.services['job-state'] ?? {};
  return readMetric(adminUrl, 'partner_webhook_attempts_recorded_total');
}

async function readDatabaseWork(stack: Stack): Promise<Counters> {
  return withPostgres(stack.description.postgresUrl, async (client) => {
    const { rows } = await client.query(
      `select (select sum(calls) from pg_stat_statements where dbid = datid) as statements,
         xact_commit + xact_rollback as transactions, tup_inserted as inserted, tup_updated as updated,
         tup_deleted as deleted, wal_bytes as "walBytes", wal_sync as "walSyncs"
       from pg_stat_database, pg_stat_wal where datname = current_database()`,
    );
    return z.record(z.string(), z.coerce.number()).parse(rows[0]);
  });
}
