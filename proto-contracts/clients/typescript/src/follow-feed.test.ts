import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createFileStore } from './file-store.js';
import { followEvents, followJobs } from './follow-feed.js';
import { createPartnerClient } from './partner-client.js';
import { createMemoryStore, type Store } from './store.js';

const ENTRIES = ['a', 'b', 'c', 'd', 'e'];

/** A service with these entries, two in a page; a cursor is the number of entries before it. */
function serviceWith(entries: readonly string[]) {
  const queries: string[] = [];
  const client = createPartnerClient({
    baseUrl: 'https://api.partner.example',
    apiKey: 'key_a.secret',
    fetch: async ({ url }) => {
      const { searchParams: query, search } = new URL(url);
      queries.push(search);
      const start = Number(query.get('cursor') ?? 0);
      const end = Math.min(entries.length, start + 2);
      const resources = entries.slice(start, end);
      return Response.json({
        ...{ apiVersion: 'v', resources, events: resources, hasMore: end < entries.length },
        nextCursor: end === 0 ? null : String(end),
      });
    },
  });
  return { client, queries };
}

const stopAtEnd = true;

async function readAll(pages: AsyncIterable<{ readonly resources: readonly unknown[] }>): Promise<unknown[]> {
  const read: unknown[] = [];
  for await (const { resources } of pages) read.push(...resources);
  return read;
}

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'partner-client-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const STORES: readonly (readonly [string, () => () => Store])[] = [
  [
    'memory',
    () => {
      const store = createMemoryStore();
      return () => store;
    },
  ],
  [
    'files',
    () => {
      const place = mkdtempSync(path.join(directory, 'store-'));
      return () => createFileStore(place);
    },
  ],
];

describe.each(STORES)('the feed iterator with a store in %s', (_kind, createStores) => {
  test('begins with a snapshot, reads every page, and continues where it ended [CLIENT-4]', async () => {
    const open = createStores();
    const { client, queries } = serviceWith(ENTRIES);
    expect(await readAll(followJobs(client, { store: open(), stopAtEnd, limit: 2 }))).toEqual(ENTRIES);
    const rest = '&limit=2&include=unassigned';
    expect(queries).toEqual([`?view=snapshot${rest}`, `?cursor=2${rest}`, `?cursor=4${rest}`]);
    const later = serviceWith([...ENTRIES, 'f']);
    expect(await readAll(followJobs(later.client, { store: open(), stopAtEnd }))).toEqual(['f']);
  });

  test('repeats the page during which the loop ended, and skips none [CLIENT-4]', async () => {
    const open = createStores();
    const { client } = serviceWith(ENTRIES);
    const handled: unknown[] = [];
    const handle = async () => {
      for await (const { resources } of followJobs(client, { store: open(), stopAtEnd })) {
        if (handled.length === 2) throw new Error('crash');
        handled.push(...resources);
      }
    };
    await expect(handle()).rejects.toThrow('crash');
    expect(await readAll(followJobs(client, { store: open(), stopAtEnd }))).toEqual(['c', 'd', 'e']);
  });

  test('begins again on demand, also at the oldest entry [CLIENT-4]', async () => {
    const open = createStores();
    const { client, queries } = serviceWith(ENTRIES);
    await readAll(followJobs(client, { store: open(), stopAtEnd }));
    const again = { store: open(), stopAtEnd, restart: true, from: 'start' } as const;
    expect(await readAll(followJobs(client, again))).toEqual(ENTRIES);
    expect(queries.at(-3)).toBe('?from=start&include=unassigned');
  });
});

test('a store in memory forgets the oldest entry beyond its bound', async () => {
  const store = createMemoryStore(2);
  for (const key of ['a', 'b', 'a', 'c']) await store.set(key, key);
  expect(await Promise.all(['a', 'b', 'c'].map((key) => store.get(key)))).toEqual(['a', undefined, 'c']);
});

test('events have their own cursor, and an empty feed yields nothing [CLIENT-4]', async () => {
  const store = createMemoryStore();
  const { client } = serviceWith(ENTRIES);
  await readAll(followJobs(client, { store, stopAtEnd }));
  const events: unknown[] = [];
  for await (const page of followEvents(client, '/partner/v1/events', { store, stopAtEnd }))
    events.push(...page.events);
  expect(events).toEqual(ENTRIES);
  expect(
    await readAll(followJobs(serviceWith([]).client, { store: createMemoryStore(), stopAtEnd })),
  ).toEqual([]);
});

test('events can begin with those to come, and be of one name or group [CLIENT-4]', async () => {
  const { client, queries } = serviceWith(ENTRIES);
  const filtered = { store: createMemoryStore(), stopAtEnd, from: 'end', event: 'install.*' } as const;
  for (let run = 0; run < 2; run += 1)
    for await (const _page of followEvents(client, '/partner/v1/events', filtered)) break;
  expect(queries).toEqual(['?from=end&event=install.*', '?from=end&event=install.*']);
  for await (const _page of followEvents(client, '/partner/v1/events', filtered));
  expect(queries.at(-1)).toBe('?cursor=4&event=install.*');
});

test('yields a page of jobs that have left alone, and none of them from a service of release 0.1.0 [CLIENT-4, FEED-10]', async () => {
  const gone = { sequence: 2, jobId: 'job_1', unassignedAt: '2026-11-26T12:00:00.000Z' };
  const pages = [{ unassigned: [gone], resources: [] }, { resources: ['a'] }, { resources: [] }];
  const client = createPartnerClient({
    baseUrl: 'https://api.partner.example',
    apiKey: 'key_a.secret',
    fetch: async () => {
      const page = pages.shift();
      return Response.json({ ...page, nextCursor: `${pages.length}`, hasMore: pages.length > 0 });
    },
  });
  const read: unknown[] = [];
  for await (const page of followJobs(client, { store: createMemoryStore(), stopAtEnd })) {
    read.push([page.unassigned, page.resources]);
  }
  expect(read).toEqual([
    [[gone], []],
    [[], ['a']],
  ]);
});

test('polls until it is aborted, and then ends without an error [CLIENT-4]', async () => {
  const abort = new AbortController();
  const entries = ['a'];
  const { client, queries } = serviceWith(entries);
  const read: unknown[] = [];
  for await (const { resources } of followJobs(client, {
    ...{ store: createMemoryStore(), pollSeconds: 0.001, signal: abort.signal },
  })) {
    read.push(...resources);
    if (read.length === 3) abort.abort();
    else entries.push(`new ${read.length}`);
  }
  expect(read).toEqual(['a', 'new 1', 'new 2']);
  const asked = '&include=unassigned';
  expect(queries.slice(0, 2)).toEqual([`?view=snapshot${asked}`, `?cursor=1${asked}`]);
});
