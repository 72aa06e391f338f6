import { describe, expect, test } from '@jest/globals';
import { serviceSignature, standardWebhooksSignature } from '@partner/kernel/security/webhook-signature';
import { seededRandom } from '@partner/test-kit/seeded-random';
import { createPartnerClient } from './partner-client.js';
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

/** What text editors, secret stores and copied text leave around a key. */
const INVISIBLE = [
  ...(
    ['\n', '\r\n', ' ', '\t', '\u0000', '\u00a0', '\u200b', '\u2028', '\ufeff', '\u2060', '\u00ad'] as const
  ).map((text) => [`U+${text.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`, text] as const),
];

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

  test.each(INVISIBLE)('a secret or key with %s around it, and says so [CLIENT-14]', (name, text) => {
    for (const wrong of [`${SECRET}${text}`, `${text}${SECRET}`, `whsec_${text}${SECRET.slice(6)}`]) {
      const create = () => aReceiver({ secrets: [OTHER, wrong] });
      expect(create).toThrow(`white space or another character that does not belong to it: ${name} at`);
      expect(create).not.toThrow(SECRET.slice(6));
    }
    const apiKey = `key_a.secret${text}`;
    const refusal = `apiKey has white space or another character that does not belong to it: ${name} at`;
    expect(() => createPartnerClient({ baseUrl: 'https://partner.example', apiKey })).toThrow(refusal);
    expect(() => eventFeedSecret(apiKey)).toThrow(refusal);
  });

  test('an empty key [CLIENT-14]', () => {
    expect(() => createPartnerClient({ baseUrl: 'https://partner.example', apiKey: '' })).toThrow('is empty');
  });

  test.each([
    ['spaces', JSON.stringify(JSON.parse(String(body)), null, 1)],
    [
      'escapes',
      String(body).replaceAll(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ],
  ])('a body that was written again with other %s, and says so [CLIENT-16]', async (_what, written) => {
    const { receiver } = aReceiver();
    const { status, error } = await receiver.receive(headers, written);
    expect({ status, error }).toEqual({ status: 401, error: expect.stringContaining('pass the raw bytes') });
    for (const other of [written.replace('job_1', 'job_2'), `${written}${' '.repeat(65_536)}`])
      expect((await receiver.receive(headers, other)).error).toBe(
        'the signature matches none of the secrets',
      );
  });
});

/** Bodies that parsers have failed at. */
const HOSTILE = [
  ...['', 'null', '1', '[]', '{}', '"', '\u0000', '\ufeff{}', '1e999', '9'.repeat(10_000), 'NaN'],
  ...['['.repeat(200_000), '{"a":'.repeat(200_000), '{"__proto__":{"id":1}}'],
  ...['"\\ud800"', '9007199254740993', '1e400', 'true', '1.5', 'null', '"2"'].map(
    (value) => `{"id":"e","event":"e","resource":{"type":"t","id":"i","version":${value}},"data":{}}`,
  ),
  '{"id":"\\ud800","event":"e","resource":{"type":"t","id":"i","version":1},"data":{}}',
  '{"id":"e","event":"e","resource":{"type":"t","id":"\\udfff","version":1},"data":{}}',
];

test('a webhook receiver responds to any headers and body with 401 or 400, and never throws [CLIENT-16]', async () => {
  const random = seededRandom('hostile 16');
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];
  const { receiver, ids } = aReceiver();
  const texts = ['', ' ', '\ud800', 'é', '😀', '\u0000', 'v1=', 'v1,', '9'.repeat(5_000), '-1', '1e3', '٣'];
  const values = [
    ...texts,
    ...texts.map((text) => `v1=${text}`),
    'v1,A '.repeat(5_000),
    7,
    null,
    undefined,
    [],
    [1],
    {},
  ];
  for (let round = 0; round < 2_000; round += 1) {
    const text = pick(HOSTILE) ?? '';
    const body = random() < 0.5 ? text : Buffer.from(text, pick(['utf8', 'latin1', 'utf16le']));
    const timestamp = NOW / 1_000;
    const signed = {
      'x-svc-timestamp': String(timestamp),
      'x-svc-signature': serviceSignature({ secret: SECRET, timestamp, body: Buffer.from(body) }),
    };
    const noise = [
      'x-svc-signature',
      'X-Svc-Timestamp',
      'webhook-signature',
      'webhook-id',
      'x-svc-number',
      '__proto__',
      'é',
    ]
      .filter(() => random() < 0.4)
      .map((name) => [name, pick(values)] as const);
    // A parser of headers gives anything; its type is what the receiver declares.
    const entries = [...(random() < 0.5 ? Object.entries(signed) : []), ...noise];
    const sent = [Object.fromEntries(entries), body];
    const response: unknown = await Reflect.apply(receiver.receive, undefined, sent);
    expect(response).toEqual({ status: expect.any(Number), error: expect.any(String) });
    expect(JSON.stringify(response)).toMatch(/"status":40[01],/);
  }
  expect(ids()).toEqual([]);
});

test('a webhook receiver refuses a parsed body that cannot be written again with 401 [CLIENT-16]', async () => {
  const { receiver, ids } = aReceiver();
  const circle: Record<string, unknown> = {};
  circle['of'] = circle;
  const deep: unknown = JSON.parse('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000));
  for (const body of [deep, circle, 1n, undefined, null, () => 1]) {
    const response: unknown = await Reflect.apply(receiver.receive, undefined, [delivery().headers, body]);
    expect(response).toMatchObject({ status: 401 });
  }
  expect(ids()).toEqual([]);
});

test('a webhook receiver reads headers of any mapping, and no number that is none [CLIENT-16]', async () => {
  const { headers, body } = delivery({ headers: { 'x-svc-number': '9'.repeat(400) } });
  for (const mapping of [new Map(Object.entries(headers)), Object.entries(headers)]) {
    const { receiver, handled } = aReceiver();
    expect(await receiver.receive(mapping, body)).toEqual({ status: 204 });
    expect(handled[0]?.[1].number).toBeUndefined();
  }
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
