import { setTimeout as delay } from 'node:timers/promises';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import { readMetric } from '@partner/test-kit/read-metric';
import type { Stack } from '@partner/local-stack/stack/start-stack';
import { z } from 'zod';
import type { Bench } from './bench-stack.js';
import { peakMemoryMiB } from './process-usage.js';
import { grownSince, readStorage } from './postgres-counters.js';
import { coresOfOthers, processesOf, readUsage, usageSince } from './usage-meter.js';

export type DeliveryRun = Awaited<ReturnType<typeof measureDeliveries>>;

const databaseWork = z.object({
  statements: z.coerce.number(),
  transactions: z.coerce.number(),
  inserted: z.coerce.number(),
  updated: z.coerce.number(),
  deleted: z.coerce.number(),
  walBytes: z.coerce.number(),
  walSyncs: z.coerce.number(),
});

type DatabaseWork = z.infer<typeof databaseWork>;

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
  const processes = [...processesOf(stack), { process: 'bench', pid: process.pid }];
  const base = await recordedBy(stack);
  const connectionsBefore = connections();
  const arrivalsBefore = arrivals.length;
  const databaseBefore = await readDatabaseWork(stack);
  const storageBefore = await readStorage(stack);
  const before = readUsage(processes, stack);
  await Promise.all([untilRecorded(stack, { base, events, signal }), start()]);
  const usage = usageSince(before, processes, stack);
  const peaks = SERVICES.flatMap((name): [string, number][] => {
    const peak = peakMemoryMiB(stack.process(name).pid ?? 0);
    return peak === undefined ? [] : [[name, peak]];
  });
  await stack.process('job-state').stop();
  const databaseAfter = await readDatabaseWork(stack);

  const processors = Object.entries(usage.processors).map(([name, ms]): [string, number] => [
    name,
    ms / events,
  ]);
  const seconds = usage.elapsedMs / 1_000;
  return {
    events,
    seconds,
    recordedPerSecond: events / seconds,
    receivedPerSecond:
      ((arrivals.length - arrivalsBefore) * 1_000) / ((arrivals.at(-1)?.at ?? before.at) - before.at),
    connections: connections() - connectionsBefore,
    /** Milliseconds for each event, by process. `bench` publishes and receives. */
    processors: Object.fromEntries(processors),
    processorMs: processors.reduce((sum, [name, ms]) => sum + (name === 'bench' ? 0 : ms), 0),
    coresOfOthers: coresOfOthers([usage]),
    brokerBytes: usage.brokerBytes / events,
    stored: await grownSince(storageBefore, stack),
    postgres: workPerEvent(databaseBefore, databaseAfter, events),
    /** Since the start of each service. Absent where the system does not report it. */
    peakMiB: Object.fromEntries(peaks),
  };
}

function workPerEvent(from: DatabaseWork, to: DatabaseWork, events: number): DatabaseWork {
  const before = new Map(Object.entries(from));
  const each = Object.entries(to).map(([name, value]) => [name, (value - (before.get(name) ?? 0)) / events]);
  return databaseWork.parse(Object.fromEntries(each));
}

async function untilRecorded(
  stack: Stack,
  options: { readonly base: number; readonly events: number; readonly signal: AbortSignal },
): Promise<void> {
  let before = -1;
  let changedAt = performance.now();
  for (;;) {
    options.signal.throwIfAborted();
    const recorded = (await recordedBy(stack)) - options.base;
    if (recorded >= options.events) return;
    if (recorded !== before) changedAt = performance.now();
    before = recorded;
    if (performance.now() - changedAt > GIVE_UP_MS)
      throw new Error(`only ${recorded} of ${options.events} deliveries are recorded`);
    await delay(SAMPLE_MS);
  }
}

export async function recordedBy(stack: Stack): Promise<number> {
  const { adminUrl = '' } = stack.description.services['job-state'] ?? {};
  return readMetric(adminUrl, 'partner_webhook_attempts_recorded_total');
}

async function readDatabaseWork(stack: Stack): Promise<DatabaseWork> {
  return withPostgres(stack.description.postgresUrl, async (client) => {
    const { rows } = await client.query(
      `select (select sum(calls) from pg_stat_statements where dbid = datid) as statements,
         xact_commit + xact_rollback as transactions, tup_inserted as inserted, tup_updated as updated,
         tup_deleted as deleted, wal_bytes as "walBytes", wal_sync as "walSyncs"
       from pg_stat_database, pg_stat_wal where datname = current_database()`,
    );
    return databaseWork.parse(rows[0]);
  });
}
