import { once } from 'node:events';
import { createServer, request, type RequestListener } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { serviceSignature } from '@partner/kernel/security/webhook-signature';
import express from 'express';
import fastify from 'fastify';
import { expressHandler } from './express.js';
import { fastifyPlugin } from './fastify.js';
import { nextHandler } from './next.js';
import { createMemoryStore } from './store.js';
import { createWebhookReceiver, type WebhookReceiver } from './webhook-receiver.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
// Written in a way in which no library would write it again.
const BODY =
  '{ "id":"evt_1",  "event":"install.test","resource":{"type":"install_job","id":"job_1","version":1}, "data":{} }';

let handled: string[] = [];
let stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops) await stop();
  [handled, stops] = [[], []];
});

const aReceiver = (onEvent: (id: string) => void = (id) => void handled.push(id)) =>
  createWebhookReceiver({ secrets: [SECRET], store: createMemoryStore(), onEvent: ({ id }) => onEvent(id) });

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/webhooks`;
}

/** Each framework as a developer sets it up; resolves to the URL of its endpoint, or to a handler of requests. */
const FRAMEWORKS: Readonly<
  Record<string, (receiver: WebhookReceiver) => Promise<string | ((request: Request) => Promise<Response>)>>
> = {
  'node:http': (receiver) => listen(expressHandler(receiver)),
  Express: (receiver) => listen(express().post('/webhooks', expressHandler(receiver)).use(express.json())),
  'Express with express.raw': (receiver) =>
    listen(
      express()
        .use(express.raw({ type: 'application/json' }))
        .post('/webhooks', expressHandler(receiver)),
    ),
  async Fastify(receiver) {
    const app = fastify();
    app.post('/other', async ({ body }) => body);
    await app.register(fastifyPlugin(receiver));
    stops.push(() => app.close());
    return `${await app.listen({ host: '127.0.0.1', port: 0 })}/webhooks`;
  },
  'Next.js': async (receiver) => nextHandler(receiver),
};

async function deliver(
  endpoint: string | ((request: Request) => Promise<Response>),
  { secret = SECRET, body = BODY } = {},
): Promise<Response> {
  const timestamp = Math.floor(Date.now() / 1_000);
  const request = new Request(typeof endpoint === 'string' ? endpoint : 'http://localhost/webhooks', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-svc-timestamp': String(timestamp),
      'x-svc-signature': serviceSignature({ secret, timestamp, body: Buffer.from(body) }),
    },
    body,
  });
  return typeof endpoint === 'string' ? fetch(request) : endpoint(request);
}

describe.each(Object.entries(FRAMEWORKS))('the handler for %s', (_name, start) => {
  test('verifies the raw body, and responds with 204, 401 and 400 [CLIENT-7]', async () => {
    const endpoint = await start(aReceiver());
    expect((await deliver(endpoint)).status).toBe(204);
    expect((await deliver(endpoint, { body: '[]' })).status).toBe(400);
    const refused = await deliver(endpoint, { secret: 'whsec_b3RoZXI=' });
    expect([refused.status, await refused.text()]).toEqual([
      401,
      'the signature matches none of the secrets and public keys',
    ]);
    expect(handled).toEqual(['evt_1']);
  });

  test('lets an error of the handler become a failed delivery [CLIENT-7]', async () => {
    const endpoint = await start(
      aReceiver(() => {
        throw new Error('database down');
      }),
    );
    if (typeof endpoint === 'string') expect((await deliver(endpoint)).status).toBe(500);
    else await expect(deliver(endpoint)).rejects.toThrow('database down');
  });
});

test('Express behind express.json says what to do about the parsed body [CLIENT-7]', async () => {
  const app = express().use(express.json()).post('/webhooks', expressHandler(aReceiver()));
  const response = await deliver(await listen(app));
  expect(response.status).toBe(500);
  expect(await response.text()).toContain('mount the webhook handler before express.json()');
});

test('Fastify keeps its JSON parser for other routes [CLIENT-7]', async () => {
  const endpoint = await FRAMEWORKS['Fastify']?.(aReceiver());
  const response = await fetch(String(endpoint).replace('webhooks', 'other'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{ "a": 1 }',
  });
  expect(await response.json()).toEqual({ a: 1 });
});

test('the sender of a body that is too large can send it all, and gets 413 [CLIENT-7]', async () => {
  const sender = request(await listen(expressHandler(aReceiver())), { method: 'POST', agent: false });
  const statuses: (number | undefined)[] = [];
  sender.on('response', (response) => statuses.push(response.resume().statusCode));
  sender.end(Buffer.alloc(64 * 1024 * 1024));
  await once(sender, 'close');
  expect({ statuses, handled }).toEqual({ statuses: [413], handled: [] });
});
