import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { serviceSignature, standardWebhooksSignature } from '@partner/kernel/security/webhook-signature';
import { type Receiver, startReceiver } from '@partner/test-kit/receiver';
import { expressHandler } from './express.js';
import { forwardEvent } from './forward-event.js';
import { endOfEvents, listen, type ListenOptions } from './listen.js';
import { createPartnerClient } from './partner-client.js';
import { createMemoryStore } from './store.js';
import { createWebhookReceiver } from './webhook-receiver.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const START = Date.parse('2026-08-26T14:00:00Z');

/** An event that occurred some minutes after the start. */
function feedEvent(minute: number) {
  const id = `evt_${minute}`;
  const resource = { type: 'install_job', id: 'job_1', version: 1 };
  const occurredAt = new Date(START + minute * 60_000).toISOString();
  const headers = {
    ...{ 'x-svc-event': 'install.status_changed', 'webhook-id': id },
    ...{ 'x-svc-timestamp': '', 'x-svc-signature': '', 'webhook-timestamp': '', 'webhook-signature': '' },
  };
  return {
    sequence: minute,
    headers,
    // Written in a way in which no library would write it again.
    body: `{ "id":"${id}", "event":"install.status_changed","occurredAt":"${occurredAt}","resource":${JSON.stringify(resource)},"data":{"note":"café ☕"} }`,
  };
}

let events: ReturnType<typeof feedEvent>[] = [];
let refusals: number[] = [];
/** Whether two events come after the first response. */
let isGrowing = false;
let service: Receiver;
let printed: string[] = [];
let stops: (() => unknown)[] = [];

beforeEach(async () => {
  [events, refusals, printed, stops] = [[feedEvent(1), feedEvent(2), feedEvent(3)], [], [], []];
  // Two in a page; a cursor is the number of events before it.
  service = await startReceiver({
    respond({ path }, response) {
      const { searchParams: query, pathname } = new URL(path, 'http://service');
      const status = pathname === '/partner/v1/events' ? (refusals.shift() ?? 200) : 200;
      const start = query.get('from') === 'end' ? events.length : Number(query.get('cursor') ?? 0);
      const end = Math.min(events.length, start + (query.get('from') === 'end' ? 0 : 2));
      const page = {
        apiVersion: 'v',
        events: events.slice(start, end),
        nextCursor: String(end),
        hasMore: end < events.length,
      };
      const error = { error: 'no', code: 'x', requestId: 'r' };
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(status === 200 ? page : error));
      if (isGrowing) events.push(feedEvent(4), feedEvent(5));
      isGrowing = false;
    },
  });
});
afterEach(async () => {
  for (const stop of stops) await stop();
  await service.close();
});

async function serve(listener: RequestListener): Promise<URL> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return new URL(
    `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/hook?a=b`,
  );
}

const client = () =>
  createPartnerClient({
    baseUrl: `http://127.0.0.1:${service.port}`,
    apiKey: 'key_a.b',
    retries: { attempts: 1 },
  });

async function endNow() {
  const print = (line: string) => void printed.push(line);
  const end = await endOfEvents(client(), { signal: new AbortController().signal, print, pollMs: 1 });
  if (end === undefined) throw new Error('the listener has ended');
  return end;
}

/** Listens until this many lines were printed, or to the end of a replay. */
async function listenFor(lines: number, options: Partial<ListenOptions> & Pick<ListenOptions, 'forward'>) {
  const stop = new AbortController();
  const print = (line: string) => {
    printed.push(line);
    if (printed.length === lines) stop.abort();
  };
  const end = await endNow();
  const defaults = { client: client(), secret: SECRET, pollMs: 1, print };
  return listen({ ...defaults, end, signal: stop.signal, ...options });
}

test('a listener sends new events with the headers, body and signatures of a webhook [CLIENT-18]', async () => {
  const handled: string[] = [];
  const receiver = createWebhookReceiver({
    ...{ secrets: [SECRET], store: createMemoryStore() },
    onEvent: ({ id }, { number }) => void handled.push(`${id} ${number}`),
  });
  const forward = await serve(expressHandler(receiver));
  isGrowing = true;
  expect(await listenFor(2, { forward, event: 'install.*' })).toBe(true);
  expect(handled).toEqual(['evt_4 4', 'evt_5 5']);
  expect(printed).toEqual([
    expect.stringMatching(/install\.status_changed evt_4 -> 204 \(\d+ ms\)$/),
    expect.stringContaining('evt_5 -> 204'),
  ]);
  expect(service.requests.map(({ path }) => path).slice(0, 2)).toEqual([
    '/partner/v1/events?from=end',
    '/partner/v1/events?cursor=3&limit=100&event=install.*',
  ]);
  expect(service.requests.map(({ headers }) => headers['x-svc-listen'])).not.toContain(undefined);
});

test('the headers are those of the dispatcher, made by its rule [CLIENT-18]', async () => {
  const app = await startReceiver({});
  await forwardEvent(new URL(`http://127.0.0.1:${app.port}/hook?a=b`), feedEvent(7), SECRET);
  const [sent] = app.requests;
  const timestamp = Number(sent?.headers['x-svc-timestamp']);
  const body = Buffer.from(feedEvent(7).body);
  const signed = { secret: SECRET, timestamp, eventId: 'evt_7', body };
  expect(sent).toMatchObject({ method: 'POST', path: '/hook?a=b', body });
  expect(sent?.headers).toMatchObject({
    ...{ 'content-type': 'application/json', 'user-agent': 'partner-integration-service-webhooks/1.0' },
    ...{ 'x-svc-event': 'install.status_changed', 'x-svc-number': '7', 'x-svc-secret-version': '1' },
    'x-svc-subscription-id': expect.stringMatching(/^whk_[0-9a-z]{26}$/),
    'x-svc-delivery-id': expect.stringMatching(/^dlv_[0-9a-hjkmnp-tv-z]{26}$/),
    'x-svc-signature': serviceSignature(signed),
    ...{ 'webhook-id': 'evt_7', 'webhook-timestamp': String(timestamp) },
    'webhook-signature': standardWebhooksSignature(signed),
  });
  await app.close();
});

test('a failed event says why, and the next one follows [CLIENT-18]', async () => {
  const receiver = createWebhookReceiver({
    ...{ secrets: [`whsec_${btoa('of another one')}`], store: createMemoryStore() },
    onEvent: () => undefined,
  });
  const outcome = async (listener: RequestListener, timeoutMs?: number) =>
    (await forwardEvent(await serve(listener), feedEvent(1), SECRET, timeoutMs)).outcome;
  expect(await outcome(expressHandler(receiver))).toBe('401: the signature matches none of the secrets');
  expect(await outcome((_, response) => response.writeHead(500).end('no\u001B[2J\ndatabase'))).toBe(
    '500: no [2J database',
  );
  const elsewhere = { location: 'http://127.0.0.1:1/' };
  expect(await outcome((_, response) => response.writeHead(307, elsewhere).end())).toBe(
    '307: redirects are not followed',
  );
  expect(await outcome((request) => request.socket.destroy())).toBe(
    'the connection was closed without a response',
  );
  expect(await outcome(() => undefined, 50)).toBe('no complete response within 0.05 s');
  const closed = await serve(() => undefined);
  await stops.pop()?.();
  expect(await listenFor(2, { forward: closed, since: new Date(START + 120_000) })).toBe(false);
  expect(printed).toEqual([
    expect.stringContaining(`evt_2 -> connection refused: no server listens at ${closed.host}`),
    expect.stringContaining('evt_3 -> connection refused'),
  ]);
});

test('a replay sends the events with its ids once and ends [CLIENT-18]', async () => {
  const forward = await serve((_, response) => response.writeHead(204).end());
  expect(await listenFor(9, { forward, replay: ['evt_3', 'evt_1'] })).toBe(true);
  expect(printed.map((line) => line.split(' ')[2])).toEqual(['evt_1', 'evt_3']);
  printed = [];
  expect(await listenFor(9, { forward, replay: ['evt_9'] })).toBe(false);
  expect(printed).toEqual(['evt_9: no such event among those that are kept']);
});

test('a listener goes on after failures that pass, and ends with a refusal [CLIENT-18]', async () => {
  refusals = [200, 503];
  const forward = await serve((_, response) => response.writeHead(204).end());
  await listenFor(2, { forward, since: new Date(START + 180_000) });
  expect(printed).toEqual([
    expect.stringContaining('waiting for the service: 503 x: no'),
    expect.stringContaining('evt_3 -> 204'),
  ]);
  refusals = [200, 403];
  await expect(listenFor(9, { forward })).rejects.toThrow('403 x: no');
});

test('a listener finds the events of its key, and waits for its turn [CLIENT-18]', async () => {
  refusals = [429, 200, 401];
  expect(await endNow()).toEqual({ path: '/partner/v1/events', cursor: '3' });
  expect(await endNow()).toEqual({ path: '/inbound/events', cursor: '3' });
});

test('the command takes the key from the environment or a file, and forwards to this machine only [CLIENT-18]', async () => {
  const run = async (args: readonly string[], env = {}) => {
    const cli = new URL('cli.js', import.meta.url).pathname;
    const child = spawn(process.execPath, [cli, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')]);
    return `${child.exitCode} ${stderr}`;
  };
  const to = ['listen', '--forward', 'http://localhost:3000/hook'];
  const at = ['--url', `http://127.0.0.1:${service.port}`];
  const [KEY, url] = [{ PARTNER_API_KEY: 'key_a.b' }, 'http://10.0.0.1/'];
  expect(await run(['--help'])).toBe('0 ');
  expect(await run([])).toContain("2 partner-client: the command is 'listen'");
  expect(await run([...to, ...at])).toContain('2 partner-client: set PARTNER_API_KEY or --api-key-file');
  expect(await run([...to, ...at, '--api-key', 'key_a.b'])).toContain(
    "2 partner-client: Unknown option '--api-key'",
  );
  expect(await run([...to], KEY)).toContain('2 partner-client: set PARTNER_URL or --url');
  expect(await run(['listen', ...at, '--forward', url], KEY)).toContain(
    'must be on this machine, not 10.0.0.1',
  );
  expect(await run([...to, ...at, '--since', 'soon'], KEY)).toContain('--since must be a span such as 30m');
  expect(await run([...to, ...at, '--secret', 'whsec_a b'], KEY)).toContain(
    '1 partner-client: the secret has white space',
  );
  for (const wrong of ['whsec_', 'whsec_AAAAA', 'whsec_AAAA=', 'AAAA'])
    expect(await run([...to, ...at, '--secret', wrong], KEY)).toContain(
      '2 partner-client: the secret must be',
    );
  expect(await run([...to, '--url', 'localhost:3000'], KEY)).toContain('2 partner-client: set PARTNER_URL');
  expect(await run([...to, ...at, '--replay', 'evt_9'], KEY)).toBe('1 ');
}, 60_000);
