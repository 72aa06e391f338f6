import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  bulkReplay,
  bulkReplayPage,
  bulkReplayPreview,
} from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import {
  companyStatistics,
  webhookStatistics,
} from '@partner/proto-contracts/resources/statistics/statistics';
import { eventPage, eventWithTrail } from '@partner/proto-contracts/resources/event/event';
import { attempt } from '@partner/proto-contracts/resources/attempt/attempt';
import {
  delivery,
  deliveryPage,
  deliveryWithAttempts,
} from '@partner/proto-contracts/resources/delivery/delivery';
import { sessionResponse } from '@partner/proto-contracts/resources/session/session';
import { eventCatalogue } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';
import {
  secretRotated,
  subscription,
  subscriptionActivated,
  subscriptionCreated,
} from '@partner/proto-contracts/resources/subscription/subscription';
import type { RateLimiter } from '@partner/gateway-kit/rate-limiter';
import { newId } from '@partner/kernel/ids';
import { freePort } from '@partner/test-kit/backing-services/local-process';
import { type LocalRedis, startRedis } from '@partner/test-kit/backing-services/redis';
import { testRedisUrl } from '@partner/test-kit/backing-services/server-urls';
import supertest from 'supertest';
import { z } from 'zod';
import { DEVICE_KNOWN_MS } from './sessions/device-cookie.js';
import { LOGIN_FAILURE_LIMITS, LOGIN_FAILURE_WINDOW_MS } from './sessions/login-attempts.js';
import { SESSION_IDLE_MS, SESSION_LIFETIME_MS } from './sessions/session-times.js';
import { PASSWORD, PEOPLE, startTestConsole, type TestConsole } from './testing/start-test-console.js';

const SESSION = '/partner-api/session';
const WEBHOOKS = '/partner-api/webhooks';
const EVENTS = '/partner-api/webhook-events';
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

function logIn(email: string, password: string, address?: string, cookie?: string) {
  return site.request('post', SESSION, {
    body: { email, password },
    ...(address !== undefined && { address }),
    ...(cookie !== undefined && { cookie }),
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
  test('returns a session to an owner [SESSION-1]', async () => {
    const answer = await logIn(PEOPLE.installerOwner, PASSWORD).expect(200);
    expect(sessionResponse.parse(answer.body)).toMatchObject({
      owner: { membershipId: 'mem_olive', displayName: 'Olive Owner' },
      company: { id: 'cmp_sunny', name: 'Sunny Installers', class: 'INSTALLER' },
    });
    expect(answer.get('set-cookie')).toEqual([
      expect.stringMatching(
        /^__Host-svc_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      ),
      expect.stringMatching(
        /^__Host-svc_device=mem_olive\.[\w-]{22}\.[0-9]+\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=15552000$/,
      ),
    ]);
    const [cookie = ''] = answer.get('set-cookie') ?? [];
    const again = await site.request('get', SESSION, { cookie: cookie.split(';', 1)[0] ?? '' }).expect(200);
    expect(again.body).toEqual(answer.body);
  });

  test('accepts an email address in any case', async () => {
    await expectStatus(200, logIn(PEOPLE.installerOwner.toUpperCase(), PASSWORD));
  });

  test('sets a cookie without Secure on a plain loopback address', async () => {
    const local = await startSite({ publicBaseUrl: 'http://127.0.0.1:8080' });
    const answer = await local
      .request('post', SESSION, { body: { email: PEOPLE.installerOwner, password: PASSWORD } })
      .expect(200);
    expect(answer.get('set-cookie')).toEqual([
      expect.stringMatching(/^svc_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
      expect.stringMatching(/^svc_device=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=15552000$/),
    ]);
  });

  test('responds the same to a wrong password and an unknown address', async () => {
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

  test('is refused with the right password to a person who owns no company [AUTH-6, SESSION-1]', async () => {
    await expectStatus(401, logIn(PEOPLE.technician, 'wrong'));
    const answer = await logIn(PEOPLE.technician, PASSWORD).expect(403);
    expect(answer.body).toMatchObject({ code: 'permission_denied' });
    expect(answer.get('set-cookie')).toBeUndefined();
  });

  test("sets a new token each time and ends the browser's previous session [SESSION-1]", async () => {
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

  test('never accepts a token that the caller chose', async () => {
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
    ['a password that is not text', { email: PEOPLE.installerOwner, password: 1 }, 'password'],
    ['a control character', { email: 'olive\u0000@sunny.example', password: PASSWORD }, 'email'],
  ])('with %s is 400 and names the field', async (_name, body, field) => {
    const answer = await site.request('post', SESSION, { body }).expect(400);
    expect(answer.body).toMatchObject({ details: [{ path: field }] });
  });
});

describe('failed logins', () => {
  const ADDRESS = '192.0.2.1';

  /** Guesses the password of an account until it is limited for this address. */
  async function exhaust(email: string): Promise<void> {
    for (let n = 0; n < LOGIN_FAILURE_LIMITS.client; n += 1) {
      await expectStatus(401, logIn(email, 'wrong', ADDRESS));
    }
  }

  test('are limited per account and address, until their span is over', async () => {
    await exhaust(PEOPLE.installerOwner);
    const answer = await logIn(PEOPLE.installerOwner.toUpperCase(), PASSWORD, ADDRESS).expect(429);
    expect(answer.get('retry-after')).toBe(String(LOGIN_FAILURE_WINDOW_MS / 1_000));
    expect(answer.body).toMatchObject({ code: 'rate_limited' });
    await expectStatus(200, logIn(PEOPLE.salesOwner, PASSWORD, ADDRESS));
    await expectStatus(200, logIn(PEOPLE.installerOwner, PASSWORD, '192.0.2.200'));

    site.pass(LOGIN_FAILURE_WINDOW_MS);
    await expectStatus(200, logIn(PEOPLE.installerOwner, PASSWORD, ADDRESS));
  });

  test('are limited for an unknown address too', async () => {
    await exhaust('nobody@sunny.example');
    await expectStatus(429, logIn('nobody@sunny.example', 'wrong', ADDRESS));
  });

  test('of a stranger stop neither a known device of the owner nor a session [SESSION-9]', async () => {
    const { headers } = await logIn(PEOPLE.installerOwner, PASSWORD).expect(200);
    const [session = '', device = ''] = z
      .array(z.string())
      .parse(headers['set-cookie'])
      .map((cookie) => cookie.split(';', 1)[0]);
    const body = { password: PASSWORD };
    // The stranger shares the owner's address and uses it up.
    for (let n = 0; n < LOGIN_FAILURE_LIMITS.address / LOGIN_FAILURE_LIMITS.client; n += 1) {
      await exhaust(n === 0 ? PEOPLE.installerOwner : `nobody-${n}@sunny.example`);
    }
    await expectStatus(429, logIn(PEOPLE.installerOwner, PASSWORD, ADDRESS));
    await expectStatus(
      200,
      site.request('post', `${SESSION}/confirm`, { cookie: session, address: ADDRESS, body }),
    );
    await expectStatus(429, logIn(PEOPLE.salesOwner, PASSWORD, ADDRESS, device));
    await expectStatus(429, logIn(PEOPLE.installerOwner, PASSWORD, ADDRESS, device.replace(/.$/, '')));
    await expectStatus(200, logIn(PEOPLE.installerOwner, PASSWORD, ADDRESS, device));

    for (let n = 1; n < LOGIN_FAILURE_LIMITS.client; n += 1) {
      await expectStatus(401, logIn(PEOPLE.installerOwner, 'wrong', ADDRESS, device));
    }
    await expectStatus(429, logIn(PEOPLE.installerOwner, 'wrong', ADDRESS, device));
    site.pass(DEVICE_KNOWN_MS);
    await exhaust(PEOPLE.installerOwner);
    await expectStatus(429, logIn(PEOPLE.installerOwner, PASSWORD, ADDRESS, device));
  });

  test('are limited per client address, for any accounts', async () => {
    for (let n = 0; n < LOGIN_FAILURE_LIMITS.address; n += 1) {
      await expectStatus(401, logIn(`nobody-${n}@sunny.example`, 'wrong', '192.0.2.1'));
    }
    await expectStatus(429, logIn(PEOPLE.installerOwner, PASSWORD, '192.0.2.1'));
    await expectStatus(200, logIn(PEOPLE.installerOwner, PASSWORD, '192.0.2.2'));
  });

  test('that are concurrent do not exceed the limit', async () => {
    const answers = await Promise.all(
      Array.from({ length: 2 * LOGIN_FAILURE_LIMITS.client }, () => logIn(PEOPLE.installerOwner, 'wrong')),
    );
    const guesses = answers.filter(({ status }) => status === 401);
    expect(guesses).toHaveLength(LOGIN_FAILURE_LIMITS.client);
  });

  test('do not include successful logins', async () => {
    for (let n = 0; n <= LOGIN_FAILURE_LIMITS.client; n += 1) {
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

  test('ends 12 hours after the login, even with requests', async () => {
    const cookie = await site.signIn();
    for (let ms = 0; ms + SESSION_IDLE_MS / 2 < SESSION_LIFETIME_MS; ms += SESSION_IDLE_MS / 2) {
      await expectStatus(200, site.request('get', SESSION, { cookie }));
      site.pass(SESSION_IDLE_MS / 2);
    }
    await expectStatus(200, site.request('get', SESSION, { cookie }));
    site.pass(SESSION_IDLE_MS / 2);
    await expectStatus(401, site.request('get', SESSION, { cookie }));
  });

  test('ends with the logout, and clears the cookie', async () => {
    const cookie = await site.signIn();
    const other = await site.signIn();
    const answer = await site.request('delete', SESSION, { cookie }).expect(204);
    expect(answer.get('set-cookie')).toEqual([
      '__Host-svc_session=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0',
    ]);
    await expectStatus(401, site.request('get', SESSION, { cookie }));
    await expectStatus(200, site.request('get', SESSION, { cookie: other }));
  });

  test('has a separate limit of 3,000 requests a minute [LIMIT-3]', async () => {
    const taken: { key: string; limit: number }[] = [];
    const limiter: RateLimiter = {
      take: async (key, limit) => {
        taken.push({ key, limit });
        return { accepted: false, limit, remaining: 0, resetSeconds: 60, retryAfterSeconds: 7 };
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
  ['post', `${SESSION}/confirm`],
  ['get', '/partner-api/sessions'],
  ['delete', '/partner-api/sessions/ses_01j6z8k3s9f2v7c4x5b6n7m8q9'],
  ['post', '/partner-api/url-checks'],
  ['get', '/partner-api/changes'],
  ['post', WEBHOOKS],
  ['get', WEBHOOKS],
  ['get', WEBHOOK],
  ['patch', WEBHOOK],
  ['delete', WEBHOOK],
  ['post', `${WEBHOOK}/test`],
  ['post', `${WEBHOOK}/activate`],
  ['post', `${WEBHOOK}/pause`],
  ['post', `${WEBHOOK}/rotate-secret`],
  ['post', `${WEBHOOK}/activate-secret`],
  ['get', EVENTS],
  ['get', `${WEBHOOK}/deliveries`],
  ['get', '/partner-api/deliveries/dlv_01j6z8k3s9f2v7c4x5b6n7m8q9'],
  ['post', '/partner-api/deliveries/dlv_01j6z8k3s9f2v7c4x5b6n7m8q9/replay'],
  ['post', `${WEBHOOK}/replay`],
  ['get', `${WEBHOOK}/replays`],
  ['get', '/partner-api/replays/rpl_01j6z8k3s9f2v7c4x5b6n7m8q9'],
  ['delete', '/partner-api/replays/rpl_01j6z8k3s9f2v7c4x5b6n7m8q9'],
  ['get', '/partner-api/events'],
  ['get', '/partner-api/events/evt_01j6z8k3s9f2v7c4x5b6n7m8q9'],
  ['get', '/partner-api/api-keys'],
  ['post', '/partner-api/api-keys'],
  ['post', '/partner-api/api-keys/key_01j6z8k3s9f2v7c4x5b6n7m8q9/rotate'],
  ['delete', '/partner-api/api-keys/key_01j6z8k3s9f2v7c4x5b6n7m8q9'],
  ['get', '/partner-api/installers'],
  ['get', '/partner-api/audit-entries'],
  ['get', `${WEBHOOK}/statistics`],
  ['get', '/partner-api/statistics'],
] as const;

describe.each(ROUTES)('%s %s', (method, route) => {
  test('is 401 without a session [AUTH-6, WEBHOOK-10]', async () => {
    const answer = await site.request(method, route).expect(401);
    expect(answer.body).toMatchObject({ code: 'unauthenticated' });
    expect(site.jobState.asked).toEqual([]);
  });

  test('is 401 with an API key instead of a session [AUTH-6]', async () => {
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
    'is 403 from the origin %s [SESSION-2]',
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

  test('needs no content type without a body', async () => {
    const cookie = await site.signIn();
    const answer = await site.request(method, route, { cookie });
    expect(answer.text).not.toContain('content-type');
  });
});

describe('a webhook subscription', () => {
  test('is created paused, shows its secret once, is tested and then activated [HTTP-14, SERVICE-5, WEBHOOK-11]', async () => {
    const cookie = await site.signIn();
    const created = await site.request('post', WEBHOOKS, { cookie, body: newWebhook }).expect(201);
    const { subscription: paused, secret } = subscriptionCreated.parse(created.body);
    expect(paused).toMatchObject({ ...newWebhook, state: 'paused', verified: false, schemaVersion: 1 });
    expect(secret).toMatch(/^whsec_/);
    expect(created.headers['location']).toBe(`${WEBHOOKS}/${paused.id}`);

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
    const { backfillId, ...active } = subscriptionActivated.parse(activated.body);
    expect(active).toMatchObject({ state: 'active', verified: true });
    expect(backfillId).toBeNull();

    const read = await site.request('get', `${WEBHOOKS}/${paused.id}`, { cookie }).expect(200);
    expect(read.body).toEqual(active);
    const listed = await site.request('get', WEBHOOKS, { cookie }).expect(200);
    expect(listed.body).toEqual({ subscriptions: [active] });
    expect(listed.text + read.text).not.toContain(secret);
  });

  test('is created for the company of the session, even if the body names another', async () => {
    const cookie = await site.signIn();
    await expectStatus(
      201,
      site.request('post', WEBHOOKS, { cookie, body: { ...newWebhook, companyId: 'cmp_roofs' } }),
    );
    expect(site.jobState.asked).toEqual([
      { method: 'createSubscription', companyId: 'cmp_sunny', actingMembershipId: 'mem_olive' },
    ]);
  });

  test('is paused and activated, with the events missed during the pause on request [WEBHOOK-7, WEBHOOK-10]', async () => {
    const cookie = await site.signIn();
    const id = await createWebhook(cookie);
    site.jobState.verify(id);
    for (const [body, backfillId] of [
      [undefined, null],
      [{}, null],
      [{ backfill: false }, null],
      [{ backfill: true }, expect.stringMatching(/^rpl_/)],
    ] as const) {
      const paused = await site.request('post', `${WEBHOOKS}/${id}/pause`, { cookie }).expect(200);
      expect(subscription.parse(paused.body).state).toBe('paused');
      const activated = await site
        .request('post', `${WEBHOOKS}/${id}/activate`, { cookie, ...(body !== undefined && { body }) })
        .expect(200);
      expect(activated.body).toMatchObject({ id, state: 'active', backfillId });
    }
  });

  test('is changed in the fields of the body, and paused by a new URL [WEBHOOK-10]', async () => {
    const cookie = await site.signIn();
    const id = await createWebhook(cookie);
    const patch = async (body: object) => {
      const answer = await site.request('patch', `${WEBHOOKS}/${id}`, { cookie, body }).expect(200);
      return subscription.parse(answer.body);
    };
    expect(await patch({ events: ['install.test'] })).toMatchObject({
      ...newWebhook,
      events: ['install.test'],
    });
    expect(await patch({ description: '', schemaVersion: 1, id: 'whk_other' })).toMatchObject({
      id,
      url: newWebhook.url,
      description: '',
    });
    expect(await patch({ url: 'https://receiver.example/v2' })).toMatchObject({
      url: 'https://receiver.example/v2',
      state: 'paused',
      verified: false,
    });
  });

  test('is deleted permanently [WEBHOOK-8, WEBHOOK-10]', async () => {
    const cookie = await site.signIn();
    const id = await createWebhook(cookie);
    const answer = await site.request('delete', `${WEBHOOKS}/${id}`, { cookie }).expect(204);
    expect(answer.text).toBe('');
    await expectStatus(404, site.request('delete', `${WEBHOOKS}/${id}`, { cookie }));
    const listed = await site.request('get', WEBHOOKS, { cookie }).expect(200);
    expect(listed.body).toEqual({ subscriptions: [] });
  });

  test('gets a new secret, which is shown once, tested and then activated [SECRET-3, SECRET-4, SECRET-8, SERVICE-5]', async () => {
    const cookie = await site.signIn();
    const id = await createWebhook(cookie);
    const rotated = await site.request('post', `${WEBHOOKS}/${id}/rotate-secret`, { cookie }).expect(201);
    const { pendingSecretVersion, secret, ...rest } = secretRotated.parse(rotated.body);
    expect(pendingSecretVersion).toBe(2);
    expect(rest.subscription).toMatchObject({ id, secretVersion: 1, pendingSecretVersion: 2 });
    const read = await site.request('get', `${WEBHOOKS}/${id}`, { cookie }).expect(200);
    expect(read.body).toEqual(rest.subscription);
    expect(read.text).not.toContain(secret);

    const test = (secretVersion: unknown) =>
      site.request('post', `${WEBHOOKS}/${id}/test`, { cookie, body: { secretVersion } });
    await expectStatus(202, test(2));
    expect((await test(3).expect(409)).body).toMatchObject({ code: 'secret_version_mismatch' });
    const activate = (body: object) =>
      site.request('post', `${WEBHOOKS}/${id}/activate-secret`, { cookie, body });
    const unknown = await activate({ pendingSecretVersion: 3 }).expect(409);
    expect(unknown.body).toMatchObject({ code: 'secret_version_mismatch' });
    const activated = await activate({ pendingSecretVersion: 2 }).expect(200);
    expect(subscription.parse(activated.body)).toMatchObject({
      secretVersion: 2,
      pendingSecretVersion: null,
    });
  });

  test.each([
    ['patch', '', {}, 'body'],
    ['patch', '', { companyId: 'cmp_roofs' }, 'body'],
    ['patch', '', { url: 'http://receiver.example/' }, 'url'],
    ['patch', '', { events: [] }, 'events'],
    ['patch', '', { events: null }, 'events'],
    ['patch', '', { schemaVersion: 2 }, 'schemaVersion'],
    ['patch', '', { description: 'x'.repeat(201) }, 'description'],
    ['post', '/activate', { backfill: 'yes' }, 'backfill'],
    ['post', '/test', { secretVersion: '2' }, 'secretVersion'],
    ['post', '/test', { secretVersion: 2 ** 31 }, 'secretVersion'],
    ['post', '/activate-secret', {}, 'pendingSecretVersion'],
    ['post', '/activate-secret', { pendingSecretVersion: 0 }, 'pendingSecretVersion'],
    ['post', '/activate-secret', { pendingSecretVersion: 1.5 }, 'pendingSecretVersion'],
    ['post', '/activate-secret', undefined, 'body'],
  ] as const)(
    'is not changed by %s %s with %j, which is 400 and names the field',
    async (method, path, body, field) => {
      const cookie = await site.signIn();
      const answer = await site
        .request(method, `${WEBHOOK}${path}`, { cookie, ...(body !== undefined && { body }) })
        .expect(400);
      expect(answer.body).toMatchObject({ code: 'invalid_argument', details: [{ path: field }] });
      expect(site.jobState.asked).toEqual([]);
    },
  );

  test('is changed on behalf of the session’s owner', async () => {
    const cookie = await site.signIn();
    const id = await createWebhook(cookie);
    site.jobState.verify(id);
    const path = `${WEBHOOKS}/${id}`;
    await site.request('patch', path, { cookie, body: { description: 'x', actingMembershipId: 'mem_sam' } });
    await site.request('post', `${path}/test`, { cookie });
    await site.request('post', `${path}/activate`, { cookie });
    await site.request('post', `${path}/pause`, { cookie });
    await site.request('post', `${path}/rotate-secret`, { cookie });
    await site.request('post', `${path}/activate-secret`, { cookie, body: { pendingSecretVersion: 2 } });
    await site.request('delete', path, { cookie });
    const owner = { companyId: 'cmp_sunny', actingMembershipId: 'mem_olive' };
    expect(site.jobState.asked).toEqual(
      [
        'createSubscription',
        'updateSubscription',
        'sendTestDelivery',
        'activateSubscription',
        'pauseSubscription',
        'rotateSecret',
        'activateSecret',
        'deleteSubscription',
      ].map((method) => ({ method, ...owner })),
    );
  });

  test.each([
    ['plain HTTP', { url: 'http://receiver.example/' }, 'url'],
    ['another port', { url: 'https://receiver.example:8443/' }, 'url'],
    ['credentials in the URL', { url: 'https://user:pass@receiver.example/' }, 'url'],
    ['text that is not a URL', { url: 'receiver' }, 'url'],
    ['a line break in the URL', { url: 'https://receiver.example/\n' }, 'url'],
    ['no event', { events: [] }, 'events'],
    ['an event that is not in the catalogue', { events: ['install.test', 'install.tset'] }, 'events.1'],
    ['a group that is not in the catalogue', { events: ['nothing.*'] }, 'events.0'],
    ['every event', { events: ['*'] }, 'events.0'],
    ['a schema version that does not exist', { schemaVersion: 2 }, 'schemaVersion'],
    ['a description that is too long', { description: 'x'.repeat(201) }, 'description'],
  ])('with %s is 400 and names the field [WEBHOOK-11]', async (_name, fault, field) => {
    const cookie = await site.signIn();
    const body = { ...newWebhook, ...fault };
    const answer = await site.request('post', WEBHOOKS, { cookie, body }).expect(400);
    expect(answer.body).toMatchObject({ code: 'invalid_argument', details: [{ path: field }] });
    expect(site.jobState.asked).toEqual([]);
  });
});

describe('the event catalogue', () => {
  test('lists every event with its allowed classes, and returns 304 while it is unchanged [EVENT-2, EVENT-7]', async () => {
    const cookie = await site.signIn();
    const answer = await site.request('get', EVENTS, { cookie }).expect(200);
    const { events, signatureScheme } = eventCatalogue.parse(answer.body);
    expect(signatureScheme).toBe('v1');
    expect(events.find(({ name }) => name === 'install.status_changed')).toMatchObject({
      group: 'install',
      meaning: 'job status moved',
      classes: ['INSTALLER'],
      schemaVersion: 1,
      schema: { type: 'object' },
      example: { event: 'install.status_changed', schemaVersion: 1 },
    });
    const etag = answer.get('etag') ?? '';
    const again = await site.request('get', EVENTS, { cookie }).set('if-none-match', etag).expect(304);
    expect([again.text, again.get('etag')]).toEqual(['', etag]);
  });
});

describe('deliveries', () => {
  test('are listed newest first, in pages, and by state [WEBHOOK-10]', async () => {
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

  test('are listed by event, by resource and by the time of creation [WEBHOOK-10]', async () => {
    const cookie = await site.signIn();
    const id = await createWebhook(cookie);
    await expectStatus(202, site.request('post', `${WEBHOOKS}/${id}/test`, { cookie }));
    const count = async (query: string) => {
      const answer = await site
        .request('get', `${WEBHOOKS}/${id}/deliveries?${query}`, { cookie })
        .expect(200);
      return deliveryPage.parse(answer.body).deliveries.length;
    };
    expect(await count('event=install.test')).toBe(1);
    expect(await count('event=install.job_assigned')).toBe(0);
    expect(await count(`resourceId=${id}`)).toBe(1);
    expect(await count(`resourceId=${newId('job')}`)).toBe(0);
    expect(await count('from=2026-08-26T14:03:00Z&to=2026-08-26T14:03:00.001Z')).toBe(1);
    expect(await count('from=2026-08-26T14:03:00.001Z')).toBe(0);
    expect(await count('to=2026-08-26T14:03:00Z')).toBe(0);
  });

  test.each([
    ['limit=0', 'limit', 'invalid_argument'],
    ['limit=101', 'limit', 'invalid_argument'],
    ['limit=x', 'limit', 'invalid_argument'],
    ['status=lost', 'status', 'invalid_argument'],
    ['event=install', 'event', 'invalid_argument'],
    ['from=2026-08-26', 'from', 'invalid_argument'],
    ['to=tomorrow', 'to', 'invalid_argument'],
    ['resourceId=', 'resourceId', 'invalid_argument'],
    ['cursor=x', 'cursor', 'cursor_invalid'],
  ])('are not listed with %s', async (query, field, code) => {
    const cookie = await site.signIn();
    const answer = await site
      .request('get', `${WEBHOOKS}/${newId('whk')}/deliveries?${query}`, { cookie })
      .expect(400);
    expect(answer.body).toMatchObject({ code, details: [{ path: field }] });
  });

  test('are read with their attempts and the text of their body [WEBHOOK-10]', async () => {
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

const REPLAY = { states: ['dead_lettered'], from: '2026-08-01T00:00:00Z', to: '2026-08-31T00:00:00Z' };

/** Returns a subscription with a test delivery, and a session of its owner. */
async function tested(email: string = PEOPLE.installerOwner) {
  const cookie = await site.signIn(email);
  const webhookId = await createWebhook(cookie);
  const queued = await site.request('post', `${WEBHOOKS}/${webhookId}/test`, { cookie }).expect(202);
  return { cookie, webhookId, queued: delivery.parse(queued.body) };
}

describe('a replay', () => {
  test('of a delivery is a new delivery, queued once [DELIVERY-3, REPLAY-1, WEBHOOK-10]', async () => {
    const { cookie, queued } = await tested();
    const path = `/partner-api/deliveries/${queued.id}/replay`;
    const replayed = await site.request('post', path, { cookie }).expect(202);
    const { id, eventId, replayOf, state } = delivery.parse(replayed.body);
    expect({ eventId, replayOf, state }).toEqual({
      eventId: queued.eventId,
      replayOf: queued.id,
      state: 'pending',
    });
    expect(id).not.toBe(queued.id);
    expect(site.jobState.asked).toContainEqual({
      method: 'replayDelivery',
      companyId: 'cmp_sunny',
      actingMembershipId: 'mem_olive',
    });
    const again = await site.request('post', path, { cookie }).expect(409);
    expect(again.body).toMatchObject({ code: 'replay_in_progress' });
    expect(JSON.stringify(again.body)).toContain(id);
  });

  test('in bulk is previewed, started, monitored and cancelled [REPLAY-1, REPLAY-4, WEBHOOK-10]', async () => {
    const { cookie, webhookId, queued } = await tested();
    const path = `${WEBHOOKS}/${webhookId}/replay`;
    const previewed = await site
      .request('post', path, { cookie, body: { ...REPLAY, preview: true } })
      .expect(200);
    expect(bulkReplayPreview.parse(previewed.body)).toEqual({
      deliveries: 1,
      atLeast: true,
      oldest: '2026-08-26T14:03:00.000Z',
      newest: '2026-08-26T14:03:00.000Z',
      resourceCount: 1,
      resources: [{ ...queued.resource, deliveries: 1 }],
      estimatedMinutes: 1,
    });
    expect(site.jobState.asked.map(({ method }) => method)).not.toContain('createBulkReplay');

    const begun = await site
      .request('post', path, { cookie, body: { ...REPLAY, event: 'install.*', perMinute: 30 } })
      .expect(202);
    const replay = bulkReplay.parse(begun.body);
    expect(replay).toMatchObject({
      subscriptionId: webhookId,
      kind: 'replay',
      states: ['dead_lettered'],
      event: 'install.*',
      from: '2026-08-01T00:00:00.000Z',
      to: '2026-08-31T00:00:00.000Z',
      perMinute: 30,
      state: 'running',
      atLeast: true,
      finishedAt: null,
    });
    const second = await site.request('post', path, { cookie, body: REPLAY }).expect(202);
    expect(bulkReplay.parse(second.body)).toMatchObject({ perMinute: 600, event: null });

    const list = async (query: string) => {
      const answer = await site
        .request('get', `${WEBHOOKS}/${webhookId}/replays?${query}`, { cookie })
        .expect(200);
      return bulkReplayPage.parse(answer.body);
    };
    const newest = await list('limit=1');
    expect(newest.replays).toEqual([second.body]);
    const older = await list(`limit=1&cursor=${newest.nextCursor ?? ''}`);
    expect(older).toEqual({ replays: [replay], nextCursor: null });

    const one = `/partner-api/replays/${replay.id}`;
    expect((await site.request('get', one, { cookie }).expect(200)).body).toEqual(replay);
    const cancelled = await site.request('delete', one, { cookie }).expect(200);
    expect(bulkReplay.parse(cancelled.body)).toMatchObject({ id: replay.id, state: 'cancelled' });
    expect((await site.request('get', one, { cookie }).expect(200)).body).toEqual(cancelled.body);
    for (const method of ['createBulkReplay', 'cancelBulkReplay']) {
      expect(site.jobState.asked).toContainEqual({
        method,
        companyId: 'cmp_sunny',
        actingMembershipId: 'mem_olive',
      });
    }
  });

  test.each([
    ['no states', { states: [] }, 'states'],
    ['a state that cannot be replayed', { states: ['held'] }, 'states.0'],
    ['no beginning', { from: undefined }, 'from'],
    ['an end that is not a date-time', { to: '2026-08-31' }, 'to'],
    ['an end that is not after the beginning', { to: REPLAY.from }, 'to'],
    ['a span of more than 90 days', { to: '2026-10-30T00:00:01Z' }, 'to'],
    ['an event that is not in the catalogue', { event: 'install.tset' }, 'event'],
    ['no rate', { perMinute: 0 }, 'perMinute'],
    ['a rate that is too high', { perMinute: 60_001 }, 'perMinute'],
    ['a preview that is neither true nor false', { preview: 'yes' }, 'preview'],
  ])('in bulk with %s is 400 and names the field [REPLAY-1]', async (_name, fault, field) => {
    const { cookie, webhookId } = await tested();
    const body = { ...REPLAY, ...fault };
    const answer = await site
      .request('post', `${WEBHOOKS}/${webhookId}/replay`, { cookie, body })
      .expect(400);
    expect(answer.body).toMatchObject({ code: 'invalid_argument', details: [{ path: field }] });
    expect(site.jobState.asked.map(({ method }) => method)).not.toContain('createBulkReplay');
  });
});

describe('events', () => {
  test('are listed newest first, in pages, by event and by resource', async () => {
    const { cookie, webhookId, queued } = await tested();
    const newer = await site.request('post', `${WEBHOOKS}/${webhookId}/test`, { cookie }).expect(202);
    const list = async (query: string) => {
      const answer = await site.request('get', `/partner-api/events?${query}`, { cookie }).expect(200);
      return eventPage.parse(answer.body);
    };
    const first = await list('limit=1');
    expect(first.events.map(({ id }) => id)).toEqual([delivery.parse(newer.body).eventId]);
    const second = await list(`limit=1&cursor=${first.nextCursor ?? ''}`);
    expect(second.events.map(({ id }) => id)).toEqual([queued.eventId]);
    expect(second.nextCursor).toBeNull();
    const found = await list(`event=install.test&resourceId=${webhookId}`);
    expect(found.events).toHaveLength(2);
    expect(found.explanation).toBeNull();
  });

  test.each([
    ['limit=0', 'limit', 'invalid_argument'],
    ['event=*', 'event', 'invalid_argument'],
    ['resourceId=', 'resourceId', 'invalid_argument'],
    ['cursor=dlv_01j6z8k3s9f2v7c4x5b6n7m8q9', 'cursor', 'cursor_invalid'],
  ])('are not listed with %s', async (query, field, code) => {
    const cookie = await site.signIn();
    const answer = await site.request('get', `/partner-api/events?${query}`, { cookie }).expect(400);
    expect(answer.body).toMatchObject({ code, details: [{ path: field }] });
  });

  test('are traced to each subscription [EVENT-6]', async () => {
    const { cookie, webhookId, queued } = await tested();
    const answer = await site.request('get', `/partner-api/events/${queued.eventId}`, { cookie }).expect(200);
    const view = eventWithTrail.parse(answer.body);
    expect(view.event).toMatchObject({ id: queued.eventId, event: 'install.test', requestId: null });
    expect(view.body).toBe('{"event":"install.test"}');
    expect(view.subscriptions).toMatchObject([
      { subscriptionId: webhookId, verdict: 'queued', deliveries: [{ delivery: queued, attempts: [] }] },
      { verdict: 'not_subscribed', deliveries: [] },
    ]);
  });
});

describe('statistics', () => {
  const SPAN = 'from=2026-08-26T14:00:00Z&to=2026-08-26T15:00:00Z';
  const COUNTS = { attempts: 1, delivered: 1, failed: 0, deadLettered: 0, p50Ms: 84, p95Ms: 231 };
  const NOTHING = { attempts: 0, delivered: 0, failed: 0, deadLettered: 0, p50Ms: null, p95Ms: null };
  const STATISTICS = '/partner-api/statistics';

  test('of a subscription are counted over the requested span [CONSOLE-5]', async () => {
    const { cookie, webhookId } = await tested();
    const answer = await site
      .request('get', `${WEBHOOKS}/${webhookId}/statistics?${SPAN}`, { cookie })
      .expect(200);
    expect(webhookStatistics.parse(answer.body)).toEqual({
      webhookId,
      bucketMinutes: 5,
      buckets: [{ startsAt: '2026-08-26T14:00:00.000Z', ...COUNTS }],
      totals: COUNTS,
    });
    expect(site.jobState.asked.at(-1)).toEqual({
      method: 'getSubscriptionStatistics',
      companyId: 'cmp_sunny',
    });
  });

  test('of the company contain each of its subscriptions, and nothing of another company', async () => {
    const theirs = await tested(PEOPLE.salesOwner);
    const { cookie, webhookId } = await tested();
    const answer = await site.request('get', `${STATISTICS}?${SPAN}`, { cookie }).expect(200);
    expect(companyStatistics.parse(answer.body)).toEqual({
      webhooks: [{ webhookId, totals: COUNTS }],
      bucketMinutes: 5,
      buckets: [{ startsAt: '2026-08-26T14:00:00.000Z', ...COUNTS }],
      totals: COUNTS,
    });
    expect(answer.text).not.toContain(theirs.webhookId);
  });

  test('are of the last 24 hours by default, and have no percentiles without attempts [CONSOLE-5]', async () => {
    const { cookie, webhookId } = await tested();
    for (const path of [`${WEBHOOKS}/${webhookId}/statistics`, STATISTICS]) {
      const answer = await site.request('get', path, { cookie }).expect(200);
      const [{ startsAt } = { startsAt: '' }] = webhookStatistics
        .pick({ buckets: true })
        .parse(answer.body).buckets;
      expect(Date.parse(startsAt)).toBe(site.now().getTime() - 24 * 3_600_000);
    }
    const empty = await site.signIn(PEOPLE.salesOwner);
    const answer = await site.request('get', STATISTICS, { cookie: empty }).expect(200);
    expect(companyStatistics.parse(answer.body)).toEqual({
      webhooks: [],
      bucketMinutes: 5,
      buckets: [],
      totals: NOTHING,
    });
  });

  test.each([
    ['an end that is not a date-time', 'to=2026-08-26', 'to'],
    ['a beginning that is not a date-time', 'from=now', 'from'],
    ['an end that is not after the beginning', 'from=2026-08-26T14:00:00Z&to=2026-08-26T14:00:00Z', 'to'],
    ['more than 31 days', 'from=2026-07-01T00:00:00Z&to=2026-08-01T00:00:00.001Z', 'to'],
    ['a beginning in the future', 'from=9999-01-01T00:00:00Z', 'from'],
    ['a beginning that is too long ago', 'from=2020-01-01T00:00:00Z', 'from'],
  ])('of %s are 400 and name the parameter', async (_name, query, field) => {
    const { cookie, webhookId } = await tested();
    for (const path of [`${WEBHOOKS}/${webhookId}/statistics`, STATISTICS]) {
      const answer = await site.request('get', `${path}?${query}`, { cookie }).expect(400);
      expect(answer.body).toMatchObject({ code: 'invalid_argument', details: [{ path: field }] });
    }
    const asked = site.jobState.asked.map(({ method }) => method);
    expect(asked.filter((method) => method.endsWith('Statistics'))).toEqual([]);
  });
});

describe('another company’s resource', () => {
  test('is 404 like a missing one, and like a malformed id', async () => {
    const theirs = await site.signIn(PEOPLE.salesOwner);
    const webhook = await createWebhook(theirs);
    const queued = await site.request('post', `${WEBHOOKS}/${webhook}/test`, { cookie: theirs }).expect(202);
    const ours = await site.signIn();

    const bodies: unknown[] = [];
    for (const id of [webhook, newId('whk'), 'whk_1', 'x'.repeat(500)]) {
      const routes = [
        ['get', `${WEBHOOKS}/${id}`],
        ['patch', `${WEBHOOKS}/${id}`],
        ['delete', `${WEBHOOKS}/${id}`],
        ['post', `${WEBHOOKS}/${id}/test`],
        ['post', `${WEBHOOKS}/${id}/activate`],
        ['post', `${WEBHOOKS}/${id}/pause`],
        ['post', `${WEBHOOKS}/${id}/rotate-secret`],
        ['post', `${WEBHOOKS}/${id}/activate-secret`],
        ['get', `${WEBHOOKS}/${id}/deliveries`],
        ['post', `${WEBHOOKS}/${id}/replay`],
        ['get', `${WEBHOOKS}/${id}/replays`],
        ['get', `${WEBHOOKS}/${id}/statistics`],
      ] as const;
      const body = { ...newWebhook, ...REPLAY, pendingSecretVersion: 1 };
      for (const [method, route] of routes) {
        const answer = await site
          .request(method, route, { cookie: ours, ...(method !== 'get' && { body }) })
          .expect(404);
        bodies.push({ ...answer.body, requestId: '' });
      }
    }
    expect(new Set(bodies.map((body) => JSON.stringify(body)))).toEqual(
      new Set([JSON.stringify({ error: 'no such webhook subscription', code: 'not_found', requestId: '' })]),
    );

    const begun = await site
      .request('post', `${WEBHOOKS}/${webhook}/replay`, { cookie: theirs, body: REPLAY })
      .expect(202);
    const { id: deliveryId, eventId } = delivery.parse(queued.body);
    const { id: replayId } = bulkReplay.parse(begun.body);
    const kinds = [
      ['webhook delivery', '/partner-api/deliveries/', ['get'], [deliveryId, newId('dlv'), 'dlv_1']],
      ['bulk replay', '/partner-api/replays/', ['get', 'delete'], [replayId, newId('rpl'), 'rpl_1']],
      ['event', '/partner-api/events/', ['get'], [eventId, newId('evt'), 'evt_1']],
    ] as const;
    for (const [what, place, methods, ids] of kinds) {
      for (const id of ids) {
        for (const method of methods) {
          const answer = await site.request(method, `${place}${id}`, { cookie: ours }).expect(404);
          expect(answer.body).toMatchObject({ error: `no such ${what}`, code: 'not_found' });
        }
      }
    }
    for (const id of [deliveryId, newId('dlv'), 'dlv_1']) {
      const replay = `/partner-api/deliveries/${id}/replay`;
      const answer = await site.request('post', replay, { cookie: ours }).expect(404);
      expect(answer.body).toMatchObject({ error: 'no such webhook delivery', code: 'not_found' });
    }
    const theirReplay = `/partner-api/replays/${replayId}`;
    const unchanged = await site.request('get', theirReplay, { cookie: theirs }).expect(200);
    expect(unchanged.body).toEqual(begun.body);
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

  test('sessions and logins are 503, and work again once it is up', async () => {
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
