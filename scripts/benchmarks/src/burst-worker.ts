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

// In a separate thread: creating the events would delay the receiver and its clock.
const port = parentPort;
if (port === null) throw new Error('this is a worker');
await withPostgres(settings.postgresUrl, async (client) => {
  port.postMessage('ready');
  await once(port, 'message');
  let committed = 0;
  const startedAt = performance.now();
  while (committed < settings.count) {
    const count = Math.min(EVENTS_AT_ONCE, settings.count - committed);
    await commitEvents(client, { subscriptions: [settings.subscription], count });
    committed += count;
    const nextAt = startedAt + (committed * settings.seconds * 1_000) / settings.count;
    await new Promise((resolve) => {
      setTimeout(resolve, Math.max(0, nextAt - performance.now()));
    });
  }
});
port.postMessage('done');
port.close();
