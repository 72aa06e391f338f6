import { expect, test } from '@jest/globals';
import { followJobs } from './follow-feed.js';
import { createPartnerClient } from './partner-client.js';
import { createMemoryStore } from './store.js';

/** A client of a service with these pages of jobs. `client-feeds.int.test.ts` has what holds for the client of each language. */
const clientOf = (pages: () => object) =>
  createPartnerClient({
    ...{ baseUrl: 'https://api.partner.example', apiKey: 'key_a.secret' },
    fetch: async () => Response.json({ nextCursor: 'next', hasMore: false, ...pages() }),
  });

test('a store in memory forgets the oldest entry beyond its bound', async () => {
  const store = createMemoryStore(2);
  for (const key of ['a', 'b', 'a', 'c']) await store.set(key, key);
  expect(await Promise.all(['a', 'b', 'c'].map((key) => store.get(key)))).toEqual(['a', undefined, 'c']);
});

test('a page of a service of release 0.1.0 has no jobs that have left [CLIENT-4, FEED-10]', async () => {
  const read: unknown[] = [];
  const client = clientOf(() => ({ resources: ['a'] }));
  for await (const page of followJobs(client, { store: createMemoryStore(), stopAtEnd: true }))
    read.push([page.unassigned, page.resources]);
  expect(read).toEqual([[[], ['a']]]);
});

test('polls until it is aborted, and then ends without an error [CLIENT-4]', async () => {
  const abort = new AbortController();
  const read: unknown[] = [];
  const client = clientOf(() => ({ resources: [`new ${read.length}`] }));
  for await (const { resources } of followJobs(client, {
    ...{ store: createMemoryStore(), pollSeconds: 0.001, signal: abort.signal },
  })) {
    read.push(...resources);
    if (read.length === 3) abort.abort();
  }
  expect(read).toEqual(['new 0', 'new 1', 'new 2']);
});
