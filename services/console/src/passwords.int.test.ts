import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sessionResponse } from '@partner/proto-contracts/resources/session/session';
import { createMailer } from '@partner/kernel/mail';
import { type MailServer, startMailServer } from '@partner/test-kit/start-mail-server';
import { LOGIN_FAILURE_LIMITS } from './sessions/login-attempts.js';
import { expectStatus, logIn, SESSION, startSite } from './testing/each-test-console.js';
import { PASSWORD, PEOPLE, type TestConsole } from './testing/start-test-console.js';

const NEW_PASSWORD = 'four words that no one guesses';
const email = PEOPLE.installerOwner;

let mail: MailServer;
let site: TestConsole;

beforeEach(async () => {
  mail = await startMailServer();
  const mailer = createMailer({ SMTP_URL: mail.url, MAIL_FROM: 'partner-api@service.example' });
  site = await startSite(mailer === undefined ? {} : { mailer });
});

afterEach(() => mail.stop());

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
    expect(sessionResponse.parse(response.body).owner.membershipId).toBe('mem_olive');
    const renewed = response.get('set-cookie')?.[0]?.split(';', 1)[0] ?? '';
    await expectStatus(401, site.request('get', SESSION, { cookie }));
    await expectStatus(401, site.request('get', SESSION, { cookie: other }));
    site.pass(60_000);
    await expectStatus(200, site.request('get', SESSION, { cookie: renewed }));
    await expectStatus(401, signIn(PASSWORD));
    await expectStatus(200, signIn(NEW_PASSWORD));
    expect(site.acted.find(({ method }) => method === 'ChangePassword')).toMatchObject({
      actor: { membershipId: 'mem_olive', remoteAddress: '127.0.0.1' },
    });
  });

  test('is mailed to the owner, and no log has a password or the address [SESSION-11]', async () => {
    await change(NEW_PASSWORD).expect(200);
    await site.settled();
    expect(mail.received).toMatchObject([{ to: [email] }]);
    expect(mail.received[0]?.message).toContain('The password of your account');
    for (const secret of [PASSWORD, NEW_PASSWORD, email]) expect(site.logged()).not.toContain(secret);
  });

  test('takes effect while the mail server is down [SESSION-11]', async () => {
    mail.refuse(email);
    await change(NEW_PASSWORD).expect(200);
    await site.settled();
    expect(site.logged()).toContain('password_changed.mail_failed');
    await expectStatus(200, signIn(NEW_PASSWORD));
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
    ['sunny-installers', 'newPassword: must not be the email address, your name or the name of the company'],
    [email, 'newPassword: must not be the email address, your name or the name of the company'],
  ])('to %s is 400 and changes nothing [SESSION-10]', async (newPassword, error) => {
    const response = await change(newPassword).expect(400);
    expect(response.body).toMatchObject({ error, details: [{ path: 'newPassword' }] });
    await expectStatus(200, site.request('get', SESSION, { cookie }));
    await expectStatus(200, signIn(PASSWORD));
  });

  test('is refused if the password was changed elsewhere meanwhile [SESSION-11]', async () => {
    site.jobState.setPassword('mem_olive');
    await expectStatus(403, change(NEW_PASSWORD));
  });
});
