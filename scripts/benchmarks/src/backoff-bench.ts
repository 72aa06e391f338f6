import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import { eventually } from '@partner/test-kit/eventually';
import { z } from 'zod';
import { FAILING_PATH, HANGING_PATH } from './bench-receiver.js';
import { type Bench, BENCH_HOSTS } from './bench-stack.js';
import { addCompany, addSubscription, commitEvents } from './fill-deliveries.js';
import { quantileOf } from './statistics.js';

/** The longest wait of a due retry while its subscription has a free slot. */
const LONGEST_IDLE_MS = 2_000;

/** Slots of a subscription by default. */
const SLOTS = 10;
const JITTER = 0.1;
const ENDPOINTS = {
  'responds with 503': { path: `${FAILING_PATH}1`, host: BENCH_HOSTS.failing },
  hangs: { path: `${HANGING_PATH}1`, host: BENCH_HOSTS.hanging },
};

/** The delays of the retries of one number after their backoff, in milliseconds. */
interface RetryLateness {
  readonly backoffMs: number;
  readonly min: number;
  readonly median: number;
  readonly max: number;
  /** Retries that started within 0 to +10 % of the backoff. */
  readonly onTime: number;
  /** The longest wait of the others while a slot was free. */
  readonly longestIdleMs: number;
}

const attemptRow = z.object({ id: z.string(), number: z.int(), startedAt: z.number(), endedAt: z.number() });
type Attempt = z.infer<typeof attemptRow>;

/**
 * Measures when retries start, for equal numbers of deliveries to an endpoint that responds with 503 and to one that hangs.
 * A retry starts within 0 to +10 % of its backoff, or as soon as its subscription has a free slot.
 */
export async function runBackoffBench(
  { stack, report, signal }: Bench,
  options: {
    readonly deliveries: number;
    readonly retries: number;
    /** `WEBHOOK_RETRY_BASE_MS` of the stack. */
    readonly base: number;
  },
) {
  const { deliveries, retries, base: baseMs } = options;
  // All attempts one after the other in the slots, and twice the backoff.
  const timeoutMs = (deliveries * (retries + 1) * 10_000) / SLOTS + baseMs * 2 ** (retries + 1) + 120_000;
  return withPostgres(stack.description.postgresUrl, async (client) => {
    const subscriptions = await Promise.all(
      Object.entries(ENDPOINTS).map(async ([name, endpoint]) => {
        const companyId = await addCompany(client, name);
        return { name, ...(await addSubscription(client, { ...stack, companyId, ...endpoint })) };
      }),
    );
    await commitEvents(client, { subscriptions, count: deliveries * subscriptions.length, signal });
    report(`${deliveries} deliveries to each endpoint, ${retries} retries of each`);
    const endpoints = await Promise.all(
      subscriptions.map(async ({ id, name }) => {
        const attempts = await eventually(
          `the retries to the endpoint that ${name}`,
          async () => {
            const { rows } = await client.query(
              `select delivery_id as id, number, extract(epoch from started_at)::float8 * 1000 as "startedAt",
                   extract(epoch from started_at)::float8 * 1000 + duration_ms as "endedAt"
                 from delivery_attempts where delivery_id in (select id from deliveries where subscription_id = $1)`,
              [id],
            );
            const made = z.array(attemptRow).parse(rows);
            return made.filter(({ number }) => number > retries).length >= deliveries && made;
          },
          { timeoutMs, everyMs: 1_000, signal },
        );
        report(`the endpoint that ${name}: done`);
        return {
          name,
          /** By the number of the retry, from 1. */
          retries: Array.from({ length: retries }, (_, index) =>
            latenessOf(attempts, index + 2, baseMs * 2 ** index),
          ),
        };
      }),
    );
    const all = endpoints.flatMap((endpoint) => endpoint.retries);
    const holds = all.every(({ min, longestIdleMs }) => min >= 0 && longestIdleMs <= LONGEST_IDLE_MS);
    return { deliveries, endpoints, holds };
  });
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;

/** Renders the result. */
export function renderBackoff(result: Awaited<ReturnType<typeof runBackoffBench>>) {
  const line = (retry: RetryLateness, index: number) =>
    `  retry ${index + 1} after ${retry.backoffMs / 1_000} s: later by min ${seconds(retry.min)}, median ${seconds(retry.median)},` +
    ` max ${seconds(retry.max)}; ${retry.onTime} of ${result.deliveries} within +10 %;` +
    ` the others waited at most ${seconds(retry.longestIdleMs)} while a slot was free`;
  return [
    ...result.endpoints.flatMap(({ name, retries }) => [
      `${result.deliveries} deliveries to an endpoint that ${name}:`,
      ...retries.map(line),
      '',
    ]),
    `No retry may start early, or wait longer than ${seconds(LONGEST_IDLE_MS)} while a slot is free.`,
  ];
}

function latenessOf(attempts: readonly Attempt[], number: number, backoffMs: number): RetryLateness {
  const ends = new Map(attempts.map(({ id, number, endedAt }) => [`${id} ${number}`, endedAt]));
  const retries = attempts
    .filter((attempt) => attempt.number === number)
    .map(({ id, startedAt }) => ({ startedAt, dueAt: (ends.get(`${id} ${number - 1}`) ?? 0) + backoffMs }));
  const isLate = (retry: (typeof retries)[number]) => retry.startedAt > retry.dueAt + JITTER * backoffMs;
  const idle = retries.filter(isLate).map(({ startedAt, dueAt }) => {
    const latestDueAt = dueAt + JITTER * backoffMs;
    const fullUntil = attempts
      .filter(({ endedAt }) => endedAt > latestDueAt && endedAt <= startedAt)
      .filter(
        ({ endedAt: at }) => attempts.filter((a) => a.startedAt < at && a.endedAt >= at).length >= SLOTS,
      )
      .map(({ endedAt }) => endedAt);
    return startedAt - Math.max(latestDueAt, ...fullUntil);
  });
  const lateness = retries.map(({ startedAt, dueAt }) => startedAt - dueAt);
  return {
    backoffMs,
    min: Math.min(...lateness),
    median: quantileOf(lateness, 0.5),
    max: Math.max(...lateness),
    onTime: retries.length - idle.length,
    longestIdleMs: Math.max(0, ...idle),
  };
}
