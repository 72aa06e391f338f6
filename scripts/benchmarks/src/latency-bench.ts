import { newId } from '@partner/kernel/ids';
import { connectPlatform } from '@partner/local-stack/demo/platform';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import { z } from 'zod';
import type { Bench } from './bench-stack.js';
import { type DeliveryRun, measureDeliveries, recordedBy } from './delivery-run.js';
import { addEndpoints } from './fill-endpoints.js';
import { describeMachine, type Machine } from './machine.js';
import { pause, steadily } from './pacing.js';
import { quantileOf } from './statistics.js';

/** Times in milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** What the benchmark of latency has found. */
export interface LatencyBenchResult {
  readonly benchmark: 'latency';
  readonly machine: Machine;
  readonly perSecond: number;
  /** From the call of publish to the receipt of the webhook. */
  readonly fromPublish: Latency;
  /** From the broker's confirm to the receipt. */
  readonly fromConfirm: Latency;
  readonly run: DeliveryRun;
}

const WARM_UP_SECONDS = 3;

/** Measures events at a steady rate, from their publish by the platform to the receipt of the webhook. */
export async function runLatencyBench(
  { stack, receiver, report, signal }: Bench,
  { rate: perSecond, seconds }: { readonly rate: number; readonly seconds: number },
): Promise<LatencyBenchResult> {
  const endpoints = await addEndpoints(stack);
  const platform = await connectPlatform(stack.description.amqpUrl, signal);
  try {
    const receivedAt = new Map<string, number>();
    receiver.onReceived = (eventId) => {
      if (!receivedAt.has(eventId)) receivedAt.set(eventId, performance.now());
    };
    const publish = async (events: number) => {
      const sent = new Map<string, { readonly publishedAt: number; readonly confirmedAt: number }>();
      const publishing: Promise<void>[] = [];
      await steadily(events, perSecond, signal, async (turn) => {
        const quoteId = newId('quo');
        const projectId = endpoints[turn % endpoints.length]?.projectId ?? '';
        const publishedAt = performance.now();
        publishing.push(
          platform.sendQuote({ quoteId, projectId }).then(() => {
            sent.set(quoteId, { publishedAt, confirmedAt: performance.now() });
          }),
        );
      });
      await Promise.all(publishing);
      return sent;
    };
    const warmUp = WARM_UP_SECONDS * perSecond;
    await publish(warmUp);
    while ((await recordedBy(stack)) < warmUp) {
      signal.throwIfAborted();
      await pause(100);
    }
    report('warm');
    let sent: Awaited<ReturnType<typeof publish>> = new Map();
    const start = async () => {
      sent = await publish(perSecond * seconds);
    };
    const run = await measureDeliveries({ stack, receiver, events: perSecond * seconds, signal, start });
    const quotes = await quotesOfEvents(stack.description.postgresUrl);
    const times = [...receivedAt].flatMap(([eventId, at]) => {
      const times = sent.get(quotes.get(eventId) ?? '');
      return times === undefined
        ? []
        : [{ publish: at - times.publishedAt, confirm: at - times.confirmedAt }];
    });
    return {
      benchmark: 'latency',
      machine: describeMachine(),
      perSecond,
      fromPublish: latencyOf(times.map(({ publish: time }) => time)),
      fromConfirm: latencyOf(times.map(({ confirm }) => confirm)),
      run,
    };
  } finally {
    await platform.close();
  }
}

async function quotesOfEvents(postgresUrl: string): Promise<ReadonlyMap<string, string>> {
  return withPostgres(postgresUrl, async (client) => {
    const { rows } = await client.query(`select id, resource_id as "quoteId" from events`);
    const events = z.array(z.object({ id: z.string(), quoteId: z.string() })).parse(rows);
    return new Map(events.map(({ id, quoteId }) => [id, quoteId]));
  });
}

function latencyOf(times: readonly number[]): Latency {
  return { p50: quantileOf(times, 0.5), p95: quantileOf(times, 0.95), p99: quantileOf(times, 0.99) };
}
