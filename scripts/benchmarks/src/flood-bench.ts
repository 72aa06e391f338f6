import { newId } from '@partner/kernel/process/ids';
import { connectPlatform } from '@partner/local-stack/demo/platform';
import type { Bench } from './bench-stack.js';
import { measureDeliveries } from './delivery-run.js';
import { addEndpoints, ENDPOINTS } from './fill.js';
import { count, renderCosts, renderRates } from './render-run.js';

const PUBLISHERS = 32;

/** Measures events from the publish of the first by the platform to the recorded result of the last. */
export async function runFloodBench(
  { stack, receiver, report, signal }: Bench,
  { events, subscriptions }: { readonly events: number; readonly subscriptions: number },
) {
  const endpoints = await addEndpoints(stack, subscriptions);
  const platform = await connectPlatform(stack.description.amqpUrl, signal);
  try {
    let published = 0;
    let publishedPerSecond = 0;
    const start = async () => {
      const startedAt = performance.now();
      await Promise.all(
        Array.from({ length: PUBLISHERS }, async () => {
          while (published < events) {
            signal.throwIfAborted();
            const projectId = endpoints[published % endpoints.length]?.projectId ?? '';
            published += 1;
            await platform.sendQuote({ quoteId: newId('quo'), projectId });
          }
        }),
      );
      publishedPerSecond = (events * 1_000) / (performance.now() - startedAt);
      report('all events are published');
    };
    const deliveries = events * subscriptions;
    const run = await measureDeliveries({ stack, receiver, events: deliveries, signal, start });
    // Counts the broker's confirms.
    return { events, subscriptions, publishers: PUBLISHERS, publishedPerSecond, run };
  } finally {
    await platform.close();
  }
}

/** Renders the result. */
export function renderFlood(result: Awaited<ReturnType<typeof runFloodBench>>) {
  const { subscriptions, publishers, publishedPerSecond, run } = result;
  return [
    `${count(run.events)} deliveries, ${subscriptions} of each event, to ${ENDPOINTS} companies, from the first publish to the last recorded result`,
    `  published by ${publishers} publishers    ${count(publishedPerSecond)} a second`,
    ...renderRates(run),
    ...renderCosts(run),
  ];
}
