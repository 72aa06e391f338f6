import { beforeEach, describe, expect, test } from '@jest/globals';
import { apiKeyCreated, apiKeyPage } from '@partner/proto-contracts/resources/api-key/api-key';
import { site } from './testing/each-test-console.js';
import { PEOPLE } from './testing/test-job-state.js';

const KEYS = '/partner-api/api-keys';

let cookie: string;

beforeEach(async () => {
  cookie = await site.signIn(PEOPLE.salesOwner);
});

async function createKey(body: object = { kind: 'general' }) {
  const response = await site.request('post', KEYS, { cookie, body }).expect(201);
  return apiKeyCreated.parse(response.body);
}

async function listed(query = '') {
  const response = await site.request('get', `${KEYS}${query}`, { cookie }).expect(200);
  return apiKeyPage.parse(response.body);
}

describe('an API key', () => {
  test('is created, and shown completely only once [AUTH-10, AUTH-14, CONSOLE-8]', async () => {
    const { key, apiKey } = await createKey({ kind: 'general', description: 'Website' });
    expect(apiKey.startsWith(`${key.id}.svc_`)).toBe(true);
    expect(key).toMatchObject({ description: 'Website', createdAt: site.now().toISOString() });
    const page = await listed();
    expect(page).toEqual({ keys: [key], nextCursor: null });
    expect(JSON.stringify(page) + site.logged()).not.toContain(apiKey.slice(apiKey.indexOf('.') + 1));
  });

  test('is listed page by page [CONSOLE-8]', async () => {
    const made = [await createKey(), await createKey(), await createKey()].map(({ key }) => key.id).reverse();
    const first = await listed('?limit=2');
    const rest = await listed(`?limit=2&cursor=${first.nextCursor ?? ''}`);
    expect([...first.keys, ...rest.keys].map(({ id }) => id)).toEqual(made);
    expect(rest.nextCursor).toBeNull();
  });
});
