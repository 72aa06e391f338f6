import { createServer } from 'node:http';
import { afterAll, describe, expect, test } from '@jest/globals';
import { closeServer, listen } from '@partner/kernel/process/listen';
import { asymmetricSignature, publicKeyOf, privateKeyOf } from '@partner/kernel/security/signing-keys';
import { serviceSignature, standardWebhooksSignature } from '@partner/kernel/security/webhook-signature';
import { seededRandom } from '@partner/test-kit/seeded-random';
import { z } from 'zod';
import { NOW, type SentDelivery, startClients } from './testing/driven-client.js';

const { clients, stop } = await startClients();
afterAll(stop);

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const RESOURCE = { type: 'install_job', id: 'job_1' };
const RAW = `{"id":"evt_1","event":"install.status_changed","resource":{"type":"install_job","id":"job_1","version":2},"data":{"note":"café ☕"}}`;

function delivery({ id = 'evt_1', version = 2, secret = SECRET, age = 0, headers = {}, text = '' } = {}) {
  const resource = { ...RESOURCE, version };
  const envelope = { id, event: 'install.status_changed', resource, data: { note: 'café ☕' } };
  const body = Buffer.from(text === '' ? JSON.stringify(envelope) : text);
  const timestamp = NOW / 1_000 - age;
  const signed = { secret, timestamp, eventId: id, body };
  return {
    body: body.toString('base64'),
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
function without(prefix: string, { body, headers }: SentDelivery = delivery()): SentDelivery {
  const kept = Object.entries(headers).filter(([name]) => !name.startsWith(prefix));
  return { body, headers: Object.fromEntries(kept) };
}

const withBody = (text: string): SentDelivery => ({
  ...delivery(),
  body: Buffer.from(text).toString('base64'),
});

const ACCEPTED: readonly SentDelivery[] = [
  delivery(),
  without('webhook-'),
  without('x-svc-'),
  delivery({ headers: { 'webhook-signature': `v1a,xx v1,AAAA ${delivery().headers['webhook-signature']}` } }),
  delivery({ age: 300 }),
  delivery({ secret: OTHER }),
  {
    ...delivery(),
    headers: Object.fromEntries(
      Object.entries(delivery().headers).map(([name, value]) => [name.toUpperCase(), [value]]),
    ),
  },
];

const UNSIGNED: readonly SentDelivery[] = [
  withBody(RAW.replace('job_1', 'job_2')),
  withBody(`${RAW} `),
  delivery({ secret: `whsec_${btoa('unknown')}` }),
  delivery({ headers: { 'webhook-signature': 'v1,AAAA' } }),
  delivery({ headers: { 'x-svc-signature': 'v1=é' } }),
  delivery({ age: 301 }),
  delivery({ age: -301 }),
  delivery({ headers: { 'x-svc-timestamp': String(NOW / 1_000 + 1) } }),
  delivery({ headers: { 'x-svc-timestamp': 'NaN', 'webhook-timestamp': 'NaN' } }),
  { ...delivery(), headers: {} },
];

/** Bodies that parsers have failed at. */
const HOSTILE = [
  ...['null', '1', '[]', '{}', '"', '\u0000', '\ufeff{}', '1e999', '9'.repeat(10_000), 'NaN', 'not json'],
  ...['['.repeat(100_000), '{"a":'.repeat(100_000), '{"__proto__":{"id":1}}', '{"id":"evt_1"}'],
  ...['"\\ud800"', '9007199254740993', '1e400', 'true', '1.5', 'null', '"2"', '9'.repeat(5_000), 'NaN'].map(
    (version) => RAW.replace('"version":2', `"version":${version}`),
  ),
  RAW.replace('evt_1', '\\ud800'),
  RAW.replace('job_1', '\\udfff'),
];

/** What text editors, secret stores and copied text leave around a key. */
const INVISIBLE = ['\n', '\r\n', ' ', '\t', '\0', '\u00a0', '\u200b', '\u2028', '\ufeff', '\u2060', '\u00ad'];

const response = z.object({ status: z.number(), error: z.string().optional() });
const received = z.object({
  responses: z.array(z.union([z.literal('raised'), response])),
  handled: z.array(z.looseObject({ id: z.string(), isStale: z.boolean() })),
});

const statusesIn = ({ value }: { readonly value?: unknown }) =>
  received.parse(value).responses.map((each) => (each === 'raised' ? each : each.status));

const current = privateKeyOf(Buffer.alloc(32), 'whk_a');
const next = privateKeyOf(Buffer.alloc(32), 'whk_b');
const foreign = privateKeyOf(Buffer.alloc(32), 'whk_c');

const listOf = (...keys: readonly string[]) =>
  JSON.stringify({ keys: keys.map((key) => ({ publicKey: publicKeyOf(key) })) });

/** A delivery with a signature of each of these keys, made this long after the start. */
function signedBy(signers: readonly string[], atMs = 0): SentDelivery {
  const { body, headers } = without('x-svc-');
  const timestamp = (NOW + atMs) / 1_000;
  const content = { eventId: 'evt_1', timestamp, body: Buffer.from(body, 'base64') };
  const made = signers.map((key) => asymmetricSignature(key, content));
  const signature = ['v1,AAAA v2,AA v1a,AA', ...made].join(' ');
  return {
    body,
    headers: { ...headers, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature },
  };
}

/** Runs work with a server of these lists, one for each read; the last one stays. Undefined is a 503. */
async function withKeys(
  lists: readonly (string | undefined)[],
  work: (publicKeysUrl: string, reads: () => number) => Promise<void>,
): Promise<void> {
  let reads = 0;
  const server = createServer((_request, response) => {
    const list = lists[Math.min(reads, lists.length - 1)];
    reads += 1;
    response.writeHead(list === undefined ? 503 : 200).end(list);
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'test' });
  try {
    await work(`http://127.0.0.1:${port}/.well-known/webhooks/whk_a`, () => reads);
  } finally {
    server.closeAllConnections();
    await closeServer(server);
  }
}

describe.each(clients)('a webhook receiver of the client of $name', ({ use }) => {
  const ask = (secrets: readonly string[], deliveries: readonly SentDelivery[], more: object = {}) =>
    use({ url: 'https://partner.example', do: 'receive', secrets, deliveries, ...more });
  const useKey = (of: 'client' | 'feed', apiKey: string) =>
    use({ url: 'https://partner.example', do: 'useKey', of, apiKey });
  async function receive(deliveries: readonly SentDelivery[], secrets = [OTHER, SECRET], failures = 0) {
    const { responses, handled } = received.parse((await ask(secrets, deliveries, { failures })).value);
    const statuses = responses.map((each) => (each === 'raised' ? each : each.status));
    return { statuses, responses, handled, ids: handled.map(({ id }) => id) };
  }

  test('accepts what one of its secrets has signed, in either form, and handles it once [CLIENT-5, CLIENT-6]', async () => {
    const { statuses, ids } = await receive(ACCEPTED);
    expect(statuses).toEqual(ACCEPTED.map(() => 204));
    expect(ids).toEqual(['evt_1']);
    const feed = String((await useKey('feed', 'key_a.svc_test_b')).value);
    expect((await receive([delivery({ secret: feed })], [feed])).statuses).toEqual([204]);
  });

  test('refuses what is not signed with 401, and an envelope that it cannot read with 400 [CLIENT-5]', async () => {
    const { statuses, ids } = await receive(UNSIGNED);
    expect(statuses).toEqual(UNSIGNED.map(() => 401));
    const foreign = without('webhook-');
    const unreadable = HOSTILE.map((text) => without('webhook-', delivery({ text })));
    unreadable.push({ ...foreign, headers: { ...foreign.headers, 'webhook-id': 'evt_9' } });
    const refused = await receive(unreadable);
    expect(refused.statuses).toEqual(unreadable.map(() => 400));
    expect([...ids, ...refused.ids]).toEqual([]);
  });

  test('verifies with the public keys of its webhook, beside secrets or without, and not with those of another one [CLIENT-19]', async () => {
    const changed = { ...signedBy([current]), body: withBody(`${RAW} `).body };
    const late = { ...signedBy([current]).headers, 'webhook-timestamp': String(NOW / 1_000 + 1) };
    const deliveries = [
      ...[signedBy([current]), signedBy([foreign, next]), signedBy([foreign]), changed],
      ...[{ ...signedBy([current]), headers: late }, signedBy([current], -301_000), signedBy([])],
      ...[delivery(), without('webhook-')],
    ];
    await withKeys([listOf(current, next)], async (publicKeysUrl) => {
      const statusesOf = async (secrets: readonly string[]) =>
        statusesIn(await ask(secrets, deliveries, { publicKeysUrl }));
      expect(await statusesOf([])).toEqual([204, 204, 401, 401, 401, 401, 401, 401, 401]);
      expect(await statusesOf([SECRET])).toEqual([204, 204, 401, 401, 401, 401, 401, 204, 204]);
    });
  });

  test('keeps its public keys if a read fails, and verifies with a new key after the next read [CLIENT-19]', async () => {
    const failures = [
      ...['<h1>Maintenance</h1>', '[]', 'null', '{}', '{"keys":[]}', '{"keys":{}}', '{"keys":[null]}'],
      ...['{"keys":[{"publicKey":7}]}', '{"keys":[{"publicKey":"whpk_AA=="}]}', undefined],
      listOf(next).replace('whpk_', 'whsk_'),
    ];
    await withKeys([listOf(current), ...failures, listOf(next)], async (publicKeysUrl, reads) => {
      // A refusal waits for the read that is in flight.
      const refused = failures.map((_, index) => 300_000 + index * 5_000);
      const end = (refused.at(-1) ?? 0) + 5_000;
      const deliveries = [
        signedBy([current]),
        signedBy([foreign]),
        ...refused.flatMap((atMs, index) => [
          { ...signedBy([foreign], atMs), laterMs: index === 0 ? 300_000 : 5_000 },
          signedBy([current], atMs),
        ]),
        { ...signedBy([next], end), laterMs: 5_000 },
        signedBy([current], end),
      ];
      expect(statusesIn(await ask([], deliveries, { publicKeysUrl }))).toEqual([
        ...[204, 401],
        ...failures.flatMap(() => [401, 204]),
        ...[204, 401],
      ]);
      expect(reads()).toBe(failures.length + 2);
    });
  });

  test('reads public keys only for an asymmetric signature, and again 5 s after a failure [CLIENT-19]', async () => {
    await withKeys([undefined, listOf(current)], async (publicKeysUrl, reads) => {
      const unread = statusesIn(await ask([], [delivery(), without('webhook-')], { publicKeysUrl }));
      expect([unread, reads()]).toEqual([[401, 401], 0]);
      const deliveries = [
        ...[signedBy([current]), signedBy([current])],
        { ...signedBy([current], 5_000), laterMs: 5_000 },
      ];
      const statuses = statusesIn(await ask([], deliveries, { publicKeysUrl }));
      expect([statuses, reads()]).toEqual([['raised', 'raised', 204], 2]);
    });
    await withKeys([undefined], async (publicKeysUrl) => {
      const beside = delivery({
        headers: { 'webhook-signature': `${delivery().headers['webhook-signature']} v1a,AA` },
      });
      expect(statusesIn(await ask([SECRET], [beside], { publicKeysUrl }))).toEqual([204]);
    });
  });

  test('refuses an address of public keys that is not https, except on its machine [CLIENT-19]', async () => {
    const wrong = ['http://partner.example/', 'http://127.0.0.1.example/', 'ftp://localhost/', 'x'];
    for (const publicKeysUrl of wrong)
      expect((await ask([], [], { publicKeysUrl })).error?.message).toContain('https');
    for (const publicKeysUrl of ['https://partner.example/', 'http://localhost:1/', 'http://[::1]/'])
      expect(await ask([], [], { publicKeysUrl })).not.toHaveProperty('error');
  });

  test('responds to any headers and body with 401 or 400, and never raises [CLIENT-16]', async () => {
    const random = seededRandom('hostile 16');
    const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];
    const texts = ['', ' ', '\ud800', 'é', '😀', '\0', 'v1=', 'v1,', '9'.repeat(5_000), '-1', '1e3', '٣'];
    const values = [
      ...[...texts, ...texts.map((text) => `v1=${text}`), 'v1,A '.repeat(5_000)],
      ...[7, null, [], [1], {}],
    ];
    const names = 'x-svc-signature X-Svc-Timestamp webhook-signature webhook-id x-svc-number é'.split(' ');
    const hostile = Array.from({ length: 400 }, () => {
      const { headers, body } = delivery({ text: pick(HOSTILE) ?? '' });
      const noise = names.filter(() => random() < 0.4).map((name) => [name, pick(values)] as const);
      const signed = random() < 0.5 ? without('webhook-', { headers, body }).headers : {};
      return { body, headers: { ...signed, ...Object.fromEntries(noise) } };
    });
    const { responses, ids } = await receive(hostile);
    for (const each of responses)
      expect(each).toEqual({ status: expect.any(Number), error: expect.any(String) });
    expect(JSON.stringify(responses)).not.toMatch(/"status":(?!40[01],)/);
    expect(ids).toEqual([]);
    const numbered = delivery({ headers: { 'x-svc-number': '9'.repeat(400) } });
    expect((await receive([numbered])).handled).toMatchObject([{ number: null }]);
  });

  test('says so if a body was parsed and written again [CLIENT-16]', async () => {
    const spaced = JSON.stringify(JSON.parse(RAW), null, 1);
    const escaped = RAW.replaceAll(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
    for (const written of [spaced, escaped]) {
      const others = [written.replace('job_1', 'job_2'), `${written}${' '.repeat(65_536)}`];
      const { responses } = await receive([written, ...others].map(withBody));
      const mismatch = { status: 401, error: 'the signature matches none of the secrets and public keys' };
      const explained = { status: 401, error: expect.stringContaining('pass the raw bytes') };
      expect(responses).toEqual([explained, mismatch, mismatch]);
    }
  });

  test('handles an event again after its handler failed [CLIENT-6]', async () => {
    const { statuses, ids } = await receive([delivery(), delivery(), delivery()], [SECRET], 1);
    expect([statuses, ids]).toEqual([['raised', 204, 204], ['evt_1']]);
  });

  test('reports an older version as stale, but none of a test, and number and ids [CLIENT-6]', async () => {
    const ids = { 'x-svc-number': '17', 'x-svc-delivery-id': 'dlv_1', 'x-svc-subscription-id': 'whk_1' };
    const { handled } = await receive([
      delivery({ id: 'evt_t', version: 9, headers: { 'x-svc-test': 'true' } }),
      ...[3, 2, 3, 4].map((version, index) => delivery({ id: `evt_${index}`, version, headers: ids })),
    ]);
    expect(handled.map(({ isStale }) => isStale)).toEqual([false, false, true, false, false]);
    expect(handled.slice(0, 2)).toMatchObject([
      { isTest: true, number: null },
      { isTest: false, number: 17, deliveryId: 'dlv_1', subscriptionId: 'whk_1' },
    ]);
  });

  test('refuses secrets that are none, and a secret or key with something invisible around it [CLIENT-5, CLIENT-14]', async () => {
    for (const secrets of [[], ['']]) expect((await ask(secrets, [])).error?.message).toContain('whsec_');
    for (const of of ['client', 'feed'] as const)
      expect((await useKey(of, '')).error?.message).toContain('is empty');
    for (const text of INVISIBLE) {
      const code = text.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
      const refusal = `white space or another character that does not belong to it: U+${code} at`;
      for (const wrong of [`${SECRET}${text}`, `${text}${SECRET}`, `whsec_${text}${SECRET.slice(6)}`]) {
        const { error } = await ask([OTHER, wrong], []);
        expect(error?.message).toContain(refusal);
        expect(error?.message).not.toContain(SECRET.slice(6));
      }
      for (const of of ['client', 'feed'] as const) {
        expect((await useKey(of, `key_a.secret${text}`)).error?.message).toContain(refusal);
      }
    }
  });
});
