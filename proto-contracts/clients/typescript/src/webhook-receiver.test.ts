import { createServer, type ServerResponse } from 'node:http';
import { expect, jest, test } from '@jest/globals';
import { closeServer, listen } from '@partner/kernel/process/listen';
import { asymmetricSignature, privateKeyOf, publicKeyOf } from '@partner/kernel/security/signing-keys';
import { serviceSignature } from '@partner/kernel/security/webhook-signature';
import { createMemoryStore } from './store.js';
import { createWebhookReceiver, type Delivery, type WebhookReceiverOptions } from './webhook-receiver.js';

// What holds for the receiver of each language is in `client-webhooks.int.test.ts`.

const NOW = Date.parse('2026-08-26T14:00:00Z');
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

function delivery(id = 'evt_1', headers: Readonly<Record<string, string>> = {}) {
  const resource = { type: 'install_job', id: 'job_1', version: 2 };
  const body = Buffer.from(JSON.stringify({ id, event: 'install.status_changed', resource, data: {} }));
  const timestamp = NOW / 1_000;
  const signature = serviceSignature({ secret: SECRET, timestamp, body });
  return {
    body,
    headers: { 'x-svc-timestamp': String(timestamp), 'x-svc-signature': signature, ...headers },
  };
}

function aReceiver(options: Partial<WebhookReceiverOptions> = {}) {
  const handled: (readonly [string, Delivery])[] = [];
  const { receive } = createWebhookReceiver({
    secrets: [SECRET],
    store: createMemoryStore(),
    onEvent: (event, about) => void handled.push([event.id, about]),
    now: () => NOW,
    ...options,
  });
  return { receive, handled };
}

test('a webhook receiver refuses a parsed body that cannot be written again with 401 [CLIENT-16]', async () => {
  const { receive, handled } = aReceiver();
  const circle: Record<string, unknown> = {};
  circle['of'] = circle;
  const deep: unknown = JSON.parse('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000));
  for (const body of [deep, circle, 1n, undefined, null, () => 1]) {
    const response: unknown = await Reflect.apply(receive, undefined, [delivery().headers, body]);
    expect(response).toMatchObject({ status: 401 });
  }
  expect(handled).toEqual([]);
});

test('a webhook receiver reads headers of any mapping, and a body as text [CLIENT-16]', async () => {
  const { headers, body } = delivery();
  for (const mapping of [new Headers(headers), new Map(Object.entries(headers)), Object.entries(headers)])
    expect(await aReceiver().receive(mapping, body.toString())).toEqual({ status: 204 });
});

test('a webhook receiver handles an event once, also if two deliveries arrive together [CLIENT-6]', async () => {
  const { receive, handled } = aReceiver();
  const { headers, body } = delivery();
  const both = await Promise.all([receive(headers, body), receive(headers, body)]);
  expect([both, handled.length]).toEqual([[{ status: 204 }, { status: 204 }], 1]);
});

test('a webhook receiver handles deliveries for one resource one after another [CLIENT-6]', async () => {
  const steps: string[] = [];
  const { receive } = aReceiver({
    async onEvent({ id }) {
      steps.push(`begin ${id}`);
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`end ${id}`);
    },
  });
  await Promise.all(['evt_1', 'evt_2'].map((id) => receive(delivery(id).headers, delivery(id).body)));
  expect([0, 2].map((place) => steps[place]?.replace('begin', 'end'))).toEqual([steps[1], steps[3]]);
});

test('a webhook receiver shares one read of public keys, and verifies with known ones during the next [CLIENT-19]', async () => {
  const key = privateKeyOf(Buffer.alloc(32), 'whk_a');
  const timeout = jest.spyOn(AbortSignal, 'timeout');
  const requests: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    requests.push(response);
    if (requests.length === 1) response.end(JSON.stringify({ keys: [{ publicKey: publicKeyOf(key) }] }));
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'test' });
  try {
    let now = NOW;
    const publicKeysUrl = `http://127.0.0.1:${port}/`;
    const { receive } = aReceiver({ secrets: [], publicKeysUrl, now: () => now });
    const receiveMany = () => {
      const { body } = delivery();
      const timestamp = now / 1_000;
      const signature = asymmetricSignature(key, { eventId: 'evt_1', timestamp, body });
      const headers = {
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signature,
      };
      return Promise.all(Array.from({ length: 8 }, () => receive(headers, body)));
    };
    const accepted = Array.from({ length: 8 }, () => ({ status: 204 }));
    expect([await receiveMany(), requests.length]).toEqual([accepted, 1]);
    now += 300_000;
    // The second read never ends.
    timeout.mockReturnValue(new AbortController().signal);
    const asked = new Promise((resolve) => server.once('request', resolve));
    expect(await receiveMany()).toEqual(accepted);
    await asked;
    expect(requests.length).toBe(2);
  } finally {
    timeout.mockRestore();
    server.closeAllConnections();
    await closeServer(server);
  }
});
