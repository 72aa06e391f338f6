import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { verify } from '@node-rs/argon2';
import { sessionResponse } from '@partner/proto-contracts/resources/session/session';
import { tokenSha256 } from '@partner/kernel/security/token-sha256';
import type { RateLimiter } from '@partner/gateway-kit/limits/rate-limiter';
import { freePort } from '@partner/test-kit/backing-services/local-process';
import { type LocalRedis, startRedis } from '@partner/test-kit/backing-services/redis';
import { DEVICE_KNOWN_MS } from './sessions/cookies.js';
import { LOGIN_FAILURE_LIMITS, LOGIN_FAILURE_WINDOW_MS } from './sessions/login-attempts.js';
import { PASSWORD, PEOPLE } from './testing/test-job-state.js';
import {
  cookieOf,
  expectStatus,
  ids,
  logIn,
  newWebhook,
  SESSION,
  site,
  startSite,
  WEBHOOKS,
} from './testing/each-test-console.js';

describe('signing in', () => {
  test('returns a session to an owner [SESSION-1]', async () => {
    const response = await logIn(PEOPLE.installerOwner, PASSWORD).expect(200);
    expect(sessionResponse.parse(response.body)).toMatchObject({
      owner: { membershipId: ids.olive, displayName: 'Olive Owner' },
      company: { id: ids.sunny, name: 'Sunny Installers', class: 'INSTALLER' },
    });
    expect(response.get('set-cookie')).toEqual([
      expect.stringMatching(
        /^__Host-svc_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      ),
      expect.stringMatching(
        /^__Host-svc_device=mem_[0-9a-z]{26}\.[\w-]{22}\.[0-9]+\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=15552000$/,
      ),
    ]);
    const [cookie = ''] = response.get('set-cookie') ?? [];
    const again = await site.request('get', SESSION, { cookie: cookie.split(';', 1)[0] ?? '' }).expect(200);
    expect(again.body).toEqual(response.body);
  });

  test('works with the form of the page alone, from its own origin, and shows what is wrong [SESSION-1, SESSION-2]', async () => {
    const send = (fields: Readonly<Record<string, string>>, origin = 'https://partner.example') =>
      site
        .request('post', '/console/sign-in?next=/webhooks%3Fa=b')
        .type('form')
        .set('origin', origin)
        .send({ email: PEOPLE.installerOwner, code: '', ...fields });
    const started = await send({ password: PASSWORD }).expect(303);
    expect(started.get('location')).toBe('/console/webhooks?a=b');
    await expectStatus(200, site.request('get', SESSION, { cookie: cookieOf(started) }));
    const wrong = await send({ password: '<wrong>' }).expect(401);
    expect(wrong.text).toContain('The email address or the password is wrong.');
    expect(wrong.text).toContain(`value="${PEOPLE.installerOwner}"`);
    expect(wrong.text).not.toContain('wrong&gt;');
    expect(wrong.get('set-cookie')).toBeUndefined();
    await send({}).expect(400);
    await send({ password: PASSWORD }, 'null').expect(403);
  });

  test('responds the same to a wrong password and an unknown address', async () => {
    const wrong = await logIn(PEOPLE.installerOwner, 'wrong').expect(401);
    const unknown = await logIn('unknown@sunny.example', PASSWORD).expect(401);
    for (const response of [wrong, unknown]) {
      expect(response.body).toMatchObject({
        error: 'the email address or the password is wrong',
        code: 'unauthenticated',
      });
      expect(response.get('set-cookie')).toBeUndefined();
    }
    expect(Object.keys(wrong.headers)).toEqual(Object.keys(unknown.headers));
  });

  test('is refused with the right password to a person who owns no company [AUTH-6, SESSION-1]', async () => {
    await expectStatus(401, logIn(PEOPLE.technician, 'wrong'));
    const response = await logIn(PEOPLE.technician, PASSWORD).expect(403);
    expect(response.body).toMatchObject({ code: 'permission_denied' });
    expect(response.get('set-cookie')).toBeUndefined();
  });

  test("sets a new token each time and ends the browser's previous session [SESSION-1]", async () => {
    const first = await site.signIn();
    const response = await site
      .request('post', SESSION, {
        cookie: first,
        body: { email: PEOPLE.installerOwner, password: PASSWORD },
      })
      .expect(200);
    const second = cookieOf(response);
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
});

describe('failed logins', () => {
  const ADDRESS = '192.0.2.1';

  /** Guesses the password of an account until it is limited for this address. */
  async function exhaust(email: string): Promise<void> {
    for (let n = 0; n < LOGIN_FAILURE_LIMITS.client; n += 1) {
      await expectStatus(401, logIn(email, 'wrong', ADDRESS));
    }
  }

  test('of a stranger stop neither a known device of the owner nor a session [SESSION-9]', async () => {
    const signedIn = await logIn(PEOPLE.installerOwner, PASSWORD).expect(200);
    const [session, device] = [cookieOf(signedIn), cookieOf(signedIn, 1)];
    const body = { password: PASSWORD };
    // The stranger shares the owner's address and uses it up.
    for (let n = 0; n < LOGIN_FAILURE_LIMITS.address / LOGIN_FAILURE_LIMITS.client; n += 1) {
      await exhaust(n === 0 ? PEOPLE.installerOwner : `unknown-${n}@sunny.example`);
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

  test('that are concurrent do not exceed the limit', async () => {
    const responses = await Promise.all(
      Array.from({ length: 2 * LOGIN_FAILURE_LIMITS.client }, () => logIn(PEOPLE.installerOwner, 'wrong')),
    );
    const guesses = responses.filter(({ status }) => status === 401);
    expect(guesses).toHaveLength(LOGIN_FAILURE_LIMITS.client);
  });

  test('over the limit check no password, and neither those of an outage nor successful ones count [SESSION-2]', async () => {
    let checked = 0;
    const counting = await startSite({
      verify: (...given) => {
        checked += 1;
        return verify(...given);
      },
    });
    const attempt = (password: string, email: string = PEOPLE.installerOwner) =>
      counting.request('post', SESSION, { body: { email, password } });
    for (const operation of ['findLogin', 'recordSessionChange']) {
      counting.jobState.setAway(operation, true);
      for (let n = 0; n < LOGIN_FAILURE_LIMITS.client; n += 1) await expectStatus(503, attempt(PASSWORD));
      counting.jobState.setAway(operation, false);
    }
    for (let n = 0; n <= LOGIN_FAILURE_LIMITS.client; n += 1) {
      await expectStatus(200, attempt(PASSWORD));
      await expectStatus(403, attempt(PASSWORD, PEOPLE.technician));
    }
    for (let n = 0; n < LOGIN_FAILURE_LIMITS.client; n += 1) await expectStatus(401, attempt('wrong'));
    const before = checked;
    const response = await attempt(PASSWORD, PEOPLE.installerOwner.toUpperCase()).expect(429);
    expect(response.get('retry-after')).toBe(String(LOGIN_FAILURE_WINDOW_MS / 1_000));
    expect(checked).toBe(before);
    site.pass(LOGIN_FAILURE_WINDOW_MS);
    await expectStatus(200, attempt(PASSWORD, PEOPLE.installerOwner.toUpperCase()));
  });
});

describe('a session', () => {
  test('ends with the logout, and clears the cookie', async () => {
    const cookie = await site.signIn();
    const other = await site.signIn();
    const response = await site.request('delete', SESSION, { cookie }).expect(204);
    expect(response.get('set-cookie')).toEqual([
      '__Host-svc_session=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0',
    ]);
    await expectStatus(401, site.request('get', SESSION, { cookie }));
    await expectStatus(200, site.request('get', SESSION, { cookie: other }));
  });

  test('has its own limit of 3,000 requests a minute, and a login one of 300 of a network or a known browser [LIMIT-3, LIMIT-12, SESSION-9]', async () => {
    const taken: string[] = [];
    const limiter: RateLimiter = {
      take: async (key, limit) => {
        taken.push(`${key} ${limit}`);
        const accepted = !key.startsWith('console:');
        return { accepted, limit, remaining: 0, resetSeconds: 60, retryAfterSeconds: 7 };
      },
    };
    const limited = await startSite({ limiter });
    const address = '203.0.113.9:51234';
    const body = { email: PEOPLE.installerOwner, password: PASSWORD };
    await limited.request('post', SESSION, { address, body: {} }).expect(400);
    const signedIn = await limited.request('post', SESSION, { address, body }).expect(200);
    await limited.request('post', SESSION, { address, body: {}, cookie: cookieOf(signedIn, 1) }).expect(400);
    const cookie = cookieOf(signedIn);
    const refused = await limited.request('get', WEBHOOKS, { cookie }).expect(429);
    expect(refused.get('retry-after')).toBe('7');
    expect(taken).toEqual([
      'without-credentials:203.0.113.9 300',
      'without-credentials:203.0.113.9 300',
      expect.stringMatching(/^without-credentials:device \S+ 300$/),
      `console:${tokenSha256(cookie.slice(cookie.indexOf('=') + 1))} 3000`,
    ]);
  });
});

describe('without Redis', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'console-redis-'));
  let redis: LocalRedis | undefined;
  afterAll(async () => {
    await redis?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  test('sessions and logins are 503, and work again once it is up [SESSION-5]', async () => {
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
    expect(alone.jobState.calledForOwners()).toEqual([]);

    redis = await startRedis({ directory, port });
    await alone.redisReady();
    await expectStatus(200, alone.request('get', SESSION, { cookie: await alone.signIn() }));
  });
});
