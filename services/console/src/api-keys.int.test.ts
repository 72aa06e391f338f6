import { beforeEach, describe, expect, test } from '@jest/globals';
import { apiKeyCreated, apiKeyPage, apiKeyRotated } from '@partner/proto-contracts/resources/api-key/api-key';
import { installerPage } from '@partner/proto-contracts/resources/installer/installer';
import { newId } from '@partner/kernel/ids';
import { FAKE_INSTALLERS } from './testing/fake-access-service.js';
import type { TestConsole } from './testing/start-test-console.js';
import { ids, startSite } from './testing/each-test-console.js';
import { PEOPLE } from './testing/test-job-state.js';

const KEYS = '/partner-api/api-keys';
const INSTALLERS = '/partner-api/installers';

let site: TestConsole;
let cookie: string;

beforeEach(async () => {
  site = await startSite();
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
    expect(key).toMatchObject({
      kind: 'general',
      scopes: ['leads:write', 'appointments:write', 'events:read', 'events:replay'],
      description: 'Website',
      lastFour: apiKey.slice(-4),
      boundCompany: null,
      createdAt: '2026-08-26T14:03:00.000Z',
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      state: 'active',
      replacedBy: null,
    });
    const page = await listed();
    expect(page).toEqual({ keys: [key], nextCursor: null });
    expect(JSON.stringify(page) + site.logged()).not.toContain(apiKey.slice(apiKey.indexOf('.') + 1));
  });

  test('of a contractor is bound to one of the installers', async () => {
    const [installer] = FAKE_INSTALLERS;
    const { key } = await createKey({ kind: 'installer-contractor', boundCompanyId: installer?.id });
    expect(key).toMatchObject({ boundCompany: installer, scopes: ['jobs:read', 'jobs:status:write'] });
    const body = { kind: 'installer-contractor', boundCompanyId: newId('cmp') };
    const refused = await site.request('post', KEYS, { cookie, body }).expect(422);
    expect(refused.body).toMatchObject({ code: 'installer_not_bindable' });
  });

  test("is created for the session's company and by its owner, even if the body names others", async () => {
    await createKey({ kind: 'general', companyId: ids.sunny, actor: { membershipId: ids.olive } });
    expect(site.jobState.asked).toEqual([{ method: 'createKey', companyId: ids.roofs }]);
    expect(site.acted.at(-1)).toMatchObject({ method: 'CreateKey', actor: { membershipId: ids.sam } });
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
    expect(site.jobState.asked).toEqual([]);
  });

  test('is replaced, and stays valid for a day by default [CONSOLE-8]', async () => {
    const { key: first } = await createKey({ kind: 'general', description: 'Website' });
    const rotate = async (id: string, body?: object) => {
      const path = `${KEYS}/${id}/rotate`;
      const response = await site.request('post', path, { cookie, ...(body !== undefined && { body }) });
      const given: unknown = response.body;
      return { status: response.status, body: given };
    };
    const rotated = await rotate(first.id);
    expect(rotated.status).toBe(201);
    const { key: second, apiKey, previous } = apiKeyRotated.parse(rotated.body);
    expect(apiKey.startsWith(`${second.id}.`)).toBe(true);
    expect(previous).toMatchObject({
      id: first.id,
      state: 'expiring',
      expiresAt: '2026-08-27T14:03:00.000Z',
      replacedBy: second.id,
    });
    expect(second).toMatchObject({ kind: 'general', description: 'Website', state: 'active' });
    const again = await rotate(first.id, {});
    expect(again).toMatchObject({ status: 409, body: { code: 'key_not_rotatable' } });
    const atOnce = await rotate(second.id, { overlapHours: 0 });
    expect(apiKeyRotated.parse(atOnce.body).previous.expiresAt).toBe('2026-08-26T14:03:00.000Z');
    for (const overlapHours of [-1, 169, 1.5, '24']) {
      const refused = await rotate(newId('key'), { overlapHours });
      expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'overlapHours' }] } });
    }
  });

  test('is revoked, idempotently [CONSOLE-8, CONSOLE-10]', async () => {
    const { key } = await createKey();
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const response = await site.request('delete', `${KEYS}/${key.id}`, { cookie }).expect(204);
      expect(response.text).toBe('');
    }
    expect((await listed()).keys).toMatchObject([
      { id: key.id, state: 'revoked', revokedAt: '2026-08-26T14:03:00.000Z' },
    ]);
  });

  test('of another company is 404 like a missing one', async () => {
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
    const none = await site.request('get', KEYS, { cookie: theirs }).expect(200);
    expect(none.body).toEqual({ keys: [], nextCursor: null });
    expect((await listed()).keys).toMatchObject([{ id: key.id, state: 'active', replacedBy: null }]);
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

  test('of installers come page by page', async () => {
    const seen: unknown[] = [];
    for (let query: string | null = '?limit=2'; query !== null;) {
      const response = await site.request('get', `${INSTALLERS}${query}`, { cookie }).expect(200);
      const { installers, nextCursor } = installerPage.parse(response.body);
      seen.push(...installers);
      query = nextCursor === null ? null : `?limit=2&cursor=${nextCursor}`;
    }
    expect(seen).toEqual(FAKE_INSTALLERS);
    expect(site.jobState.asked.map(({ companyId }) => companyId)).toEqual([ids.roofs, ids.roofs]);
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
