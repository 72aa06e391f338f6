import { beforeEach, describe, expect, test } from '@jest/globals';
import { recoveryCodes } from '@partner/proto-contracts/resources/second-factor/second-factor';
import { LOGIN_FAILURE_LIMITS } from './sessions/login-attempts.js';
import { CONFIRMED_MS } from './sessions/session-times.js';
import { expectStatus, ids, logIn, SESSION, site } from './testing/each-test-console.js';
import { cookie, send } from './testing/signed-in-console.js';
import { PASSWORD, PEOPLE } from './testing/test-job-state.js';

const FACTOR = '/partner-api/second-factor';
const EMAIL = PEOPLE.installerOwner;

let codes: readonly string[];

/** Signs in with a code. The fake app shows every code that begins with 1. */
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

beforeEach(async () => {
  await send('post', FACTOR).expect(200);
  const enabled = await send('post', `${FACTOR}/enable`, { code: '100000' }).expect(200);
  codes = recoveryCodes.parse(enabled.body).recoveryCodes;
});

test('enabling a second factor ends the other sessions, which started without it [FACTOR-1]', async () => {
  await send('post', `${FACTOR}/disable`, { code: '110000' }).expect(204);
  const other = await site.signIn(EMAIL);
  await send('post', FACTOR).expect(200);
  await expectStatus(200, site.request('get', SESSION, { cookie: other }));
  await send('post', `${FACTOR}/enable`, { code: '120000' }).expect(200);
  await expectStatus(401, site.request('get', SESSION, { cookie: other }));
  await expectStatus(200, send('get', SESSION));
});

describe('an owner with a second factor', () => {
  test('signs in with the password and a code, and the password alone asks for it [FACTOR-2]', async () => {
    await expectCode(403, 'second_factor_required', logInWith(undefined));
    await expectCode(403, 'second_factor_wrong', logInWith('000000'));
    await expectCode(403, 'second_factor_wrong', logInWith('not a code'));
    await expectStatus(200, logInWith('123 456'));
    await expectCode(403, 'second_factor_wrong', logInWith('123456'));
    expect(site.acted.at(-1)).toMatchObject({ actor: { membershipId: ids.olive } });
  });

  test('signs in with each recovery code once, however it is typed [FACTOR-2]', async () => {
    const [code = ''] = codes;
    expect(new Set(codes).size).toBe(10);
    expect(code).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
    await expectStatus(200, logInWith(code.toUpperCase().replaceAll('-', ' ')));
    await expectCode(403, 'second_factor_wrong', logInWith(code));
    expect((await send('get', FACTOR).expect(200)).body).toMatchObject({
      enabled: true,
      recoveryCodesLeft: 9,
    });
    expect(site.logged()).not.toContain(code);
  });

  test('has it revealed to no one without the password [FACTOR-3]', async () => {
    for (const code of [undefined, '123456']) {
      const wrong = await logInWith(code, { password: 'wrong' }).expect(401);
      const other = await logIn(PEOPLE.salesOwner, 'wrong').expect(401);
      expect({ ...wrong.body, requestId: '' }).toEqual({ ...other.body, requestId: '' });
    }
    // The wrong password used up no code.
    await expectStatus(200, logInWith('123456'));
  });

  test('has 10 wrong codes in 15 minutes over all addresses, and 10 in a known browser [FACTOR-4]', async () => {
    const signedIn = await logInWith('111111');
    const known = signedIn.get('set-cookie')?.[1]?.split(';', 1)[0] ?? '';
    for (let n = 0; n < 2 * LOGIN_FAILURE_LIMITS.client; n += 1) {
      // Neither a stranger nor the request for a code uses up the limit.
      await expectStatus(401, logInWith('000000', { password: 'wrong', address: `198.51.100.${n}` }));
      await expectCode(403, 'second_factor_required', logInWith(undefined));
    }
    for (let n = 0; n < LOGIN_FAILURE_LIMITS.client; n += 1) {
      await expectStatus(403, logInWith('000000', { address: `203.0.113.${n}` }));
    }
    await expectCode(429, 'rate_limited', logInWith('122222', { address: '203.0.113.200' }));
    await expectStatus(200, logInWith('122222', { address: '203.0.113.200', known }));
    for (let n = 0; n < LOGIN_FAILURE_LIMITS.client; n += 1)
      await expectStatus(403, logInWith('000000', { known }));
    await expectCode(429, 'rate_limited', logInWith('133333', { known }));
  });

  test('cannot sign in while job-state is older than the second factor [FACTOR-3]', async () => {
    site.jobState.setOlder(true);
    await expectCode(503, 'unavailable', logInWith('123456'));
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
    await expectStatus(429, send('post', `${FACTOR}/disable`, { code: '123456' }));
    const other = (await logInWith('144444').expect(200)).get('set-cookie')?.[0]?.split(';', 1)[0] ?? '';
    await expectStatus(
      204,
      site.request('post', `${FACTOR}/disable`, { cookie: other, body: { code: '123456' } }),
    );
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
