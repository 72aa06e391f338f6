import { describe, expect, test } from '@jest/globals';
import { serviceSignature, standardWebhooksSignature } from '@partner/kernel/security/webhook-signature';
import { createPartnerClient } from './partner-client.js';
import { type ManifestEntry, reconcile } from './reconcile.js';
import { createMemoryStore, eventKey } from './store.js';
import { eventFeedSecret } from './verify-signature.js';

const NOW = Date.parse('2026-08-26T14:00:00Z');
const API_KEY = 'key_a.secret';
const SPAN = { from: new Date(NOW - 3_600_000), to: new Date(NOW) };

const entry = (
  number: number | null,
  outcome: ManifestEntry['outcome'] = 'delivered',
  event = 'install.test',
) => ({
  ...{ number, eventId: `evt_${number}`, event, outcome },
});

/** A service with the manifest of `whk_1`, two entries in a page; the webhook does not subscribe to `unsubscribed`. */
function serviceWith(
  entries: readonly ManifestEntry[],
  { key = API_KEY, subscriptionId = 'whk_1', isReplaying = false, unsubscribed = '' } = {},
) {
  const calls: string[] = [];
  const replayed: unknown[] = [];
  const manifest = (query: URLSearchParams) => {
    const start = Number(query.get('cursor') ?? 0);
    const page = entries.slice(start, start + 2);
    const nextCursor = start + 2 < entries.length ? String(start + 2) : null;
    const text = JSON.stringify({ subscriptionId, entries: page, nextCursor });
    const timestamp = NOW / 1_000;
    const signed = {
      ...{ secret: eventFeedSecret(key), timestamp, eventId: subscriptionId },
      body: Buffer.from(text),
    };
    const headers = {
      'x-svc-timestamp': String(timestamp),
      'x-svc-signature': serviceSignature(signed),
      'webhook-id': subscriptionId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': standardWebhooksSignature(signed),
    };
    return new Response(text, { headers });
  };
  const client = createPartnerClient(
    {
      ...{ baseUrl: 'https://api.partner.example', apiKey: API_KEY },
      async fetch(request) {
        const { pathname, searchParams } = new URL(request.url);
        calls.push(`${request.method} ${pathname}`);
        if (request.method === 'GET') return manifest(searchParams);
        const text = await request.text();
        if (pathname.endsWith('/preview')) {
          const events = entries.filter(
            ({ eventId, event }) => text.includes(`"${eventId}"`) && event !== unsubscribed,
          ).length;
          return Response.json({ webhooks: [{ subscriptionId, events }] });
        }
        if (isReplaying)
          return Response.json(
            { error: 'wait', code: 'replay_in_progress', requestId: 'r' },
            { status: 409 },
          );
        replayed.push(JSON.parse(text));
        return Response.json({ replays: [] }, { status: 202 });
      },
    },
    { now: () => NOW, random: () => 0, delay: async () => undefined },
  );
  return { client, calls, replayed };
}

/** Reconciles a receiver that has handled the events with these numbers. */
async function reconciled(
  { client }: ReturnType<typeof serviceWith>,
  handled: readonly number[],
  surface: '/inbound' | '/partner/v1' = '/partner/v1',
) {
  const store = createMemoryStore();
  for (const number of handled) await store.set(eventKey(`evt_${number}`), 'handled');
  const report = await reconcile(client, surface, { subscriptionId: 'whk_1', store, ...SPAN });
  const numbersOf = (some: readonly ManifestEntry[]) => some.map(({ number }) => number);
  const { listed, gaps } = report;
  return {
    ...{ listed, gaps, replayed: numbersOf(report.replayed), awaited: numbersOf(report.awaited) },
    unsubscribed: numbersOf(report.unsubscribed),
  };
}

const NOTHING = { replayed: [], awaited: [], unsubscribed: [], gaps: [] };

describe('reconcile', () => {
  test.each(['/inbound', '/partner/v1'] as const)(
    'replays by id what the receiver of %s lacks and the service has finished, and leaves the rest to the service [CLIENT-11]',
    async (surface) => {
      const outcomes = ['delivered', 'dead_lettered', 'pending', 'retry_scheduled', 'held'] as const;
      const service = serviceWith([
        entry(1),
        ...outcomes.map((outcome, index) => entry(index + 2, outcome)),
        entry(null),
      ]);
      expect(await reconciled(service, [1], surface)).toEqual({
        ...NOTHING,
        ...{ listed: 7, replayed: [2, 3, null], awaited: [4, 5, 6] },
      });
      expect(service.replayed).toEqual([
        { subscriptionId: 'whk_1', eventIds: ['evt_2', 'evt_3', 'evt_null'] },
      ]);
      expect(service.calls).toEqual([
        ...Array.from({ length: 4 }, () => `GET ${surface}/webhooks/whk_1/manifest`),
        ...[`POST ${surface}/events/replay/preview`, `POST ${surface}/events/replay`],
      ]);
    },
  );

  test('starts nothing if the receiver has everything [CLIENT-11]', async () => {
    const service = serviceWith([entry(1), entry(2), entry(3)]);
    expect(await reconciled(service, [3, 2, 1])).toEqual({ ...NOTHING, listed: 3 });
    expect(new Set(service.calls)).toEqual(new Set(['GET /partner/v1/webhooks/whk_1/manifest']));
  });

  test('reports what no replay sends: events without a subscription, and numbers that the manifest skips [CLIENT-11]', async () => {
    const service = serviceWith(
      [entry(9), entry(3), entry(5, 'delivered', 'install.job_assigned'), entry(4)],
      { unsubscribed: 'install.job_assigned' },
    );
    expect(await reconciled(service, [3, 9])).toEqual({
      ...{ listed: 4, replayed: [4], awaited: [], unsubscribed: [5], gaps: [{ first: 6, last: 8 }] },
    });
  });

  test('leaves to its next run what one replay does not take, and everything while another one runs [CLIENT-11]', async () => {
    const many = Array.from({ length: 1_001 }, (_, before) => entry(before + 1));
    const { replayed, awaited } = await reconciled(serviceWith(many), []);
    expect([replayed.length, awaited]).toEqual([1_000, [1_001]]);
    const busy = serviceWith([entry(1), entry(2)], { isReplaying: true });
    expect(await reconciled(busy, [])).toEqual({ ...NOTHING, listed: 2, awaited: [1, 2] });
  });

  test('refuses a manifest that is not signed with its API key, or is that of another webhook [CLIENT-11]', async () => {
    const forged = serviceWith([entry(1)], { key: 'key_b.other' });
    await expect(reconciled(forged, [])).rejects.toThrow('the signature matches none of the secrets');
    const other = serviceWith([entry(1)], { subscriptionId: 'whk_2' });
    await expect(reconciled(other, [])).rejects.toThrow('the manifest is that of whk_2, not of whk_1');
    expect([...forged.replayed, ...other.replayed]).toEqual([]);
  });
});
