import { newId } from '@partner/kernel/process/ids';
import { connectPlatform } from '@partner/local-stack/demo/platform';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import { eventually } from '@partner/test-kit/eventually';
import { z } from 'zod';
import type { Bench } from './bench-stack.js';
import { measureDeliveries, recordedBy } from './delivery-run.js';
import { addEndpoints, ENDPOINTS } from './fill.js';
import { steadily } from './pacing.js';
import { count, renderCosts } from './render-run.js';
import { summarise } from './statistics.js';

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
      const publishedAt = new Map<string, number>();
      const publishing: Promise<unknown>[] = [];
      await steadily(events, perSecond, signal, async (turn) => {
        const quoteId = newId('quo');
        const projectId = endpoints[turn % endpoints.length]?.projectId ?? '';
        publishedAt.set(quoteId, performance.now());
        publishing.push(platform.sendQuote({ quoteId, projectId }));
      });
      await Promise.all(publishing);
      return publishedAt;
    };
    const warmUp = WARM_UP_SECONDS * perSecond;
    await publish(warmUp);
    const isWarm = async () => (await recordedBy(stack)) >= warmUp;
    await eventually('the end of the warm-up', isWarm, { everyMs: 100, signal });
    report('warm');
    let publishedAt: Awaited<ReturnType<typeof publish>> = new Map();
    const start = async () => {
      publishedAt = await publish(perSecond * seconds);
    };
    const run = await measureDeliveries({ stack, receiver, events: perSecond * seconds, signal, start });
    const quotes = await quotesOfEvents(stack.description.postgresUrl);
    const times = [...receivedAt].flatMap(([eventId, at]) => {
      const from = publishedAt.get(quotes.get(eventId) ?? '');
      return from === undefined ? [] : [at - from];
    });
    return { perSecond, fromPublish: summarise(times), run };
  } finally {
    await platform.close();
  }
}

/** Renders the result. */
export function renderLatency(result: Awaited<ReturnType<typeof runLatencyBench>>) {
  const { p50, p95, p99 } = result.fromPublish;
  return [
    `${result.perSecond} events a second to ${ENDPOINTS} endpoints, ${count(result.run.events)} events`,
    `  from publish to receipt    p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
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
