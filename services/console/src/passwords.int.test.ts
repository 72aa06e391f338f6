import { beforeEach, describe, expect, test } from '@jest/globals';
import { sessionResponse } from '@partner/proto-contracts/resources/session/session';
import type { MailServer } from '@partner/test-kit/start-mail-server';
import { EMAIL_LIMITS, PASSWORD_LINKS } from '@partner/proto-contracts/resources/password/password';
import { LOGIN_FAILURE_LIMITS, LOGIN_FAILURE_WINDOW_MS } from './sessions/login-attempts.js';
import {
  cookieOf,
  expectStatus,
  ids,
  logIn,
  SESSION,
  startSite,
  startSiteWithMail,
} from './testing/each-test-console.js';
import type { TestConsole } from './testing/start-test-console.js';
import { hashPassword, PASSWORD, PEOPLE } from './testing/test-job-state.js';

const NEW_PASSWORD = 'four words that no one guesses';
const email = PEOPLE.installerOwner;

let mail: MailServer;
let site: TestConsole;

beforeEach(async () => {
  ({ mail, site } = await startSiteWithMail());
});

const signIn = (password: string) => site.request('post', SESSION, { body: { email, password } });

describe('a change of the password', () => {
  let cookie: string;
  beforeEach(async () => {
    cookie = await site.signIn();
  });

  const change = (newPassword: string, currentPassword = PASSWORD) =>
    site.request('put', '/partner-api/password', { cookie, body: { currentPassword, newPassword } });

  test('continues with a new session and ends all others at once [SESSION-11]', async () => {
    const other = await site.signIn();
    const response = await change(NEW_PASSWORD).expect(200);
    expect(sessionResponse.parse(response.body).owner.membershipId).toBe(ids.olive);
    const renewed = cookieOf(response);
    await expectStatus(401, site.request('get', SESSION, { cookie }));
    await expectStatus(401, site.request('get', SESSION, { cookie: other }));
    site.pass(60_000);
    await expectStatus(200, site.request('get', SESSION, { cookie: renewed }));
    await expectStatus(401, signIn(PASSWORD));
    await expectStatus(200, signIn(NEW_PASSWORD));
    expect(site.logged()).toContain('"outcome":"signed_in"');
    const tokens = [cookie, other, renewed].map((text) => text.slice(text.indexOf('=') + 1));
    for (const secret of [PASSWORD, NEW_PASSWORD, email, '$argon2id$', ...tokens])
      expect(site.logged()).not.toContain(secret);
    const calls = site.jobState.called.filter(({ operation }) => operation === 'replacePassword');
    expect(calls).toMatchObject([{ caller: { membershipId: ids.olive, remoteAddress: '127.0.0.1' } }]);
  });

  test('needs the present password, and wrong ones are limited with those of confirmations [SESSION-11]', async () => {
    for (let n = 0; n < LOGIN_FAILURE_LIMITS.client; n += 1) {
      const response = await change(NEW_PASSWORD, 'wrong').expect(403);
      expect(response.body).toMatchObject({ code: 'password_wrong' });
    }
    await expectStatus(429, change(NEW_PASSWORD));
    await expectStatus(200, logIn(email, PASSWORD));
  });

  test.each([
    ['elevenchars', 'newPassword: must have at least 12 characters'],
    ['x'.repeat(1_025), 'newPassword: must have at most 1024 characters'],
    [email, 'newPassword: must not be the email address, your name or the name of the company'],
  ])('to %s is 400 and changes nothing [SESSION-10]', async (newPassword, error) => {
    const response = await change(newPassword).expect(400);
    expect(response.body).toMatchObject({ error, details: [{ path: 'newPassword' }] });
    await expectStatus(200, site.request('get', SESSION, { cookie }));
    await expectStatus(200, signIn(PASSWORD));
  });

  test('is refused if the password was changed elsewhere meanwhile [SESSION-11]', async () => {
    await site.jobState.changeMember(ids.olive, { passwordHash: await hashPassword() });
    await expectStatus(403, change(NEW_PASSWORD));
  });
});

describe('a link for a forgotten password', () => {
  const LINKS = '/partner-api/password/links';
  const request = (address: string, from = '203.0.113.9') =>
    site.request('post', LINKS, { body: { email: address }, address: from });
  const use = (token: string, newPassword = NEW_PASSWORD, address = '203.0.113.9') =>
    site.request('post', `${LINKS}/use`, { body: { token, newPassword }, address });
  const mailedTokens = () =>
    mail.received.map(
      ({ message }) => /https:\/\/partner\.example\/console\/set-password#(\S+)/.exec(message)?.[1] ?? '',
    );
  async function mailedToken(): Promise<string> {
    // The host of the link is the configured one, whatever the request says.
    await request(email).set('x-forwarded-host', 'evil.example').set('host', 'evil.example').expect(202);
    await site.settled();
    expect(mail.received.at(-1)?.message).not.toContain('evil.example');
    return mailedTokens().at(-1) ?? '';
  }

  test('sets a password once, ends all sessions and starts none [SESSION-13]', async () => {
    const cookie = await site.signIn();
    const token = await mailedToken();
    const response = await use(token).expect(204);
    expect(response.get('set-cookie')).toBeUndefined();
    await expectStatus(401, site.request('get', SESSION, { cookie }));
    await expectStatus(200, signIn(NEW_PASSWORD));
    for (const tried of [token, 'made-up']) {
      const refused = await use(tried).expect(404);
      expect(refused.body).toMatchObject({
        error: 'this link no longer works: it was used, replaced, or has expired; request a new one',
      });
    }
    for (const secret of [token, NEW_PASSWORD, email]) expect(site.logged()).not.toContain(secret);
  });

  test('is refused a weak password without being used up [SESSION-10, SESSION-13]', async () => {
    const token = await mailedToken();
    await expectStatus(400, use(token, 'Sunny Installers'));
    await expectStatus(204, use(token));
  });

  test('is requested with the same response for an unknown address, before job-state is called [SESSION-12]', async () => {
    const responses = [];
    for (const address of [email, 'stranger@sunny.example']) {
      const response = await request(address).expect(202);
      responses.push({ text: response.text, headers: Object.keys(response.headers) });
    }
    expect(responses[0]?.text).toBe('');
    expect(responses[1]).toEqual(responses[0]);
    await site.settled();
    expect(mail.received.map(({ to }) => to)).toEqual([[email]]);
  });

  test('is mailed 3 times an hour and 10 times a day to an address, silently, and requested 20 times by a network [SESSION-12, MAIL-1]', async () => {
    const { perNetwork } = PASSWORD_LINKS;
    const { perHour, perDay } = EMAIL_LIMITS;
    for (let n = 0; n <= perHour; n += 1) await request(email.toUpperCase(), `2001:db8:0:${n}::`).expect(202);
    await site.settled();
    expect(mail.received).toHaveLength(perHour);
    for (let n = 0; n < perNetwork; n += 1) await request(`a${n}@sunny.example`).expect(202);
    const refused = await request('b@sunny.example').expect(429);
    expect(refused.get('retry-after')).toBe(String(LOGIN_FAILURE_WINDOW_MS / 1_000));
    for (let hour = 0; hour < 4; hour += 1) {
      site.pass(60 * 60_000);
      for (let n = 0; n < perHour; n += 1) await request(email).expect(202);
      await site.settled();
    }
    expect(mail.received).toHaveLength(perDay);
  });

  test('is always mailed to a browser in which the person has signed in before, and to no other one for it [SESSION-12]', async () => {
    const from = (device: string, to: string) =>
      site
        .request('post', '/partner-api/password/links', { cookie: device, body: { email: to } })
        .expect(202);
    const signedIn = async (address: string) => {
      const body = { email: address, password: PASSWORD };
      const response = await site.request('post', SESSION, { body }).expect(200);
      return /__Host-svc_device=[^;]+/.exec([response.get('set-cookie')].flat().join('\n'))?.[0] ?? '';
    };
    const [own, others] = [await signedIn(email), await signedIn(PEOPLE.salesOwner)];
    for (let n = 0; n < 2 * EMAIL_LIMITS.perHour; n += 1) {
      await from(others, email);
      await site.settled();
    }
    expect(mail.received).toHaveLength(EMAIL_LIMITS.perHour);
    await from(own, email);
    await site.settled();
    expect(mail.received).toHaveLength(EMAIL_LIMITS.perHour + 1);
  });

  test('is read for the page behind it, as often as it is tried, and stays valid [SESSION-13]', async () => {
    const read = (token: string) =>
      site.request('post', `${LINKS}/read`, { body: { token }, address: '203.0.113.9' });
    const token = await mailedToken();
    const response = await read(token).expect(200);
    expect(response.body).toEqual({ displayName: 'Olive Owner', companyName: 'Sunny Installers', email });
    for (let n = 2; n < PASSWORD_LINKS.usesPerMinute; n += 1) await expectStatus(404, read(`made-up-${n}`));
    await expectStatus(204, use(token));
    await expectStatus(429, read(token));
  });

  test('is tried at most 20 times in 60 seconds from a network [SESSION-13]', async () => {
    for (let n = 0; n < PASSWORD_LINKS.usesPerMinute; n += 1) await expectStatus(404, use(`made-up-${n}`));
    await expectStatus(429, use('made-up'));
    await expectStatus(404, use('made-up', NEW_PASSWORD, '203.0.113.10'));
  });

  test('does not exist without a mail server [SESSION-12]', async () => {
    const bare = await startSite();
    const response = await bare.request('post', LINKS, { body: { email } }).expect(404);
    expect(response.body).toMatchObject({ error: expect.stringContaining('no mail server') });
  });
});
