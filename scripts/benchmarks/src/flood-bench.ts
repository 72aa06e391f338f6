import { newId } from '@partner/kernel/ids';
import { connectPlatform } from '@partner/local-stack/demo/platform';
import type { Bench } from './bench-stack.js';
import { measureDeliveries } from './delivery-run.js';
import { addEndpoints, ENDPOINTS } from './fill.js';
import { count, renderCosts, renderRates } from './render-run.js';

const PUBLISHERS = 32;

/** Measures events from the publish of the first by the platform to the recorded result of the last. */
export async function runFloodBench(
  { stack, receiver, report, signal }: Bench,
  { events }: { readonly events: number },
) {
  const endpoints = await addEndpoints(stack);
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
    const run = await measureDeliveries({ stack, receiver, events, signal, start });
    // Counts the broker's confirms.
    return { endpoints: endpoints.length, publishers: PUBLISHERS, publishedPerSecond, run };
  } finally {
    await platform.close();
  }
}

/** Renders the result. */
export function renderFlood({
  publishers,
  publishedPerSecond,
  run,
}: Awaited<ReturnType<typeof runFloodBench>>) {
  return [
    `${count(run.events)} events to ${ENDPOINTS} endpoints, from the first publish to the last recorded result`,
    `  published by ${publishers} publishers    ${count(publishedPerSecond)} a second`,
    ...renderRates(run),
    ...renderCosts(run),
  ];
}
