import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  attempt,
  delivery,
  deliveryPage,
  deliveryWithAttempts,
  sessionAnswer,
  subscription,
  subscriptionCreated,
} from '@partner/proto-contracts/public-api/console';
import type { RateLimiter } from '@partner/runtime/http/rate-limiter';
import { newId } from '@partner/runtime/ids';
import { freePort } from '@partner/runtime/local-parts/local-process';
import { type LocalRedis, startRedis } from '@partner/runtime/local-parts/redis';
import { testRedisUrl } from '@partner/runtime/testing/parts';
import supertest from 'supertest';
import { LOGIN_FAILURE_LIMITS, LOGIN_FAILURE_WINDOW_MS } from './sessions/login-attempts.js';
import { SESSION_IDLE_MS, SESSION_LIFETIME_MS } from './sessions/session-store.js';
import { PASSWORD, PEOPLE, startTestConsole, type TestConsole } from './testing/start-test-console.js';

const SESSION = '/partner-api/session';
const WEBHOOKS = '/partner-api/webhooks';
const newWebhook = { url: 'https://receiver.example/hook', events: ['install.*'], description: 'Main' };

let site: TestConsole;
let sites: TestConsole[] = [];

async function startSite(
  options: Partial<Parameters<typeof startTestConsole>[0]> = {},
): Promise<TestConsole> {
  const started = await startTestConsole({ redisUrl: testRedisUrl(), ...options });
  sites.push(started);
  return started;
}

beforeEach(async () => {
  site = await startSite();
});

afterEach(async () => {
  await Promise.all(sites.map((started) => started.stop()));
  sites = [];
});

function logIn(email: string, password: string, address?: string) {
  return site.request('post', SESSION, {
    body: { email, password },
    ...(address !== undefined && { address }),
  });
}

async function expectStatus(status: number, sent: supertest.Test): Promise<void> {
  expect((await sent).status).toBe(status);
}

async function createWebhook(cookie: string): Promise<string> {
  const created = await site.request('post', WEBHOOKS, { cookie, body: newWebhook }).expect(201);
  return subscriptionCreated.parse(created.body).subscription.id;
}

describe('signing in', () => {
  test('gives an owner a session', async () => {
    const answer = await logIn(PEOPLE.installerOwner, PASSWORD).expect(200);
    expect(sessionAnswer.parse(answer.body)).toMatchObject({
      owner: { membershipId: 'mem_olive', displayName: 'Olive Owner' },
      company: { id: 'cmp_sunny', name: 'Sunny Installers', class: 'INSTALLER' },
    });
    expect(answer.get('set-cookie')).toEqual([
      expect.stringMatching(
        /^__Host-svc_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      ),
    ]);
    const [cookie = ''] = answer.get('set-cookie') ?? [];
    const again = await site.request('get', SESSION, { cookie: cookie.split(';', 1)[0] ?? '' }).expect(200);
    expect(again.body).toEqual(answer.body);
  });

  test('takes an email address in any case', async () => {
    await expectStatus(200, logIn(PEOPLE.installerOwner.toUpperCase(), PASSWORD));
  });

  test('gives a cookie without Secure on a plain loopback address', async () => {
    const local = await startSite({ publicBaseUrl: 'http://127.0.0.1:8080' });
    const answer = await local
      .request('post', SESSION, { body: { email: PEOPLE.installerOwner, password: PASSWORD } })
      .expect(200);
    expect(answer.get('set-cookie')).toEqual([
      expect.stringMatching(/^svc_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
  });

  test('answers a wrong password and an unknown address alike', async () => {
    const wrong = await logIn(PEOPLE.installerOwner, 'wrong').expect(401);
    const unknown = await logIn('nobody@sunny.example', PASSWORD).expect(401);
    for (const answer of [wrong, unknown]) {
      expect(answer.body).toMatchObject({
        error: 'the email address or the password is wrong',
        code: 'unauthenticated',
      });
      expect(answer.get('set-cookie')).toBeUndefined();
    }
    expect(Object.keys(wrong.headers)).toEqual(Object.keys(unknown.headers));
  });

  test('is refused to somebody who owns no company, once the password is right', async () => {
    await expectStatus(401, logIn(PEOPLE.technician, 'wrong'));
    const answer = await logIn(PEOPLE.technician, PASSWORD).expect(403);
    expect(answer.body).toMatchObject({ code: 'permission_denied' });
    expect(answer.get('set-cookie')).toBeUndefined();
  });

  test('gives a new token each time and ends the session that the browser had', async () => {
    const first = await site.signIn();
    const answer = await site
      .request('post', SESSION, {
        cookie: first,
        body: { email: PEOPLE.installerOwner, password: PASSWORD },
      })
      .expect(200);
    const second = answer.get('set-cookie')?.[0]?.split(';', 1)[0] ?? '';
    expect(second).not.toBe(first);
    await expectStatus(401, site.request('get', SESSION, { cookie: first }));
    await expectStatus(200, site.request('get', SESSION, { cookie: second }));
  });

  test('never takes a token that the caller chose', async () => {
    const chosen = `__Host-svc_session=${'a'.repeat(43)}`;
    await expectStatus(
      200,
      site.request('post', SESSION, {
        cookie: chosen,
        body: { email: PEOPLE.installerOwner, password: PASSWORD },
      }),
    );
    await expectStatus(401, site.request('get', SESSION, { cookie: chosen }));
  });

  test.each([
    ['no email', { password: PASSWORD }, 'email'],
    ['no password', { email: PEOPLE.installerOwner }, 'password'],
    ['a password that is no text', { email: PEOPLE.installerOwner, password: 1 }, 'password'],
    ['a control character', { email: 'olive\u0000@sunny.example', password: PASSWORD }, 'email'],
  ])('with %s is 400 and names the field', async (_name, body, field) => {
    const answer = await site.request('post', SESSION, { body }).expect(400);
    expect(answer.body).toMatchObject({ details: [{ path: field }] });
  });
});

describe('failed logins', () => {
  test('are limited per account, wherever they come from, until their span is over', async () => {
    for (let n = 0; n < LOGIN_FAILURE_LIMITS.account; n += 1) {
      await expectStatus(401, logIn(PEOPLE.installerOwner, 'wrong', `192.0.2.${n}`));
    }
    const answer = await logIn(PEOPLE.installerOwner.toUpperCase(), PASSWORD, '192.0.2.200').expect(429);
    expect(answer.get('retry-after')).toBe(String(LOGIN_FAILURE_WINDOW_MS / 1_000));
    expect(answer.body).toMatchObject({ code: 'rate_limited' });
    await expectStatus(200, logIn(PEOPLE.salesOwner, PASSWORD, '192.0.2.200'));

    site.pass(LOGIN_FAILURE_WINDOW_MS);
    await expectStatus(200, logIn(PEOPLE.installerOwner, PASSWORD, '192.0.2.200'));
  });

  test('are limited for an unknown address too', async () => {
    for (let n = 0; n < LOGIN_FAILURE_LIMITS.account; n += 1) {
      await expectStatus(401, logIn('nobody@sunny.example', 'wrong', `192.0.2.${n}`));
    }
    await expectStatus(429, logIn('nobody@sunny.example', 'wrong', '192.0.2.200'));
  });

  test('are limited per client address, whatever account they try', async () => {
    for (let n = 0; n < LOGIN_FAILURE_LIMITS.address; n += 1) {
      await expectStatus(401, logIn(`nobody-${n}@sunny.example`, 'wrong', '192.0.2.1'));
    }
    await expectStatus(429, logIn(PEOPLE.installerOwner, PASSWORD, '192.0.2.1'));
    await expectStatus(200, logIn(PEOPLE.installerOwner, PASSWORD, '192.0.2.2'));
  });

  test('that are guessed at once do not slip through together', async () => {
    const answers = await Promise.all(
      Array.from({ length: 2 * LOGIN_FAILURE_LIMITS.account }, () => logIn(PEOPLE.installerOwner, 'wrong')),
    );
    const guesses = answers.filter(({ status }) => status === 401);
    expect(guesses).toHaveLength(LOGIN_FAILURE_LIMITS.account);
  });

  test('are not what successful logins count as', async () => {
    for (let n = 0; n <= LOGIN_FAILURE_LIMITS.account; n += 1) {
      await expectStatus(200, logIn(PEOPLE.installerOwner, PASSWORD));
      await expectStatus(403, logIn(PEOPLE.technician, PASSWORD));
    }
  });
});

describe('a session', () => {
  test('ends 30 minutes after its last request', async () => {
    const cookie = await site.signIn();
    site.pass(SESSION_IDLE_MS - 1);
    await expectStatus(200, site.request('get', WEBHOOKS, { cookie }));
    site.pass(SESSION_IDLE_MS - 1);
    await expectStatus(200, site.request('get', WEBHOOKS, { cookie }));
    site.pass(SESSION_IDLE_MS);
    await expectStatus(401, site.request('get', WEBHOOKS, { cookie }));
  });

  test('ends 12 hours after the login, however busy it is', async () => {
    const cookie = await site.signIn();
    for (let ms = 0; ms + SESSION_IDLE_MS / 2 < SESSION_LIFETIME_MS; ms += SESSION_IDLE_MS / 2) {
      await expectStatus(200, site.request('get', SESSION, { cookie }));
      site.pass(SESSION_IDLE_MS / 2);
    }
    await expectStatus(200, site.request('get', SESSION, { cookie }));
    site.pass(SESSION_IDLE_MS / 2);
    await expectStatus(401, site.request('get', SESSION, { cookie }));
  });

  test('ends with the logout, and the browser forgets it', async () => {
    const cookie = await site.signIn();
    const other = await site.signIn();
    const answer = await site.request('delete', SESSION, { cookie }).expect(204);
    expect(answer.get('set-cookie')).toEqual([
      '__Host-svc_session=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0',
    ]);
    await expectStatus(401, site.request('get', SESSION, { cookie }));
    await expectStatus(200, site.request('get', SESSION, { cookie: other }));
  });

  test('has a limit of its own of 3,000 requests a minute', async () => {
    const taken: { key: string; limit: number }[] = [];
    const limiter: RateLimiter = {
      take: async (key, limit) => {
        taken.push({ key, limit });
        return { accepted: false, limit, remaining: 0, resetSeconds: 60, retryAfterSeconds: 7 };
      },
      ask: async (_key, limit) => {
        return { accepted: true, limit, remaining: 1, resetSeconds: 0, retryAfterSeconds: 0 };
      },
    };
    const limited = await startSite({ limiter });
    const cookies = [await limited.signIn(), await limited.signIn()];
    for (const cookie of cookies) {
      const answer = await limited.request('get', WEBHOOKS, { cookie }).expect(429);
      expect(answer.get('retry-after')).toBe('7');
    }
    expect(taken).toEqual(
      cookies.map((cookie) => {
        const token = cookie.slice(cookie.indexOf('=') + 1);
        const id = createHash('sha256').update(token).digest('hex');
        return { key: `console:${id}`, limit: 3_000 };
      }),
    );
  });
});

const WEBHOOK = `${WEBHOOKS}/whk_01j6z8k3s9f2v7c4x5b6n7m8q9`;

const ROUTES = [
  ['get', SESSION],
  ['delete', SESSION],
  ['post', WEBHOOKS],
  ['get', WEBHOOKS],
  ['get', WEBHOOK],
  ['post', `${WEBHOOK}/test`],
  ['post', `${WEBHOOK}/activate`],
  ['get', `${WEBHOOK}/deliveries`],
  ['get', '/partner-api/deliveries/dlv_01j6z8k3s9f2v7c4x5b6n7m8q9'],
] as const;

describe.each(ROUTES)('%s %s', (method, route) => {
  test('is 401 without a session', async () => {
    const answer = await site.request(method, route).expect(401);
    expect(answer.body).toMatchObject({ code: 'unauthenticated' });
    expect(site.jobState.asked).toEqual([]);
  });

  test('is 401 with an API key instead of a session', async () => {
    const apiKey = 'key_01j6z8k3s9f2v7c4x5b6n7m8q9.svc_test_0123456789abcdefghijABCDEFGHIJ01234567';
    await expectStatus(401, site.request(method, route).set('x-api-key', apiKey));
    await expectStatus(
      401,
      site
        .request(method, route, { cookie: `__Host-svc_session=${apiKey}` })
        .set('authorization', `Bearer ${apiKey}`),
    );
  });
});

const STATE_CHANGES = [['post', SESSION], ...ROUTES.filter(([method]) => method !== 'get')] as const;

describe.each(STATE_CHANGES)('%s %s', (method, route) => {
  const body = { ...newWebhook, email: PEOPLE.installerOwner, password: PASSWORD };

  test.each(['https://evil.example', 'http://partner.example', 'null'])(
    'is 403 from the origin %s',
    async (origin) => {
      const cookie = await site.signIn();
      const answer = await site.request(method, route, { cookie, body }).set('origin', origin).expect(403);
      expect(answer.get('set-cookie')).toBeUndefined();
      expect(site.jobState.asked).toEqual([]);
      await expectStatus(200, site.request('get', SESSION, { cookie }));
    },
  );

  test('is 403 without an origin', async () => {
    const cookie = await site.signIn();
    const fromElsewhere = supertest(site.server);
    await expectStatus(
      403,
      fromElsewhere[method](route).set('cookie', cookie).set('content-type', 'application/json').send(body),
    );
    expect(site.jobState.asked).toEqual([]);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded'])(
    'is 400 with the content type %s',
    async (contentType) => {
      const cookie = await site.signIn();
      const answer = await site
        .request(method, route, { cookie })
        .set('content-type', contentType)
        .send(JSON.stringify(body))
        .expect(400);
      expect(answer.body).toMatchObject({ code: 'invalid_argument' });
      expect(site.jobState.asked).toEqual([]);
    },
  );

  test('is 400 without a content type', async () => {
    const cookie = await site.signIn();
    const fromElsewhere = supertest(site.server);
    await expectStatus(400, fromElsewhere[method](route).set('cookie', cookie).set('origin', site.origin));
    expect(site.jobState.asked).toEqual([]);
  });
});

describe('a webhook subscription', () => {
  test('is created paused, shows its secret once, is tested and then activated', async () => {
    const cookie = await site.signIn();
    const created = await site.request('post', WEBHOOKS, { cookie, body: newWebhook }).expect(201);
    const { subscription: paused, secret } = subscriptionCreated.parse(created.body);
    expect(paused).toMatchObject({ ...newWebhook, state: 'paused', verified: false, schemaVersion: 1 });
    expect(secret).toMatch(/^whsec_/);

    const early = await site.request('post', `${WEBHOOKS}/${paused.id}/activate`, { cookie }).expect(409);
    expect(early.body).toMatchObject({ code: 'test_delivery_required' });

    const queued = await site
      .request('post', `${WEBHOOKS}/${paused.id}/test`, { cookie, body: {} })
      .expect(202);
    expect(delivery.parse(queued.body)).toMatchObject({
      subscriptionId: paused.id,
      event: 'install.test',
      state: 'pending',
    });
    site.jobState.verify(paused.id);

    const activated = await site.request('post', `${WEBHOOKS}/${paused.id}/activate`, { cookie }).expect(200);
    expect(subscription.parse(activated.body)).toMatchObject({ state: 'active', verified: true });

    const read = await site.request('get', `${WEBHOOKS}/${paused.id}`, { cookie }).expect(200);
    expect(read.body).toEqual(activated.body);
    const listed = await site.request('get', WEBHOOKS, { cookie }).expect(200);
    expect(listed.body).toEqual({ subscriptions: [activated.body] });
    expect(listed.text + read.text).not.toContain(secret);
  });

  test('is made for the company of the session, whatever the body says', async () => {
    const cookie = await site.signIn();
    await expectStatus(
      201,
      site.request('post', WEBHOOKS, { cookie, body: { ...newWebhook, companyId: 'cmp_roofs' } }),
    );
    expect(site.jobState.asked).toEqual([{ method: 'createSubscription', companyId: 'cmp_sunny' }]);
  });

  test.each([
    ['plain HTTP', { url: 'http://receiver.example/' }, 'url'],
    ['another port', { url: 'https://receiver.example:8443/' }, 'url'],
    ['credentials in the URL', { url: 'https://user:pass@receiver.example/' }, 'url'],
    ['what is no URL', { url: 'receiver' }, 'url'],
    ['a line break in the URL', { url: 'https://receiver.example/\n' }, 'url'],
    ['no event', { events: [] }, 'events'],
    ['an event that is not in the catalogue', { events: ['install.test', 'install.tset'] }, 'events.1'],
    ['a group that is not in the catalogue', { events: ['nothing.*'] }, 'events.0'],
    ['every event', { events: ['*'] }, 'events.0'],
    ['a schema version that does not exist', { schemaVersion: 2 }, 'schemaVersion'],
    ['a description that is too long', { description: 'x'.repeat(201) }, 'description'],
  ])('with %s is 400 and names the field', async (_name, fault, field) => {
    const cookie = await site.signIn();
    const body = { ...newWebhook, ...fault };
    const answer = await site.request('post', WEBHOOKS, { cookie, body }).expect(400);
    expect(answer.body).toMatchObject({ code: 'invalid_argument', details: [{ path: field }] });
    expect(site.jobState.asked).toEqual([]);
  });
});

describe('deliveries', () => {
  test('are listed newest first, in pages, and by state', async () => {
    const cookie = await site.signIn();
    const id = await createWebhook(cookie);
    const queued: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const answer = await site.request('post', `${WEBHOOKS}/${id}/test`, { cookie }).expect(202);
      queued.unshift(delivery.parse(answer.body).id);
    }
    const list = async (query: string) => {
      const answer = await site
        .request('get', `${WEBHOOKS}/${id}/deliveries?${query}`, { cookie })
        .expect(200);
      return deliveryPage.parse(answer.body);
    };
    const first = await list('limit=2');
    expect(first.deliveries.map((each) => each.id)).toEqual(queued.slice(0, 2));
    const second = await list(`limit=2&cursor=${first.nextCursor ?? ''}`);
    expect(second.deliveries.map((each) => each.id)).toEqual(queued.slice(2));
    expect(second.nextCursor).toBeNull();
    expect((await list('status=pending')).deliveries).toHaveLength(3);
    expect((await list('status=dead_lettered')).deliveries).toHaveLength(0);
  });

  test.each([
    ['limit=0', 'limit', 'invalid_argument'],
    ['limit=101', 'limit', 'invalid_argument'],
    ['limit=x', 'limit', 'invalid_argument'],
    ['status=lost', 'status', 'invalid_argument'],
    ['cursor=x', 'cursor', 'cursor_invalid'],
  ])('are not listed with %s', async (query, field, code) => {
    const cookie = await site.signIn();
    const answer = await site
      .request('get', `${WEBHOOKS}/${newId('whk')}/deliveries?${query}`, { cookie })
      .expect(400);
    expect(answer.body).toMatchObject({ code, details: [{ path: field }] });
  });

  test('are read with their attempts and the text of their body', async () => {
    const cookie = await site.signIn();
    const id = await createWebhook(cookie);
    const queued = await site.request('post', `${WEBHOOKS}/${id}/test`, { cookie }).expect(202);
    const read = await site
      .request('get', `/partner-api/deliveries/${delivery.parse(queued.body).id}`, { cookie })
      .expect(200);
    const view = deliveryWithAttempts.parse(read.body);
    expect(view.delivery).toEqual(queued.body);
    expect(view.body).toBe('{"event":"install.test"}');
    expect(view.attempts.map((each) => attempt.parse(each).outcome)).toEqual(['timed_out']);
  });
});

describe('what is not the own company’s', () => {
  test('is 404 like what does not exist, and like what can not exist', async () => {
    const theirs = await site.signIn(PEOPLE.salesOwner);
    const webhook = await createWebhook(theirs);
    const queued = await site.request('post', `${WEBHOOKS}/${webhook}/test`, { cookie: theirs }).expect(202);
    const ours = await site.signIn();

    const bodies: unknown[] = [];
    for (const id of [webhook, newId('whk'), 'whk_1', 'x'.repeat(500)]) {
      const routes = [
        ['get', `${WEBHOOKS}/${id}`],
        ['post', `${WEBHOOKS}/${id}/test`],
        ['post', `${WEBHOOKS}/${id}/activate`],
        ['get', `${WEBHOOKS}/${id}/deliveries`],
      ] as const;
      for (const [method, route] of routes) {
        const answer = await site.request(method, route, { cookie: ours }).expect(404);
        bodies.push({ ...answer.body, requestId: '' });
      }
    }
    expect(new Set(bodies.map((body) => JSON.stringify(body)))).toEqual(
      new Set([JSON.stringify({ error: 'no such webhook subscription', code: 'not_found', requestId: '' })]),
    );

    for (const id of [delivery.parse(queued.body).id, newId('dlv'), 'dlv_1']) {
      const answer = await site.request('get', `/partner-api/deliveries/${id}`, { cookie: ours }).expect(404);
      expect(answer.body).toMatchObject({ error: 'no such webhook delivery', code: 'not_found' });
    }
    const listed = await site.request('get', WEBHOOKS, { cookie: ours }).expect(200);
    expect(listed.body).toEqual({ subscriptions: [] });
  });
});

test('the log holds no password, no token, no secret and no email address', async () => {
  await expectStatus(401, logIn(PEOPLE.installerOwner, 'a wrong password'));
  const cookie = await site.signIn();
  const created = await site.request('post', WEBHOOKS, { cookie, body: newWebhook }).expect(201);
  await expectStatus(204, site.request('delete', SESSION, { cookie }));

  expect(site.logged()).toContain('"outcome":"signed_in"');
  const secrets = [
    PASSWORD,
    'a wrong password',
    cookie.slice(cookie.indexOf('=') + 1),
    subscriptionCreated.parse(created.body).secret,
    PEOPLE.installerOwner,
    '$argon2id$',
  ];
  for (const secret of secrets) expect(site.logged()).not.toContain(secret);
});

describe('without Redis', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'console-redis-'));
  let redis: LocalRedis | undefined;
  afterAll(async () => {
    await redis?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  test('nobody is signed in: sessions and logins are 503, and work again once it is back', async () => {
    const port = await freePort();
    redis = await startRedis({ directory, port });
    const alone = await startSite({ redisUrl: redis.url });
    const cookie = await alone.signIn();
    await expectStatus(200, alone.request('get', SESSION, { cookie }));
    await redis.stop();

    const reading = await alone.request('get', SESSION, { cookie }).expect(503);
    expect(reading.body).toMatchObject({ code: 'unavailable' });
    expect(Number(reading.get('retry-after'))).toBeGreaterThanOrEqual(1);
    for (const password of [PASSWORD, 'wrong']) {
      const login = await alone
        .request('post', SESSION, { body: { email: PEOPLE.installerOwner, password } })
        .expect(503);
      expect(login.get('set-cookie')).toBeUndefined();
    }
    await expectStatus(503, alone.request('post', WEBHOOKS, { cookie, body: newWebhook }));
    expect(alone.jobState.asked).toEqual([]);

    redis = await startRedis({ directory, port });
    await alone.redisReady();
    await expectStatus(200, alone.request('get', SESSION, { cookie: await alone.signIn() }));
  });
});
