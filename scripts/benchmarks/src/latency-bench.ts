import { newId } from '@partner/kernel/ids';
import { connectPlatform } from '@partner/local-stack/demo/platform';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import { z } from 'zod';
import type { Bench } from './bench-stack.js';
import { measureDeliveries, recordedBy } from './delivery-run.js';
import { addEndpoints, ENDPOINTS } from './fill-endpoints.js';
import { pause, steadily } from './pacing.js';
import { count, renderCosts } from './render-run.js';
import { quantileOf } from './statistics.js';

/** Times in milliseconds. */
interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

const WARM_UP_SECONDS = 3;

/** Measures events at a steady rate, from their publish by the platform to the receipt of the webhook. */
export async function runLatencyBench(
  { stack, receiver, report, signal }: Bench,
  { rate: perSecond, seconds }: { readonly rate: number; readonly seconds: number },
) {
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
      perSecond,
      /** From the call of publish to the receipt of the webhook. */
      fromPublish: latencyOf(times.map(({ publish: time }) => time)),
      /** From the broker's confirm to the receipt. */
      fromConfirm: latencyOf(times.map(({ confirm }) => confirm)),
      run,
    };
  } finally {
    await platform.close();
  }
}

/** Renders the result. */
export function renderLatency(result: Awaited<ReturnType<typeof runLatencyBench>>) {
  const line = (name: string, { p50, p95, p99 }: Latency) =>
    `  ${name}    p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
  return [
    `${result.perSecond} events a second to ${ENDPOINTS} endpoints, ${count(result.run.events)} events`,
    line('from publish to receipt', result.fromPublish),
    line("from the broker's confirm to receipt", result.fromConfirm),
    ...renderCosts(result.run),
  ];
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
