import { newId } from '@partner/kernel/ids';
import { connectPlatform } from '@partner/local-stack/demo/platform';
import type { Bench } from './bench-stack.js';
import { type DeliveryRun, measureDeliveries } from './delivery-run.js';
import { addEndpoints } from './fill-endpoints.js';
import { describeMachine, type Machine } from './machine.js';

/** What the benchmark of a flood has found. */
export interface FloodBenchResult {
  readonly benchmark: 'flood';
  readonly machine: Machine;
  readonly endpoints: number;
  readonly publishers: number;
  /** Messages per second that the broker confirmed. */
  readonly publishedPerSecond: number;
  readonly run: DeliveryRun;
}

const PUBLISHERS = 32;

/** Measures events from the publish of the first by the platform to the recorded result of the last. */
export async function runFloodBench(
  { stack, receiver, report, signal }: Bench,
  { events }: { readonly events: number },
): Promise<FloodBenchResult> {
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
    return {
      benchmark: 'flood',
      machine: describeMachine(),
      endpoints: endpoints.length,
      publishers: PUBLISHERS,
      publishedPerSecond,
      run,
    };
  } finally {
    await platform.close();
  }
}
