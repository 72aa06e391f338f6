import { beforeEach, describe, expect, test } from '@jest/globals';
import { totpCode } from '@partner/job-state/testing/totp-code';
import {
  recoveryCodes,
  secondFactorSecret,
} from '@partner/proto-contracts/resources/second-factor/second-factor';
import { LOGIN_FAILURE_LIMITS } from './sessions/login-attempts.js';
import { CONFIRMED_MS } from './sessions/session-times.js';
import { cookieOf, expectStatus, ids, logIn, SESSION, site, trailOf } from './testing/each-test-console.js';
import { cookie, send } from './testing/signed-in-console.js';
import { PASSWORD, PEOPLE } from './testing/test-job-state.js';

const FACTOR = '/partner-api/second-factor';
const EMAIL = PEOPLE.installerOwner;
const STEP_MS = 30_000;

let codes: readonly string[];
let secret: string;

/** Returns the next code that the app shows; each is accepted once. */
function nextCode(): string {
  site.pass(STEP_MS);
  return totpCode(secret, site.now());
}

/** Begins a second factor and enables it. */
async function enable(): Promise<void> {
  ({ secret } = secondFactorSecret.parse((await send('post', FACTOR).expect(200)).body));
  const enabled = await send('post', `${FACTOR}/enable`, { code: nextCode() }).expect(200);
  codes = recoveryCodes.parse(enabled.body).recoveryCodes;
}

function logInWith(
  code: string | undefined,
  { password = PASSWORD, address = '192.0.2.1', known = '' } = {},
) {
  const body = { email: EMAIL, password, ...(code !== undefined && { code }) };
  return site.request('post', SESSION, { body, address, cookie: known });
}

async function expectCode(status: number, code: string, sent: ReturnType<typeof logInWith>) {
  const response = await sent;
  expect(response.body).toMatchObject({ code });
  expect(response.status).toBe(status);
  expect(response.get('set-cookie')).toBeUndefined();
}

beforeEach(enable);

test('enabling a second factor ends the other sessions, which started without it [FACTOR-1]', async () => {
  await send('post', `${FACTOR}/disable`, { code: nextCode() }).expect(204);
  const other = await site.signIn(EMAIL);
  await expectStatus(200, site.request('get', SESSION, { cookie: other }));
  await enable();
  await expectStatus(401, site.request('get', SESSION, { cookie: other }));
  await expectStatus(200, send('get', SESSION));
});

describe('an owner with a second factor', () => {
  test('signs in with the password and a code, and the password alone asks for it [FACTOR-2]', async () => {
    await expectCode(403, 'second_factor_required', logInWith(undefined));
    await expectCode(403, 'second_factor_wrong', logInWith('000000'));
    await expectCode(403, 'second_factor_wrong', logInWith('not a code'));
    const code = nextCode();
    await expectStatus(200, logInWith(`${code.slice(0, 3)} ${code.slice(3)}`));
    await expectCode(403, 'second_factor_wrong', logInWith(code));
    const refused = await trailOf(ids.sunny, 'owner.code_refused');
    expect(refused).toHaveLength(3);
    expect(refused[0]).toMatchObject({ actor: { membershipId: ids.olive }, remoteAddress: '192.0.2.1' });
  });

  test('signs in with each recovery code once, however it is typed [FACTOR-2]', async () => {
    const [code = ''] = codes;
    expect(new Set(codes).size).toBe(10);
    expect(code).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
    await expectStatus(200, logInWith(code.toUpperCase().replaceAll('-', ' ')));
    await expectCode(403, 'second_factor_wrong', logInWith(code));
    expect((await send('get', FACTOR).expect(200)).body).toMatchObject({ recoveryCodesLeft: 9 });
    for (const text of [code, secret]) expect(site.logged()).not.toContain(text);
  });

  test('has it revealed to no one without the password [FACTOR-3]', async () => {
    const right = nextCode();
    for (const code of [undefined, right]) {
      const wrong = await logInWith(code, { password: 'wrong' }).expect(401);
      const other = await logIn(PEOPLE.salesOwner, 'wrong').expect(401);
      expect({ ...wrong.body, requestId: '' }).toEqual({ ...other.body, requestId: '' });
    }
    // The wrong password used up no code.
    await expectStatus(200, logInWith(right));
  });

  test('has 10 wrong codes in 15 minutes over all addresses, and 10 in a known browser [FACTOR-4]', async () => {
    const signedIn = await logInWith(nextCode());
    const known = cookieOf(signedIn, 1);
    for (let n = 0; n < 2 * LOGIN_FAILURE_LIMITS.client; n += 1) {
      // Neither a stranger nor the request for a code uses up the limit.
      await expectStatus(401, logInWith('000000', { password: 'wrong', address: `198.51.100.${n}` }));
      await expectCode(403, 'second_factor_required', logInWith(undefined));
    }
    for (let n = 0; n < LOGIN_FAILURE_LIMITS.client; n += 1) {
      await expectStatus(403, logInWith('000000', { address: `203.0.113.${n}` }));
    }
    const code = nextCode();
    await expectCode(429, 'rate_limited', logInWith(code, { address: '203.0.113.200' }));
    await expectStatus(200, logInWith(code, { address: '203.0.113.200', known }));
    for (let n = 0; n < LOGIN_FAILURE_LIMITS.client; n += 1)
      await expectStatus(403, logInWith('000000', { known }));
    await expectCode(429, 'rate_limited', logInWith(nextCode(), { known }));
  });
});

describe('a change of the second factor', () => {
  test('needs a recent password [FACTOR-1]', async () => {
    site.pass(CONFIRMED_MS);
    for (const path of ['', '/enable', '/recovery-codes', '/disable']) {
      const response = await send('post', `${FACTOR}${path}`, { code: '123456' }).expect(403);
      expect(response.body).toMatchObject({ code: 'confirmation_required' });
    }
  });

  test('needs a code, and 10 wrong ones limit the session [FACTOR-1]', async () => {
    expect((await send('post', FACTOR).expect(409)).body).toMatchObject({ code: 'second_factor_enabled' });
    for (let n = 0; n < LOGIN_FAILURE_LIMITS.client; n += 1) {
      const path = n % 2 === 0 ? '/disable' : '/recovery-codes';
      await expectStatus(403, send('post', `${FACTOR}${path}`, { code: '000000' }));
    }
    await expectStatus(429, send('post', `${FACTOR}/disable`, { code: nextCode() }));
    const signedIn = await logInWith(nextCode()).expect(200);
    const other = cookieOf(signedIn);
    const body = { code: nextCode() };
    await expectStatus(204, site.request('post', `${FACTOR}/disable`, { cookie: other, body }));
    await expectStatus(200, logInWith(undefined));
  });

  test('makes new recovery codes, and the former ones end [FACTOR-1]', async () => {
    const response = await send('post', `${FACTOR}/recovery-codes`, { code: codes[0] ?? '' }).expect(200);
    const [fresh = ''] = recoveryCodes.parse(response.body).recoveryCodes;
    await expectStatus(403, logInWith(codes[1]));
    await expectStatus(200, logInWith(fresh));
    await expectStatus(200, site.request('get', SESSION, { cookie }));
  });
});
