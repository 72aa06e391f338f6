import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  technicalContact,
  technicalContactRequested,
} from '@partner/proto-contracts/resources/technical-contact/technical-contact';
import { type MailServer, startMailServer } from '@partner/test-kit/start-mail-server';
import type { TestConsole } from './testing/start-test-console.js';
import { ids, startSite, startSiteWithMail, trailOf } from './testing/each-test-console.js';
import { PEOPLE } from './testing/test-job-state.js';

const CONTACT = '/partner-api/technical-contact';
const email = 'dev@roofs.example';

let mail: MailServer;
let site: TestConsole;
let cookie: string;

beforeEach(async () => {
  ({ mail, site } = await startSiteWithMail());
  cookie = await site.signIn(PEOPLE.salesOwner);
});

const set = (body: object) => site.request('put', CONTACT, { cookie, body });
const confirm = (token: string, address = '203.0.113.9') =>
  site.request('post', `${CONTACT}/confirm`, { body: { token }, address });
const read = async () =>
  technicalContact.parse((await site.request('get', CONTACT, { cookie }).expect(200)).body);

/** Returns the token of the newest mailed link. */
const mailedToken = () =>
  /\/console\/technical-contact\/confirm#(\S+)/.exec(mail.received.at(-1)?.message ?? '')?.[1] ?? '';

describe('a technical contact', () => {
  test('is pending until it is confirmed once with the mailed link, without a session [ANNOUNCE-1, ANNOUNCE-2, ANNOUNCE-4, ANNOUNCE-5]', async () => {
    expect(await read()).toEqual({ email: null, confirmedAt: null, pending: null });
    const requested = technicalContactRequested.parse((await set({ email }).expect(200)).body);
    expect(requested).toMatchObject({ email: null, pending: { email }, emailSent: true });
    expect(mail.received).toMatchObject([{ to: [email] }]);
    expect(mail.received[0]?.message).toContain('From: partner-api@service.example');
    expect(mail.received[0]?.message).toContain('Roofs and Sons has named this address');

    const response = await confirm(mailedToken()).expect(204);
    expect(response.text).toBe('');
    expect(await read()).toMatchObject({ email, pending: null });
    // No log contains the token or the address.
    expect(site.logged()).not.toContain(mailedToken());
    expect(site.logged()).not.toContain(email);
    const [entry] = await trailOf(ids.roofs, 'technical_contact.requested');
    expect(entry).toMatchObject({ actor: { membershipId: ids.sam } });
    // Neither a used nor an invented link reveals the company.
    for (const token of [mailedToken(), 'made-up']) {
      const response = await confirm(token).expect(404);
      expect(response.body).toMatchObject({
        error:
          'this link no longer works: it was used, replaced, or has expired; ask an owner of your company for a new one',
        code: 'not_found',
      });
    }
  });

  test('needs a recent password, and an address [ANNOUNCE-1, ANNOUNCE-3]', async () => {
    await set({ email: 'dev at roofs' }).expect(400);
    const quoted = await set({ email: '"dev<api>"@roofs.example' }).expect(400);
    expect(quoted.body).toMatchObject({
      error: expect.stringContaining('email: must have no quotation marks'),
    });
    await set({}).expect(400);
    site.pass(15 * 60_000);
    const response = await set({ email }).expect(403);
    expect(response.body).toMatchObject({ code: 'confirmation_required' });
    expect(mail.received).toEqual([]);
  });

  test('does not change while the mail server is down, and does once it is up [ANNOUNCE-6]', async () => {
    await mail.stop();
    const response = await set({ email }).expect(503);
    expect(response.body).toMatchObject({
      error:
        'the mail server did not respond, and nothing has changed; if the email still arrives, its link does not work; send the request again',
      code: 'unavailable',
    });
    expect(await read()).toMatchObject({ pending: null });
    mail = await startMailServer(Number(new URL(mail.url).port));
    await set({ email }).expect(200);
    expect(mail.received).toHaveLength(1);
  });

  test('that the mail server refuses does not become pending, and is in no log [ANNOUNCE-6]', async () => {
    mail.refuse(email);
    await set({ email }).expect(503);
    expect(await read()).toMatchObject({ pending: null });
    expect(site.logged()).not.toContain(email);
  });
});

test('at most 3 links are mailed for a company, and 20 tried from a client network, in 60 seconds [ANNOUNCE-7]', async () => {
  for (let sent = 0; sent < 3; sent += 1) await set({ email }).expect(200);
  const response = await set({ email }).expect(429);
  expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
  expect(mail.received).toHaveLength(3);
  for (let tried = 0; tried < 20; tried += 1)
    await confirm(`made-up-${tried}`, `2001:db8::${tried}`).expect(404);
  await confirm(mailedToken(), '2001:db8::20').expect(429);
  await confirm(mailedToken(), '2001:db8:0:1::').expect(204);
});

describe('without a mail server', () => {
  test.each([
    ['http://127.0.0.1:8080', true],
    ['https://partner.example', false],
  ])(
    'at %s an address is pending, and the link is logged: %s [ANNOUNCE-6]',
    async (publicBaseUrl, isLogged) => {
      const bare = await startSite({ publicBaseUrl });
      const session = await bare.signIn(PEOPLE.salesOwner);
      const response = await bare.request('put', CONTACT, { cookie: session, body: { email } }).expect(200);
      expect(response.body).toMatchObject({ pending: { email }, emailSent: false });
      expect(bare.logged().includes('/console/technical-contact/confirm#')).toBe(isLogged);
    },
  );
});
