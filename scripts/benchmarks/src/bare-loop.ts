import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { parentPort, workerData } from 'node:worker_threads';
import { newId } from '@partner/kernel/process/ids';
import { z } from 'zod';
import { signDelivery } from '@partner/local-stack/receiver/sign-delivery';
import { RECEIVER_HOST } from '@partner/local-stack/stack/receiver-hosts';
import { BENCH_SECRET, bodyOf } from './fill.js';

const settings = z
  .object({ port: z.int(), caFile: z.string(), atOnce: z.int(), milliseconds: z.number() })
  .parse(workerData);

const agent = new Agent({
  keepAlive: true,
  maxSockets: settings.atOnce,
  ca: readFileSync(settings.caFile),
});

/** Signs and POSTs one event, with the headers of a delivery. */
function post(): Promise<void> {
  const eventId = newId('evt');
  const body = bodyOf(eventId);
  const { headers } = signDelivery({
    ...{ secret: BENCH_SECRET, secretVersion: 1, event: 'install.status_changed' },
    ...{ eventId, at: new Date(), body },
  });
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        agent,
        host: '127.0.0.1',
        port: settings.port,
        servername: RECEIVER_HOST,
        method: 'POST',
        path: '/bare',
        headers: { ...headers, host: RECEIVER_HOST, 'content-length': body.length },
      },
      (response) => {
        response.resume();
        response.once('end', resolve);
        response.once('error', reject);
      },
    );
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

const end = performance.now() + settings.milliseconds;
let posts = 0;
const startedAt = performance.now();
await Promise.all(
  Array.from({ length: settings.atOnce }, async () => {
    while (performance.now() < end) {
      await post();
      posts += 1;
    }
  }),
);
parentPort?.postMessage({ perSecond: (posts * 1_000) / (performance.now() - startedAt) });
agent.destroy();
