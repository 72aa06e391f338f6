import { parentPort, workerData } from 'node:worker_threads';
import { withPostgres } from '@partner/runtime/local-parts/postgres';
import { z } from 'zod';
import { commitEvents } from './fill-deliveries.js';

const settings = z
  .object({
    postgresUrl: z.string(),
    subscription: z.object({ id: z.string(), companyId: z.string() }),
    count: z.int(),
  })
  .parse(workerData);

// Apart from the receiver and its clock, which the making of so many events would hold up.
const ids = await withPostgres(settings.postgresUrl, (client) =>
  commitEvents(client, { subscriptions: [settings.subscription], count: settings.count }),
);
parentPort?.postMessage(ids);
