import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { serviceSignature } from '@partner/kernel/security/webhook-signature';
import { API_KEY, type Asked, NOW, startClients } from './testing/driven-client.js';
import { json, raw, refusal, scriptedService, times } from './testing/scripted-service.js';

const service = scriptedService();
const { clients, stop } = await startClients();
afterAll(stop);

const paths = () => service.requests.map(({ method, path: to }) => `${method} ${to}`);

describe.each(clients)('the reconciliation of a receiver by the client of $name', ({ use }) => {
  const used = (what: Asked) => use({ ...what, url: service.url });
  interface Entry {
    readonly number: number | null;
    readonly eventId: string;
    readonly event: string;
    readonly outcome: string;
  }
  const entry = (number: number | null, outcome = 'delivered', event = 'install.test'): Entry => ({
    ...{ number, eventId: `evt_${number}`, event, outcome },
  });
  const NOTHING = { replayed: [], awaited: [], unsubscribed: [], gaps: [] };
  let replayed: unknown[] = [];
  beforeEach(() => {
    replayed = [];
  });

  /** Serves the manifest of a webhook, `size` entries in a page; the webhook does not subscribe to `unsubscribed`. */
  function serve(
    entries: readonly Entry[],
    { key = API_KEY, subscriptionId = 'whk_1', isReplaying = false, unsubscribed = '', size = 2 } = {},
  ): void {
    service.otherwise = (response, request) => {
      const { pathname, searchParams } = new URL(request.path, 'http://service');
      if (request.method === 'GET') {
        const start = Number(searchParams.get('cursor') ?? 0);
        const nextCursor = start + size < entries.length ? String(start + size) : null;
        const shown = entries.slice(start, start + size);
        const body = Buffer.from(
          JSON.stringify({ apiVersion: 'v', subscriptionId, entries: shown, nextCursor }),
        );
        const timestamp = NOW / 1_000;
        const secret = `whsec_${btoa(key)}`;
        const signature = serviceSignature({ secret, timestamp, body });
        const headers = { 'x-svc-timestamp': String(timestamp), 'x-svc-signature': signature };
        raw(200, body, { 'content-type': 'application/json', ...headers })(response, request);
        return;
      }
      const text = request.body.toString();
      const at = new Date(NOW).toISOString();
      if (pathname.endsWith('/preview')) {
        const asked = entries.filter(({ eventId }) => text.includes(`"${eventId}"`));
        const events = asked.filter(({ event }) => event !== unsubscribed).length;
        const webhooks = [{ subscriptionId, events }];
        json(200, { apiVersion: 'v', webhooks, atLeast: false, from: at, to: at })(response, request);
      } else if (isReplaying) {
        refusal(409, 'replay_in_progress')(response, request);
      } else {
        replayed.push(JSON.parse(text));
        json(202, { apiVersion: 'v', replays: [] })(response, request);
      }
    };
  }
  const reconcile = async (handled: readonly number[], surface: 'inbound' | 'installer' = 'installer') => {
    const { value, error } = await used({
      ...{ do: 'reconcile', surface, handled: handled.map((number) => `evt_${number}`) },
    });
    return error?.message ?? value;
  };

  test.each([
    ['inbound', '/inbound'],
    ['installer', '/partner/v1'],
  ] as const)(
    'replays by id what the receiver of the %s surface lacks and the service has finished [CLIENT-11]',
    async (surface, prefix) => {
      const outcomes = ['delivered', 'dead_lettered', 'pending', 'retry_scheduled', 'held', 'of_tomorrow'];
      serve([entry(1), ...outcomes.map((outcome, index) => entry(index + 2, outcome)), entry(null)]);
      expect(await reconcile([1], surface)).toEqual({
        ...NOTHING,
        ...{ listed: 8, replayed: [2, 3, 7, null], awaited: [4, 5, 6] },
      });
      expect(replayed).toMatchObject([
        { subscriptionId: 'whk_1', eventIds: ['evt_2', 'evt_3', 'evt_7', 'evt_null'] },
      ]);
      expect(paths().map((each) => each.replace(/\?.*/, ''))).toEqual([
        ...times(4, `GET ${prefix}/webhooks/whk_1/manifest`),
        ...[`POST ${prefix}/events/replay/preview`, `POST ${prefix}/events/replay`],
      ]);
    },
  );

  test('starts nothing if the receiver has everything [CLIENT-11]', async () => {
    serve([entry(1), entry(2), entry(3)]);
    expect(await reconcile([3, 2, 1])).toEqual({ ...NOTHING, listed: 3 });
    expect(service.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  test('reports what no replay sends: events without a subscription, and numbers that the manifest skips [CLIENT-11]', async () => {
    serve([entry(9), entry(3), entry(5, 'delivered', 'install.job_assigned'), entry(4)], {
      unsubscribed: 'install.job_assigned',
    });
    expect(await reconcile([3, 9])).toEqual({
      ...{ listed: 4, replayed: [4], awaited: [], unsubscribed: [5], gaps: [{ first: 6, last: 8 }] },
    });
  });

  test('leaves to its next run what one replay does not take, and everything while another one runs [CLIENT-11]', async () => {
    serve(
      Array.from({ length: 1_001 }, (_, before) => entry(before + 1)),
      { size: 200 },
    );
    expect(await reconcile([])).toMatchObject({ listed: 1_001, awaited: [1_001] });
    serve([entry(1), entry(2)], { isReplaying: true });
    expect(await reconcile([])).toEqual({ ...NOTHING, listed: 2, awaited: [1, 2] });
  });

  test('refuses a manifest that is not signed with its API key, or is that of another webhook [CLIENT-11]', async () => {
    serve([entry(1)], { key: 'key_b.other' });
    expect(await reconcile([])).toContain('the signature matches none of the secrets');
    serve([entry(1)], { subscriptionId: 'whk_2' });
    expect(await reconcile([])).toContain('the manifest belongs to whk_2, not to whk_1');
    expect(replayed).toEqual([]);
  });
});
