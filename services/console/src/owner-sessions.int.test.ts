import { describe, expect, test } from '@jest/globals';
import { errorBody } from '@partner/proto-contracts/api/error-body';
import { sessionResponse, sessionList } from '@partner/proto-contracts/resources/session/session';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import { LOGIN_FAILURE_LIMITS, LOGIN_FAILURE_WINDOW_MS } from './sessions/login-attempts.js';
import { CONFIRMED_MS, OWNER_CHECKED_EVERY_MS, SESSION_IDLE_MS } from './sessions/session-times.js';
import {
  cookieOf,
  exampleRequests,
  expectStatus,
  ids,
  newWebhook,
  SESSION,
  site,
  WEBHOOKS,
  trailOf,
} from './testing/each-test-console.js';
import { cookie } from './testing/signed-in-console.js';
import { hashPassword, PASSWORD, PEOPLE } from './testing/test-job-state.js';

const CONFIRM = `${SESSION}/confirm`;
const SESSIONS = '/partner-api/sessions';

const confirm = (password: string, address?: string) =>
  site.request('post', CONFIRM, { cookie, body: { password }, address });

async function sessionsOf(of: string) {
  const response = await site.request('get', SESSIONS, { cookie: of }).expect(200);
  return sessionList.parse(response.body).sessions;
}

async function idOf(of: string): Promise<string> {
  const current = (await sessionsOf(of)).find((session) => session.current);
  return current?.id ?? '';
}

describe('a confirmation', () => {
  test('counts for 15 minutes, as the login does, in its own session only; a wrong password is 403 [SESSION-3]', async () => {
    expect(CONFIRMED_MS).toBe(15 * 60_000);
    const read = await site.request('get', SESSION, { cookie }).expect(200);
    const until = new Date(site.now().getTime() + CONFIRMED_MS).toISOString();
    expect(sessionResponse.parse(read.body).confirmedUntil).toBe(until);

    const other = await site.signIn();
    site.pass(CONFIRMED_MS);
    const refused = await confirm('wrong').expect(403);
    expect(refused.body).toMatchObject({ code: 'password_wrong', error: 'the password is wrong' });
    await expectStatus(403, site.request('post', WEBHOOKS, { cookie, body: newWebhook }));
    const response = await confirm(PASSWORD).expect(200);
    const again = new Date(site.now().getTime() + CONFIRMED_MS).toISOString();
    expect(sessionResponse.parse(response.body).confirmedUntil).toBe(again);
    const reread = await site.request('get', SESSION, { cookie }).expect(200);
    expect(sessionResponse.parse(reread.body).confirmedUntil).toBe(again);
    await expectStatus(201, site.request('post', WEBHOOKS, { cookie, body: newWebhook }));
    await expectStatus(403, site.request('post', WEBHOOKS, { cookie: other, body: newWebhook }));
  });

  test('is required by exactly the operations that show or end a secret, end access, or send webhooks somewhere [SESSION-3]', async () => {
    site.pass(CONFIRMED_MS);
    const refused: string[] = [];
    const writes = CONSOLE_OPERATIONS.filter(
      ({ method, path }) => method !== 'get' && !path.startsWith(SESSION),
    );
    for (const { name, method, path, body } of writes.flatMap(exampleRequests)) {
      const response = await site.request(method, path, { cookie, body });
      if (errorBody.safeParse(response.body).data?.code === 'confirmation_required') refused.push(name);
    }
    expect(refused.sort()).toEqual([
      'activateWebhook backfill',
      'activateWebhook fromNow',
      'activateWebhookSecret pending',
      'addColleague viewer',
      'beginSecondFactor none',
      'confirmWebhookProposal usual',
      'createApiKey automation',
      'createApiKey bound',
      'createApiKey general',
      'createApiKey installer',
      'createWebhook installation',
      'deleteWebhook none',
      'disableSecondFactor app',
      'enableSecondFactor app',
      'removeColleague none',
      'replaceRecoveryCodes app',
      'replayDeliveries replay',
      'replayDelivery none',
      'resetColleagueSecondFactor none',
      'retryDelivery none',
      'revokeApiKey none',
      'rotateApiKey atOnce',
      'rotateApiKey usual',
      'rotateWebhookSecret none',
      'setColleagueRole owner',
      'setTechnicalContact usual',
      'testWebhook example',
      'testWebhook otherUrl',
      'testWebhook pending',
      'testWebhook usual',
      'testWebhook wrong',
      'updateWebhook headers',
      'updateWebhook url',
    ]);
  });

  test('is limited in its session, for guesses from any address, and successes are not counted [SESSION-3]', async () => {
    for (let n = 0; n <= LOGIN_FAILURE_LIMITS.client; n += 1) await expectStatus(200, confirm(PASSWORD));
    for (let n = 0; n < LOGIN_FAILURE_LIMITS.client; n += 1) {
      await expectStatus(403, confirm('wrong', `192.0.2.${n}`));
    }
    const response = await confirm(PASSWORD, '192.0.2.200').expect(429);
    expect(response.get('retry-after')).toBe(String(LOGIN_FAILURE_WINDOW_MS / 1_000));

    site.pass(LOGIN_FAILURE_WINDOW_MS);
    await expectStatus(200, confirm(PASSWORD));
  });

  test('by a former owner ends the session', async () => {
    await site.jobState.changeMember(ids.olive, { active: false });
    await expectStatus(401, confirm(PASSWORD));
    await expectStatus(401, site.request('get', SESSION, { cookie }));
  });

  test('that cannot be recorded does not count [SESSION-7]', async () => {
    site.pass(CONFIRMED_MS);
    site.jobState.setAway('recordSessionChange', true);
    await expectStatus(503, confirm(PASSWORD));
    await expectStatus(403, site.request('post', WEBHOOKS, { cookie, body: newWebhook }));
  });
});

describe('the sessions of an owner', () => {
  test('are listed newest first with their clients, and without anything that authenticates them [SESSION-4]', async () => {
    site.pass(1_000);
    const phone = await site
      .request('post', SESSION, {
        address: '203.0.113.9',
        body: { email: PEOPLE.installerOwner, password: PASSWORD },
      })
      .set('user-agent', `Phone ${'x'.repeat(300)}`)
      .expect(200);
    const second = cookieOf(phone);
    await site.signIn(PEOPLE.salesOwner);
    site.pass(60_000);

    const [newest, oldest, ...others] = await sessionsOf(cookie);
    expect(others).toEqual([]);
    expect(newest).toMatchObject({
      current: false,
      remoteAddress: '203.0.113.9',
      userAgent: `Phone ${'x'.repeat(194)}`,
    });
    expect(oldest).toMatchObject({
      current: true,
      lastSeenAt: site.now().toISOString(),
      expiresAt: new Date(site.now().getTime() + SESSION_IDLE_MS).toISOString(),
    });

    const { text } = await site.request('get', SESSIONS, { cookie: second });
    for (const used of [cookie, second]) {
      const token = used.slice(used.indexOf('=') + 1);
      expect(text).not.toContain(token);
      for (const { id } of await sessionsOf(cookie)) {
        await expectStatus(401, site.request('get', SESSION, { cookie: used.replace(token, id) }));
      }
    }
  });

  test('are 50 at most: the login that displaces the oldest one records its end [SESSION-4]', async () => {
    const oldest = await idOf(cookie);
    for (let n = 0; n < 50; n += 1) {
      site.pass(1);
      await site.signIn();
    }
    await expectStatus(401, site.request('get', SESSION, { cookie }));
    const [ended] = await trailOf(ids.sunny, 'session.ended');
    expect(ended?.subject.id).toBe(oldest);
  });

  test('are ended by their id, for every use [SESSION-4]', async () => {
    const other = await site.signIn();
    await expectStatus(204, site.request('delete', `${SESSIONS}/${await idOf(other)}`, { cookie }));
    await expectStatus(401, site.request('get', SESSION, { cookie: other }));
    await expectStatus(200, site.request('get', SESSION, { cookie }));
    await expectStatus(204, site.request('delete', `${SESSIONS}/${await idOf(cookie)}`, { cookie }));
    await expectStatus(401, site.request('get', SESSION, { cookie }));
  });

  test('are in the audit trail with their beginning, confirmation and end', async () => {
    const first = await idOf(cookie);
    await expectStatus(200, confirm(PASSWORD));
    const second = await site.signIn();
    const secondId = await idOf(second);
    await expectStatus(204, site.request('delete', `${SESSIONS}/${first}`, { cookie: second }));
    await expectStatus(204, site.request('delete', SESSION, { cookie: second }));
    const trail = await trailOf(ids.sunny);
    expect(trail.map(({ action, subject }) => ({ action, subjectId: subject.id })).reverse()).toEqual([
      { action: 'session.started', subjectId: first },
      { action: 'session.confirmed', subjectId: first },
      { action: 'session.started', subjectId: secondId },
      { action: 'session.ended', subjectId: first },
      { action: 'session.ended', subjectId: secondId },
    ]);
  });
});

test('while the audit trail is down, logins fail and leave no session, and sessions still end [SESSION-7]', async () => {
  site.jobState.setAway('recordSessionChange', true);
  const body = { email: PEOPLE.installerOwner, password: PASSWORD };
  const response = await site.request('post', SESSION, { body }).expect(503);
  expect(response.get('set-cookie')).toBeUndefined();
  expect(await sessionsOf(cookie)).toHaveLength(1);

  await expectStatus(204, site.request('delete', SESSION, { cookie }));
  await expectStatus(401, site.request('get', SESSION, { cookie }));
  expect(site.logged()).toContain('session.not_recorded');
});

describe('the owner check', () => {
  const asked = () => site.jobState.called.filter(({ operation }) => operation === 'findPerson').length;

  test('calls job-state once a minute for each session, however many requests arrive [SESSION-6]', async () => {
    await Promise.all([1, 2, 3].map(() => expectStatus(200, site.request('get', SESSION, { cookie }))));
    expect(asked()).toBe(0);
    site.pass(OWNER_CHECKED_EVERY_MS);
    await Promise.all([1, 2, 3].map(() => expectStatus(200, site.request('get', SESSION, { cookie }))));
    expect(asked()).toBe(1);
    site.pass(OWNER_CHECKED_EVERY_MS - 1);
    await expectStatus(200, site.request('get', SESSION, { cookie }));
    expect(asked()).toBe(1);
  });

  test('ends the sessions that began with an older password [SESSION-6]', async () => {
    await site.jobState.changeMember(ids.olive, { passwordHash: await hashPassword() });
    const later = await site.signIn(PEOPLE.installerOwner);
    site.pass(OWNER_CHECKED_EVERY_MS);
    await expectStatus(401, site.request('get', SESSION, { cookie }));
    await expectStatus(200, site.request('get', SESSION, { cookie: later }));
  });

  test('fails requests while job-state is down, except signing out [SESSION-6]', async () => {
    site.jobState.setAway('findPerson', true);
    site.pass(OWNER_CHECKED_EVERY_MS);
    for (let n = 0; n < 2; n += 1) await expectStatus(503, site.request('get', SESSION, { cookie }));
    site.jobState.setAway('findPerson', false);
    await expectStatus(200, site.request('get', SESSION, { cookie }));
    site.jobState.setAway('findPerson', true);
    site.pass(OWNER_CHECKED_EVERY_MS);
    await expectStatus(204, site.request('delete', SESSION, { cookie }));
  });
});

describe('a URL', () => {
  const check = (url: string) => site.request('post', '/partner-api/url-checks', { cookie, body: { url } });

  test('is checked as for a new subscription, for the company of the session [CONSOLE-3]', async () => {
    expect((await check('https://receiver.example/').expect(200)).body).toEqual({ ok: true });
    expect((await check('ftp://receiver.example/').expect(200)).body).toEqual({
      ok: false,
      reason: 'must be a URL that begins with https://',
    });
    const caller = { kind: 'owner', companyId: ids.sunny };
    const call = { operation: 'checkUrl', caller };
    expect(site.jobState.calledForOwners()).toMatchObject([call, call]);
  });

  test('can be checked 60 times a minute by each session [CONSOLE-3]', async () => {
    for (let n = 0; n < 60; n += 1) await expectStatus(200, check('https://receiver.example/'));
    const refused = await check('https://receiver.example/').expect(429);
    expect(Number(refused.get('retry-after'))).toBeGreaterThan(0);
    expect(site.jobState.calledForOwners()).toHaveLength(60);
    await expectStatus(200, site.request('get', WEBHOOKS, { cookie }));
    const another = { cookie: await site.signIn(), body: { url: 'https://receiver.example/' } };
    await expectStatus(200, site.request('post', '/partner-api/url-checks', another));
  });
});
