import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { parentPort, workerData } from 'node:worker_threads';
import { newId } from '@partner/kernel/ids';
import { z } from 'zod';
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
const standardKey = Buffer.from(BENCH_SECRET.slice('whsec_'.length), 'base64');

/** Signs and POSTs one event, with the headers of a delivery. */
function post(): Promise<void> {
  const eventId = newId('evt');
  const body = bodyOf(eventId);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', BENCH_SECRET).update(`${timestamp}.`).update(body).digest('hex');
  const standard = createHmac('sha256', standardKey)
    .update(`${eventId}.${timestamp}.`)
    .update(body)
    .digest('base64');
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        agent,
        host: '127.0.0.1',
        port: settings.port,
        servername: RECEIVER_HOST,
        method: 'POST',
        path: '/bare',
        headers: {
          host: RECEIVER_HOST,
          'content-type': 'application/json',
          'content-length': String(body.length),
          'x-svc-event': 'install.status_changed',
          'x-svc-delivery-id': newId('dlv'),
          'x-svc-timestamp': timestamp,
          'x-svc-secret-version': '1',
          'x-svc-signature': `v1=${signature}`,
          'webhook-id': eventId,
          'webhook-timestamp': timestamp,
          'webhook-signature': `v1,${standard}`,
        },
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
