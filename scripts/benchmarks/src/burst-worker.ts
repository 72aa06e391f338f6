import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import { z } from 'zod';
import { commitEvents } from './fill.js';
import { steadily } from './pacing.js';

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
  const { subscription, count, seconds } = settings;
  const times = Math.ceil(count / EVENTS_AT_ONCE);
  await steadily(times, times / seconds, new AbortController().signal, async (turn) => {
    const left = count - turn * EVENTS_AT_ONCE;
    await commitEvents(client, { subscriptions: [subscription], count: Math.min(EVENTS_AT_ONCE, left) });
  });
});
port.postMessage('done');
port.close();
