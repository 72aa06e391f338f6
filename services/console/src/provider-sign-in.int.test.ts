import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  PROVIDER_SIGN_INS,
  providerRedirect,
  providerSignedIn,
} from '@partner/proto-contracts/resources/provider-sign-in/provider-sign-in';
import { totpCode } from '@partner/job-state/testing/totp-code';
import { secondFactorSecret } from '@partner/proto-contracts/resources/second-factor/second-factor';
import { startIdentityProvider, type TestIdentityProvider } from '@partner/test-kit/start-identity-provider';
import { LOGIN_FAILURE_LIMITS } from './sessions/login-attempts.js';
import { CONFIRMED_MS } from './sessions/session-times.js';
import {
  cookieOf,
  expectStatus,
  ids,
  newWebhook,
  SESSION,
  site as siteWithout,
  startSite,
  trailOf,
  WEBHOOKS,
} from './testing/each-test-console.js';
import type { TestConsole } from './testing/start-test-console.js';
import { PASSWORD, PEOPLE } from './testing/test-job-state.js';

const PROVIDER = `${SESSION}/provider`;
const CONFIRM = `${SESSION}/confirm/provider`;
const OLIVE = { subject: 'olive-1', email: PEOPLE.installerOwner, isVerified: true };

let provider: TestIdentityProvider;
let site: TestConsole;

beforeAll(async () => {
  provider = await startIdentityProvider('https://partner.example/console/sign-in/callback');
});
afterAll(() => provider.stop());

beforeEach(async () => {
  provider.setDown(false);
  provider.signInAs(OLIVE);
  site = await startSite({ provider: { ...provider.client, name: 'Acme Login' } });
});

/** Starts at the console and signs in at the provider, as one browser. */
async function visitProvider({ path = PROVIDER, session = '', body = {} } = {}) {
  const begun = await site
    .request('post', path, path === PROVIDER ? { body, cookie: session } : { cookie: session })
    .expect(200);
  const { authorizationUrl } = providerRedirect.parse(begun.body);
  const { origin, pathname, search } = await provider.visit(authorizationUrl);
  expect(`${origin}${pathname}`).toBe('https://partner.example/console/sign-in/callback');
  return { cookie: cookieOf(begun), query: search.slice(1), cookies: begun.get('set-cookie') };
}

function complete(
  { cookie, query }: { readonly cookie: string; readonly query: string },
  { code, session = '', address = '192.0.2.1' }: { code?: string; session?: string; address?: string } = {},
) {
  const body = { query, ...(code !== undefined && { code }) };
  return site.request('post', `${PROVIDER}/complete`, { body, address, cookie: `${cookie}; ${session}` });
}

function confirm(given: { readonly cookie: string; readonly query: string }, session: string) {
  const cookie = `${given.cookie}; ${session}`;
  return site.request('post', `${CONFIRM}/complete`, { body: { query: given.query }, cookie });
}

async function expectRefused(sent: ReturnType<typeof complete>, text: string) {
  const response = await sent.expect(403);
  expect(response.body).toMatchObject({
    code: 'provider_sign_in_refused',
    error: expect.stringContaining(text),
  });
  expect(response.get('set-cookie')).toBeUndefined();
}

const signIn = async () => cookieOf(await complete(await visitProvider()).expect(200));

/** The entries of sessions in the audit trail that name the provider, newest first. */
const byProvider = async () =>
  (await trailOf(ids.sunny)).filter(
    ({ action, details }) => action.startsWith('session.') && details['issuer'] === provider.client.issuer,
  );

describe('a sign-in with the identity provider', () => {
  test('starts a session by the verified address, and later by the account alone [OIDC-1, OIDC-3]', async () => {
    const started = await visitProvider({ body: { returnTo: '/webhooks?state=active' } });
    expect(started.cookies).toEqual([
      expect.stringMatching(
        /^__Host-svc_provider=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=600$/,
      ),
    ]);
    const former = await site.signIn();
    const response = await complete(started, { session: former }).expect(200);
    expect(providerSignedIn.parse(response.body)).toMatchObject({
      session: { owner: { membershipId: ids.olive } },
      returnTo: '/webhooks?state=active',
    });
    expect(response.get('set-cookie')).toEqual([
      expect.stringMatching(/^__Host-svc_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/),
      expect.stringMatching(new RegExp(`^__Host-svc_device=${ids.olive}\\.`)),
      '__Host-svc_provider=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0',
    ]);
    await expectStatus(200, site.request('get', SESSION, { cookie: cookieOf(response) }));
    await expectStatus(401, site.request('get', SESSION, { cookie: former }));
    expect(await byProvider()).toMatchObject([
      { action: 'session.started', actor: { membershipId: ids.olive } },
    ]);

    provider.signInAs({ ...OLIVE, email: PEOPLE.salesOwner, isVerified: false });
    const again = await complete(await visitProvider()).expect(200);
    expect(again.body).toMatchObject({ session: { owner: { membershipId: ids.olive } }, returnTo: null });
    const methods = await site.request('get', '/partner-api/sign-in-methods', {
      cookie: cookieOf(again),
    });
    expect(methods.body).toEqual({
      hasPassword: true,
      provider: { name: 'Acme Login', linkedAt: site.now().toISOString() },
    });
  });

  test.each([
    ['the address is not verified', { ...OLIVE, subject: 'other-1', isVerified: false }, 'has not verified'],
    ['no one has the address', { ...OLIVE, subject: 'other-2', email: 'x@sunny.example' }, 'invitation'],
  ])('is refused if %s [OIDC-3]', async (_name, account, text) => {
    provider.signInAs(account);
    await expectRefused(complete(await visitProvider()), text);
    expect(site.logged()).not.toContain(account.email);
  });

  test('is refused to a person without access to the console [OIDC-3]', async () => {
    provider.signInAs({ subject: 'tess', email: PEOPLE.technician, isVerified: true });
    await complete(await visitProvider()).expect(403);
    const called = site.jobState.called.map(({ operation }) => operation);
    expect(called).not.toContain('linkProvider');
  });

  test('is refused in another browser, with another state, a second time, and after 10 minutes [OIDC-2]', async () => {
    const notOwn = 'was not started in this browser, was already used, or has expired';
    const mine = await visitProvider();
    const strangers = await visitProvider();
    await expectRefused(complete({ ...mine, cookie: '' }), notOwn);
    // The stranger's response in my browser: I would be signed in as the stranger.
    await expectRefused(complete({ cookie: mine.cookie, query: strangers.query }), notOwn);
    await expectRefused(complete(mine), notOwn);
    await expectStatus(200, complete(strangers));
    await expectRefused(complete(strangers), notOwn);
    const late = await visitProvider();
    site.pass(PROVIDER_SIGN_INS.minutes * 60_000);
    await expectRefused(complete(late), notOwn);
  });

  test('is refused with a response that the provider has not made, or that a person has cancelled [OIDC-2]', async () => {
    for (const [change, text] of [
      [{ code: 'forged' }, 'not valid or was already used'],
      [{ iss: 'https://other.example' }, 'not valid or was already used'],
      [{ error: 'access_denied' }, 'did not sign you in'],
    ] as const) {
      const { cookie, query } = await visitProvider();
      const changed = new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(query)), ...change });
      await expectRefused(complete({ cookie, query: changed.toString() }), text);
    }
  });

  test('only returns to pages of the console [OIDC-2]', async () => {
    for (const returnTo of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      'webhooks',
      '/a\tb',
    ]) {
      const response = await site.request('post', PROVIDER, { body: { returnTo } }).expect(400);
      expect(response.body).toMatchObject({ details: [{ path: 'returnTo' }] });
    }
  });

  test('is 503 while the provider is down, when passwords work, and works again afterwards [OIDC-4]', async () => {
    provider.setDown(true);
    const response = await site.request('post', PROVIDER, { body: {} }).expect(503);
    expect(response.body).toMatchObject({
      error: expect.stringContaining('Acme Login does not respond as expected'),
    });
    await site.signIn();
    provider.setDown(false);
    const started = await visitProvider();
    provider.setDown(true);
    await expectStatus(503, complete(started));
    provider.setDown(false);
    await signIn();
    // Neither may the provider have another issuer than the configured one.
    const issuer = `${provider.client.issuer}.well-known/openid-configuration`;
    const wrong = await startSite({ provider: { ...provider.client, issuer, name: 'Acme Login' } });
    await expectStatus(503, wrong.request('post', PROVIDER, { body: {} }));
    expect(wrong.logged()).toContain("OIDC_ISSUER must be the provider's issuer");
  });

  test('asks for the second factor before it links the account [OIDC-5]', async () => {
    const session = await site.signIn();
    const factor = '/partner-api/second-factor';
    const begun = await site.request('post', factor, { cookie: session }).expect(200);
    const { secret } = secondFactorSecret.parse(begun.body);
    const body = { code: totpCode(secret, site.now()) };
    await site.request('post', `${factor}/enable`, { cookie: session, body }).expect(200);
    const started = await visitProvider();
    for (const [code, reason] of [
      [undefined, 'second_factor_required'],
      ['000000', 'second_factor_wrong'],
    ] as const) {
      const refused = await complete(started, { ...(code !== undefined && { code }) }).expect(403);
      expect(refused.body).toMatchObject({ code: reason });
    }
    const methods = () => site.request('get', '/partner-api/sign-in-methods', { cookie: session });
    expect((await methods()).body).toMatchObject({ provider: { linkedAt: null } });
    site.pass(30_000);
    await expectStatus(200, complete(started, { code: totpCode(secret, site.now()) }));
    expect((await methods()).body).toMatchObject({ provider: { linkedAt: site.now().toISOString() } });
    site.pass(30_000);
    await expectStatus(403, complete(started, { code: totpCode(secret, site.now()) }));
  });

  test('is limited: 30 starts a minute, and refused ones together with failed logins [OIDC-6]', async () => {
    for (let n = 0; n < LOGIN_FAILURE_LIMITS.address; n += 1) {
      await expectStatus(403, complete({ cookie: '', query: `state=${n}` }));
    }
    await expectStatus(429, complete({ cookie: '', query: 'state=last' }));
    const body = { email: PEOPLE.installerOwner, password: PASSWORD };
    await expectStatus(429, site.request('post', SESSION, { body, address: '192.0.2.1' }));
    const begin = (cookie = '') => site.request('post', PROVIDER, { body: {}, address: '192.0.2.1', cookie });
    for (let n = 0; n < PROVIDER_SIGN_INS.perMinute; n += 1) await expectStatus(200, begin());
    await expectStatus(429, begin());
    // No stranger can use up the limits of a browser that is known.
    const signedIn = await complete(await visitProvider(), { address: '198.51.100.1' }).expect(200);
    const device = cookieOf(signedIn, 1);
    await expectStatus(200, begin(device));
    await expectStatus(200, complete(await visitProvider(), { session: device }));
  });
});

describe('a confirmation with the identity provider', () => {
  test('is needed if the sign-in at the provider was 16 minutes ago, and asks it for a new one [OIDC-7]', async () => {
    provider.signInAs({ ...OLIVE, minutesAgo: 16 });
    const session = await signIn();
    const create = () => site.request('post', WEBHOOKS, { cookie: session, body: newWebhook });
    expect((await create().expect(403)).body).toMatchObject({ code: 'confirmation_required' });
    await expectStatus(200, confirm(await visitProvider({ path: CONFIRM, session }), session));
    await expectStatus(201, create());
  });

  test('is refused if the provider has not asked for a new sign-in [OIDC-7]', async () => {
    const session = await signIn();
    // The provider's clock does not move: what it states is older than the start.
    site.pass(CONFIRMED_MS);
    const started = await visitProvider({ path: CONFIRM, session });
    await expectRefused(confirm(started, session), 'did not ask you to sign in again');
  });

  test('extends the confirmation of the session, and is in the audit trail [OIDC-7]', async () => {
    const session = await signIn();
    site.pass(30_000);
    const response = await confirm(await visitProvider({ path: CONFIRM, session }), session).expect(200);
    const until = new Date(site.now().getTime() + CONFIRMED_MS).toISOString();
    expect(response.body).toMatchObject({ confirmedUntil: until });
    expect((await byProvider()).map(({ action }) => action)).toEqual([
      'session.confirmed',
      'session.started',
    ]);
  });

  test('is refused for another account, another session, and a sign-in in its place [OIDC-7]', async () => {
    const session = await signIn();
    const other = await site.signIn();
    const started = await visitProvider({ path: CONFIRM, session });
    await expectRefused(confirm(started, other), 'was not started in this browser');
    await expectRefused(confirm(await visitProvider(), session), 'was not started in this browser');
    const asSignIn = await visitProvider({ path: CONFIRM, session });
    await expectRefused(complete(asSignIn), 'was not started in this browser');
    provider.signInAs({ subject: 'sam', email: PEOPLE.salesOwner, isVerified: true });
    const ofAnother = await visitProvider({ path: CONFIRM, session });
    await expectRefused(confirm(ofAnother, session), 'with a different account');
    await expectStatus(401, confirm(await visitProvider({ path: CONFIRM, session }), ''));
  });
});

test('without an identity provider its paths are 404 [OIDC-1]', async () => {
  for (const [path, body] of [
    [PROVIDER, {}],
    [`${PROVIDER}/complete`, { query: 'state=x' }],
  ] as const) {
    await expectStatus(404, siteWithout.request('post', path, { body }));
  }
  const cookie = await siteWithout.signIn();
  const methods = await siteWithout.request('get', '/partner-api/sign-in-methods', { cookie }).expect(200);
  expect(methods.body).toEqual({ hasPassword: true, provider: null });
});
