import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { createHttpClient, type HttpCall } from './http-client.js';
import { steadily } from './pacing.js';

const settings = z
  .object({ baseUrl: z.string(), call: z.custom<HttpCall>(), perSecond: z.number(), seconds: z.number() })
  .parse(workerData);

/** Many, so that a slow response does not lower the rate. */
const CONNECTIONS = 10;

// In a separate thread: the hostile company's calls would delay the measured ones and their clock.
const port = parentPort;
if (port === null) throw new Error('this is a worker');
const client = createHttpClient(settings.baseUrl);
const never = new AbortController().signal;
const perSecond = settings.perSecond / CONNECTIONS;
// Most are refused.
const send = () => client.send(settings.call).then(undefined, () => undefined);
const caller = () =>
  steadily(perSecond * settings.seconds, perSecond, never, async () => void (await send()));
port.on('message', () => {
  void Promise.all(Array.from({ length: CONNECTIONS }, caller)).then(() => port.postMessage('done'));
});
