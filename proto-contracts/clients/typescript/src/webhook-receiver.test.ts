import { describe, expect, test } from '@jest/globals';
import { serviceSignature, standardWebhooksSignature } from '@partner/kernel/webhook-signature';
import { createMemoryStore } from './store.js';
import { eventFeedSecret } from './verify-signature.js';
import { createWebhookReceiver, type Delivery, type WebhookReceiverOptions } from './webhook-receiver.js';

const NOW = Date.parse('2026-08-26T14:00:00Z');
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

function delivery({ id = 'evt_1', version = 2, secret = SECRET, ageSeconds = 0, headers = {} } = {}) {
  const resource = { type: 'install_job', id: 'job_1', version };
  const body = Buffer.from(
    JSON.stringify({ id, event: 'install.status_changed', resource, data: { note: 'café ☕' } }),
  );
  const timestamp = NOW / 1_000 - ageSeconds;
  const signed = { secret, timestamp, eventId: id, body };
  return {
    body,
    headers: {
      'x-svc-timestamp': String(timestamp),
      'x-svc-signature': serviceSignature(signed),
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': standardWebhooksSignature(signed),
      ...headers,
    },
  };
}

/** Without the headers whose names begin so. */
function without(prefix: string, from = delivery()) {
  const kept = Object.entries(from.headers).filter(([name]) => !name.startsWith(prefix));
  return { ...from, headers: Object.fromEntries(kept) };
}

function aReceiver(options: Partial<WebhookReceiverOptions> = {}) {
  const handled: (readonly [string, Delivery])[] = [];
  const receiver = createWebhookReceiver({
    secrets: [SECRET],
    store: createMemoryStore(),
    onEvent: (event, about) => void handled.push([event.id, about]),
    now: () => NOW,
    ...options,
  });
  const receive = async (
    sent: Pick<ReturnType<typeof delivery>, 'body'> & { headers: Record<string, string> },
  ) => (await receiver.receive(sent.headers, sent.body)).status;
  return { receiver, receive, handled, ids: () => handled.map(([id]) => id) };
}

describe('a webhook receiver accepts', () => {
  test.each([
    ['both signature forms', delivery()],
    ['the form of the service alone', without('webhook-')],
    ['the form of Standard Webhooks alone', without('x-svc-')],
    [
      'several signatures in one header',
      delivery({
        headers: { 'webhook-signature': `v1a,xx v1,AAAA ${delivery().headers['webhook-signature']}` },
      }),
    ],
    ['a timestamp that is 300 s old', delivery({ ageSeconds: 300 })],
  ])('%s [CLIENT-5]', async (_what, sent) => {
    const { receive, ids } = aReceiver();
    expect(await receive(sent)).toBe(204);
    expect(ids()).toEqual(['evt_1']);
  });

  test('each of several secrets, so that a rotation has no gap [CLIENT-5]', async () => {
    const { receive } = aReceiver({ secrets: [OTHER, SECRET] });
    expect(await receive(delivery())).toBe(204);
    expect(await receive(delivery({ id: 'evt_2', secret: OTHER }))).toBe(204);
  });

  test('an event of the events feed, with the secret of the API key [CLIENT-5]', async () => {
    const secret = eventFeedSecret('key_a.svc_test_b');
    const { receive } = aReceiver({ secrets: [secret] });
    expect(await receive(delivery({ secret }))).toBe(204);
  });

  test('headers of a fetch request and in other case, and a body as text [CLIENT-5]', async () => {
    const { receiver } = aReceiver();
    const { headers, body } = delivery();
    expect(await receiver.receive(new Headers(headers), body.toString())).toEqual({ status: 204 });
    const upper = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]] as const);
    expect(await receiver.receive(Object.fromEntries(upper), body)).toEqual({ status: 204 });
  });
});

describe('a webhook receiver refuses', () => {
  const { body, headers } = delivery();
  test.each([
    ['a changed byte', { headers, body: Buffer.from(body.with(5, 0x21)) }],
    ['an added space', { headers, body: Buffer.concat([body, Buffer.from(' ')]) }],
    ['an unknown secret', delivery({ secret: OTHER })],
    ['one wrong form beside a right one', delivery({ headers: { 'webhook-signature': 'v1,AAAA' } })],
    ['a signature that is no hex', delivery({ headers: { 'x-svc-signature': 'v1=é' } })],
    ['a signature of 301 s ago', delivery({ ageSeconds: 301 })],
    ['a signature of 301 s ahead', delivery({ ageSeconds: -301 })],
    [
      'another timestamp than the signed one',
      delivery({ headers: { 'x-svc-timestamp': String(NOW / 1_000 + 1) } }),
    ],
    [
      'a timestamp that is no number',
      delivery({ headers: { 'x-svc-timestamp': 'NaN', 'webhook-timestamp': 'NaN' } }),
    ],
    ['no signature', { body, headers: {} }],
  ])('%s with 401 [CLIENT-5]', async (_what, sent) => {
    const { receive, ids } = aReceiver();
    expect(await receive(sent)).toBe(401);
    expect(ids()).toEqual([]);
  });

  test('an id beside the signature that is not that of the event with 400 [CLIENT-5]', async () => {
    const { receive } = aReceiver();
    const sent = without('webhook-');
    expect(await receive({ ...sent, headers: { ...sent.headers, 'webhook-id': 'evt_9' } })).toBe(400);
  });

  test('a signed body that is no envelope with 400 [CLIENT-5]', async () => {
    const { receive } = aReceiver();
    const content = {
      secret: SECRET,
      timestamp: NOW / 1_000,
      eventId: 'evt_1',
      body: Buffer.from('{"id":"evt_1"}'),
    };
    const timestamp = String(content.timestamp);
    const signed = { 'x-svc-timestamp': timestamp, 'x-svc-signature': serviceSignature(content) };
    expect(await receive({ body: content.body, headers: signed })).toBe(400);
  });

  test('secrets that are none when it is created [CLIENT-5]', () => {
    expect(() => aReceiver({ secrets: [] })).toThrow('whsec_');
    expect(() => aReceiver({ secrets: [''] })).toThrow('whsec_');
  });
});

describe('a webhook receiver handles', () => {
  test('an event once, also if two deliveries arrive together [CLIENT-6]', async () => {
    const { receive, ids } = aReceiver();
    expect(await Promise.all([receive(delivery()), receive(delivery())])).toEqual([204, 204]);
    expect(await receive(delivery())).toBe(204);
    expect(ids()).toEqual(['evt_1']);
  });

  test('an event again after its handler failed [CLIENT-6]', async () => {
    let fails = true;
    const { receive, handled } = aReceiver({
      onEvent: (event, about) => {
        if (fails) throw new Error('database down');
        handled.push([event.id, about]);
      },
    });
    await expect(receive(delivery())).rejects.toThrow('database down');
    fails = false;
    expect(await receive(delivery())).toBe(204);
    expect(handled).toHaveLength(1);
  });

  test('an older version of a resource as stale, the same version not [CLIENT-6]', async () => {
    const { receive, handled } = aReceiver();
    for (const [index, version] of [3, 2, 3, 4].entries())
      await receive(delivery({ id: `evt_${index}`, version }));
    expect(handled.map(([, { isStale }]) => isStale)).toEqual([false, true, false, false]);
  });

  test('deliveries for one resource one after another [CLIENT-6]', async () => {
    const steps: string[] = [];
    const { receive } = aReceiver({
      async onEvent({ id }) {
        steps.push(`begin ${id}`);
        await new Promise((resolve) => setImmediate(resolve));
        steps.push(`end ${id}`);
      },
    });
    await Promise.all([receive(delivery()), receive(delivery({ id: 'evt_2' }))]);
    expect([steps[0]?.replace('begin', 'end'), steps[2]?.replace('begin', 'end')]).toEqual([
      steps[1],
      steps[3],
    ]);
  });

  test('no copy to a shadow, but verifies it [SHADOW-6]', async () => {
    const { receive, handled } = aReceiver();
    const headers = { 'x-svc-shadow': 'true' };
    expect(await receive(delivery({ headers }))).toBe(204);
    expect(await receive(delivery({ headers: { ...headers, 'x-svc-signature': 'v1=00' } }))).toBe(401);
    expect(handled).toEqual([]);
    await receive(delivery());
    expect(handled).toHaveLength(1);
  });

  test('a test delivery without remembering its version, and reports number and ids [CLIENT-6]', async () => {
    const { receive, handled } = aReceiver();
    await receive(delivery({ id: 'evt_t', version: 9, headers: { 'x-svc-test': 'true' } }));
    const ids = { 'x-svc-number': '17', 'x-svc-delivery-id': 'dlv_1', 'x-svc-subscription-id': 'whk_1' };
    await receive(delivery({ headers: ids }));
    expect(handled.map(([, about]) => about)).toMatchObject([
      { isTest: true, isStale: false, number: undefined },
      { isTest: false, isStale: false, number: 17, deliveryId: 'dlv_1', subscriptionId: 'whk_1' },
    ]);
  });
});
