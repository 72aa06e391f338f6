import { beforeEach, describe, expect, test } from '@jest/globals';
import { apiKeyCreated, apiKeyPage, apiKeyRotated } from '@partner/proto-contracts/resources/api-key/api-key';
import { newId } from '@partner/kernel/process/ids';
import { ids, site } from './testing/each-test-console.js';
import { PEOPLE } from './testing/test-job-state.js';

const KEYS = '/partner-api/api-keys';
const INSTALLERS = '/partner-api/installers';

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

  test("is created for the session's company and by its owner, even if the body names others", async () => {
    await createKey({ kind: 'general', companyId: ids.sunny, actor: { membershipId: ids.olive } });
    const caller = { companyId: ids.roofs, membershipId: ids.sam };
    expect(site.jobState.called.at(-1)).toMatchObject({ operation: 'createApiKey', caller });
  });

  test.each([
    ['no kind', {}, 'kind'],
    ['an unknown kind', { kind: 'admin' }, 'kind'],
    ['a missing company to bind to', { kind: 'installer-contractor' }, 'boundCompanyId'],
    ['an unexpected company to bind to', { kind: 'general', boundCompanyId: newId('cmp') }, 'boundCompanyId'],
    ['a long description', { kind: 'general', description: 'x'.repeat(121) }, 'description'],
  ])('with %s is 400 and names the field', async (_name, body, field) => {
    const response = await site.request('post', KEYS, { cookie, body }).expect(400);
    expect(response.body).toMatchObject({ code: 'invalid_argument', details: [{ path: field }] });
    expect((await listed()).keys).toEqual([]);
  });

  test('is replaced, and stays valid for a day by default [CONSOLE-8, CONSOLE-10]', async () => {
    const { key } = await createKey();
    const rotate = (body?: object) =>
      site.request('post', `${KEYS}/${key.id}/rotate`, { cookie, ...(body !== undefined && { body }) });
    for (const overlapHours of [-1, 169, 1.5, '24']) {
      const refused = await rotate({ overlapHours }).expect(400);
      expect(refused.body).toMatchObject({ details: [{ path: 'overlapHours' }] });
    }
    const { previous } = apiKeyRotated.parse((await rotate().expect(201)).body);
    const expiresAt = new Date(site.now().getTime() + 24 * 3_600_000).toISOString();
    expect(previous).toMatchObject({ id: key.id, state: 'expiring', expiresAt });
    expect((await rotate({}).expect(409)).body).toMatchObject({ code: 'key_not_rotatable' });
  });

  test('is revoked, idempotently [CONSOLE-8, CONSOLE-10]', async () => {
    const { key } = await createKey();
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const response = await site.request('delete', `${KEYS}/${key.id}`, { cookie }).expect(204);
      expect(response.text).toBe('');
    }
    expect((await listed()).keys).toMatchObject([{ id: key.id, state: 'revoked' }]);
  });

  test('of another company is 404 like a missing one and like a malformed id', async () => {
    const { key } = await createKey();
    const theirs = await site.signIn(PEOPLE.installerOwner);
    for (const id of [key.id, newId('key'), 'key_1']) {
      for (const [method, path] of [
        ['delete', `${KEYS}/${id}`],
        ['post', `${KEYS}/${id}/rotate`],
      ] as const) {
        const response = await site.request(method, path, { cookie: theirs }).expect(404);
        expect(response.body).toMatchObject({ error: 'no such API key', code: 'not_found' });
      }
    }
  });
});

describe('lists', () => {
  test('of keys come page by page [CONSOLE-8]', async () => {
    const made = [await createKey(), await createKey(), await createKey()].map(({ key }) => key.id).reverse();
    const first = await listed('?limit=2');
    const rest = await listed(`?limit=2&cursor=${first.nextCursor ?? ''}`);
    expect([...first.keys, ...rest.keys].map(({ id }) => id)).toEqual(made);
    expect(rest.nextCursor).toBeNull();
  });

  test.each([KEYS, INSTALLERS])('%s accepts no other cursor and no other limit', async (path) => {
    const cursor = await site.request('get', `${path}?cursor=${newId('evt')}`, { cookie }).expect(400);
    expect(cursor.body).toMatchObject({ code: 'cursor_invalid' });
    for (const limit of ['0', '101', 'many']) {
      const response = await site.request('get', `${path}?limit=${limit}`, { cookie }).expect(400);
      expect(response.body).toMatchObject({ code: 'invalid_argument', details: [{ path: 'limit' }] });
    }
  });
});
