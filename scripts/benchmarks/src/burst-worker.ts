import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import { z } from 'zod';
import { commitEvents } from './fill.js';

const settings = z
  .object({
    postgresUrl: z.string(),
    subscription: z.object({ id: z.string(), companyId: z.string() }),
    count: z.int(),
    seconds: z.int(),
  })
  .parse(workerData);

/** In small transactions, spread evenly over the given time: each event of a real burst has a separate transaction. */
const EVENTS_AT_ONCE = 25;

// In a separate thread, because creating the events would delay the receiver and its clock.
const port = parentPort;
if (port === null) throw new Error('this is a worker');
const ids = await withPostgres(settings.postgresUrl, async (client) => {
  port.postMessage('ready');
  await once(port, 'message');
  const committed: string[] = [];
  const startedAt = performance.now();
  while (committed.length < settings.count) {
    const count = Math.min(EVENTS_AT_ONCE, settings.count - committed.length);
    committed.push(...(await commitEvents(client, { subscriptions: [settings.subscription], count })));
    const nextAt = startedAt + (committed.length * settings.seconds * 1_000) / settings.count;
    await new Promise((resolve) => {
      setTimeout(resolve, Math.max(0, nextAt - performance.now()));
    });
  }
  return committed;
});
port.postMessage(ids);
port.close();
