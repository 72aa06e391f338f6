import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Asked, startClients, type Use } from './testing/driven-client.js';
import { json, type Respond, scriptedService } from './testing/scripted-service.js';

const service = scriptedService();
const { clients, stop } = await startClients();
afterAll(stop);

const directory = mkdtempSync(path.join(tmpdir(), 'client-feeds-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** The headers of an event, whose signature the iterator leaves to the receiver. */
const UNSIGNED = {
  ...{ 'x-svc-event': '', 'x-svc-timestamp': '', 'x-svc-signature': '' },
  ...{ 'webhook-id': '', 'webhook-timestamp': '', 'webhook-signature': '' },
};

describe.each(clients)('the iterator over a feed of the client of $name', ({ name, use }) => {
  const used = (what: Asked) => use({ ...what, url: service.url });
  let entries: string[] = [];
  /** Two entries in a page; a cursor is the number of entries before it. */
  const page: Respond = (response, request) => {
    const cursor = new URL(request.path, 'http://service').searchParams.get('cursor');
    const start = Number(cursor ?? 0);
    const end = Math.min(entries.length, start + 2);
    const events = entries.slice(start, end).map((body) => ({ sequence: 1, headers: UNSIGNED, body }));
    const unassigned = entries
      .slice(start, end)
      .map((jobId) => ({ sequence: 1, jobId, unassignedAt: '2026-11-26T12:00:00.000Z' }));
    const nextCursor = end === 0 ? null : String(end);
    const rest = { apiVersion: 'v', nextCursor, hasMore: end < entries.length };
    json(200, { ...rest, events, unassigned, resources: [] })(response, request);
  };
  type Follow = Extract<Use, { readonly do: 'follow' }>;
  const follow = async (store: string, more: Partial<Follow> = {}) =>
    (await used({ do: 'follow', feed: 'installer', store, ...more })).value;
  const cursors = () =>
    service.requests.map(({ path: to }) => {
      const query = new URL(to, 'http://service').searchParams;
      query.delete('limit');
      return query.toString();
    });
  beforeEach(() => {
    entries = ['a', 'b', 'c', 'd', 'e'];
    service.otherwise = page;
  });

  const stores = [
    ['memory', (test: string) => `${name} ${test}`],
    ['files', (test: string) => path.join(directory, `${name} ${test}`)],
  ] as const;
  describe.each(stores)('with a store in %s', (_kind, place) => {
    test('repeats the page during which the loop ended, skips none, and continues where it ended [CLIENT-4]', async () => {
      expect(await follow(place('repeat'), { breakAfter: 2 })).toEqual(['a', 'b']);
      expect(await follow(place('repeat'))).toEqual(['c', 'd', 'e']);
      expect(cursors()).toEqual(['', 'cursor=2', 'cursor=2', 'cursor=4']);
      entries.push('f');
      expect(await follow(place('repeat'))).toEqual(['f']);
    });

    test('begins again on demand [CLIENT-4]', async () => {
      for (let run = 0; run < 2; run += 1) await follow(place('restart'));
      expect(await follow(place('restart'), { restart: true })).toEqual(entries);
    });
  });

  test('begins jobs with a snapshot or at the oldest entry, and yields a page of those that have left alone [CLIENT-4, FEED-10]', async () => {
    expect(await follow(`${name} jobs`, { feed: 'jobs' })).toEqual(entries);
    expect(await follow(`${name} oldest`, { feed: 'jobs', begin: 'start' })).toEqual(entries);
    const [first, second] = [cursors().at(0), cursors().at(3)];
    expect(new URLSearchParams(first).get('view')).toBe('snapshot');
    expect(new URLSearchParams(second).get('from')).toBe('start');
    for (const query of cursors()) expect(query).toContain('include=unassigned');
    entries = [];
    expect(await follow(`${name} empty`, { feed: 'jobs' })).toEqual([]);
  });

  test('keeps a cursor for each feed, begins with events to come, and filters them [CLIENT-4, EVENT-15]', async () => {
    const store = `${name} filtered`;
    for (const feed of ['inbound', 'installer'] as const) {
      const filtered = { feed, begin: 'end', event: 'install.*', fields: ['scope', 'status'] } as const;
      expect(await follow(store, filtered)).toEqual(entries);
      expect(await follow(store, filtered)).toEqual([]);
    }
    const filter = 'event=install.*&fields=scope%2Cstatus';
    const queries = [`from=end&${filter}`, `cursor=2&${filter}`, `cursor=4&${filter}`, `cursor=5&${filter}`];
    expect(cursors()).toEqual([...queries, ...queries]);
  });

  test('polls for what is new [CLIENT-4]', async () => {
    entries = ['a'];
    service.otherwise = (response, request) => {
      page(response, request);
      entries.push(`new ${entries.length}`);
    };
    expect(await follow(`${name} polls`, { until: 3 })).toEqual(['a', 'new 1', 'new 2']);
  });
});
