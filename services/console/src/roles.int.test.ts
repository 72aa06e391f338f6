import { beforeEach, expect, test } from '@jest/globals';
import { isForViewers } from '@partner/proto-contracts/api/roles';
import { sessionResponse } from '@partner/proto-contracts/resources/session/session';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import type { MailServer } from '@partner/test-kit/start-mail-server';
import { OWNER_CHECKED_EVERY_MS } from './sessions/session-times.js';
import { expectStatus, ids, SESSION, startSite, startSiteWithMail } from './testing/each-test-console.js';
import type { TestConsole } from './testing/start-test-console.js';
import { PEOPLE } from './testing/test-job-state.js';

const COLLEAGUES = '/partner-api/colleagues';
const PERSON = { displayName: 'Vera Vance', email: 'vance@sunny.example', role: 'viewer' };

let mail: MailServer;
let site: TestConsole;
let cookie: string;

beforeEach(async () => {
  ({ mail, site } = await startSiteWithMail());
  cookie = await site.signIn(PEOPLE.viewer);
});

/** Every operation of the console in production that needs a session. */
const OPERATIONS = CONSOLE_OPERATIONS.filter(
  ({ unauthenticated, sandboxOnly }) => unauthenticated !== true && sandboxOnly !== true,
);

test('the session of a viewer has the role, and may send every read, and changes of the own account only [ROLE-1]', async () => {
  const response = await site.request('get', SESSION, { cookie }).expect(200);
  const { owner } = sessionResponse.parse(response.body);
  expect(owner).toMatchObject({ membershipId: ids.vera, role: 'viewer' });
  const allowed = OPERATIONS.filter(isForViewers);
  const changes = allowed.filter(({ method }) => method !== 'get').map(({ id }) => id);
  expect(changes.sort()).toEqual([
    'beginProviderConfirmation',
    'beginSecondFactor',
    'changePassword',
    'completeProviderConfirmation',
    'confirmSession',
    'deleteSession',
    'disableSecondFactor',
    'enableSecondFactor',
    'endSession',
    'replaceRecoveryCodes',
  ]);
  expect(OPERATIONS.filter(({ method }) => method === 'get').every(isForViewers)).toBe(true);
  for (const path of ['webhooks', 'api-keys', 'deliveries', 'audit-entries', 'colleagues']) {
    await expectStatus(200, site.request('get', `/partner-api/${path}`, { cookie }));
  }
});

test('an owner invites with a link of the configured host, and again if the email failed [ROLE-3]', async () => {
  const owner = await site.signIn();
  mail.refuse(PERSON.email);
  const failed = await site.request('post', COLLEAGUES, { cookie: owner, body: PERSON }).expect(503);
  expect(failed.body).toMatchObject({ error: expect.stringContaining('send the request again') });
  mail.refuse(undefined);
  await expectStatus(201, site.request('post', COLLEAGUES, { cookie: owner, body: PERSON }));
  expect(mail.received).toMatchObject([{ to: [PERSON.email] }]);
  expect(mail.received[0]?.message).toMatch(/https:\/\/partner\.example\/console\/set-password#[\w-]{43}/);
  const bare = await startSite();
  await expectStatus(404, bare.request('post', COLLEAGUES, { cookie: await bare.signIn(), body: PERSON }));
});

test.each([
  ['patch', 'a person', ''],
  ['delete', 'a person', ''],
  ['delete', 'the second factor of a person', '/second-factor'],
] as const)(
  'a %s of %s ends the sessions of the person, of the own company only [ROLE-2, ROLE-5, FACTOR-6]',
  async (method, _of, part) => {
    const owner = await site.signIn();
    const send = (id: string) =>
      site.request(method, `${COLLEAGUES}/${id}${part}`, { cookie: owner, body: { role: 'owner' } });
    expect((await send(ids.vera)).ok).toBe(true);
    await expectStatus(401, site.request('get', SESSION, { cookie }));
    await expectStatus(200, site.request('get', SESSION, { cookie: owner }));
    for (const id of [ids.sam, 'mem_1']) await expectStatus(404, send(id));
  },
);

test('an address gets 3 invitations an hour, of all companies together, and links for contacts apart [MAIL-1]', async () => {
  const [one, other] = [await site.signIn(), await site.signIn(PEOPLE.salesOwner)];
  const invite = (by: string, email: string) =>
    site.request('post', COLLEAGUES, { cookie: by, body: { ...PERSON, email } });
  await invite(one, 'vance@sunny.example').expect(201);
  await invite(other, 'Vance+again@sunny.example').expect(201);
  await invite(one, 'VANCE@SUNNY.EXAMPLE').expect(201);
  const refused = await invite(other, 'vance@sunny.example').expect(429);
  expect(refused.get('retry-after')).toBe('3600');
  await invite(other, 'someone@sunny.example').expect(201);
  const body = { email: 'vance@sunny.example' };
  await site.request('put', '/partner-api/technical-contact', { cookie: one, body }).expect(200);
});

test('a name with a URL or a domain cannot be invited [ROLE-7]', async () => {
  const owner = await site.signIn();
  for (const displayName of ['verify at https://evil.example/x', 'evil.example']) {
    const body = { ...PERSON, displayName };
    const response = await site.request('post', COLLEAGUES, { cookie: owner, body }).expect(400);
    expect(response.body).toMatchObject({ details: [{ path: 'displayName' }] });
  }
  expect(mail.received).toEqual([]);
});

test('a session ends within a minute of a change of the role [ROLE-5, SESSION-6]', async () => {
  const owner = await site.signIn();
  await site.jobState.changeMember(ids.olive, { role: 'VIEWER' });
  await site.jobState.changeMember(ids.vera, { role: 'OWNER' });
  site.pass(OWNER_CHECKED_EVERY_MS);
  for (const former of [owner, cookie]) {
    await expectStatus(401, site.request('get', SESSION, { cookie: former }));
  }
});
