import { once } from 'node:events';
import { get, type IncomingHttpHeaders, IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { closeServer } from '@partner/kernel/process/listen';
import request from 'supertest';
import { createSessionCookie } from '../sessions/cookies.js';
import { FAKE_WEB_BUNDLE } from '../testing/fake-web-app.js';
import { startPublicServer } from '../testing/public-server.js';
import { createWebEndpoints, pathAfterSignIn } from './web-endpoints.js';

const PAGES = [
  '/console',
  '/console/',
  '/console/webhooks',
  '/console/webhooks/whk_1/rotate-secret',
  '/console/no%20such',
];
const ASSET = '/console/assets/app-12345678.js';

const COOKIE = '__Host-svc_session=token-1';

let server: Server;

const unused = async (): Promise<never> => {
  throw new Error('no session is checked');
};
const NO_SESSIONS = {
  sessions: { find: async () => undefined, claimOwnerCheck: unused, returnOwnerCheck: unused, end: unused },
  operations: { callInternal: unused },
  logger: { warn: () => undefined },
  clock: () => new Date(),
};

beforeAll(async () => {
  server = await startPublicServer(
    createWebEndpoints<never>({
      webBundle: FAKE_WEB_BUNDLE,
      environment: 'sandbox',
      mailer: undefined,
      identityProvider: { name: '<$&>' },
      cookie: createSessionCookie('https://partner.example'),
      ...NO_SESSIONS,
    }),
  );
});

afterAll(() => closeServer(server));

test.each(PAGES)(
  '%s is the page, not stored by caches, with a new nonce each time, and allows nothing cross-origin [CONSOLE-1]',
  async (path) => {
    const nonces: string[] = [];
    for (let time = 0; time < 2; time += 1) {
      const { status, headers, text } = await request(server).get(path).set('cookie', COOKIE);
      expect(status).toBe(200);
      expect(text).toContain('<meta name="environment" content="sandbox">');
      expect(text).toContain('<meta name="partner-provider" content="&lt;$&amp;&gt;">');
      const nonce = /property="csp-nonce" nonce="([^"]+)"/.exec(text)?.[1] ?? '';
      nonces.push(nonce);
      expect(nonce).toMatch(/^[A-Za-z0-9+/]{24}$/);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'content-security-policy':
          `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; ` +
          "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      });
    }
    expect(new Set(nonces).size).toBe(2);
  },
);

describe('a file of the page', () => {
  test.each([
    ['gzip, br', 'br', 'brotli'],
    ['gzip', 'gzip', 'gzip'],
    ['identity', undefined, 'plain'],
  ])('for accept-encoding %s is sent in %s [HTTP-10]', async (accepted, coding, content) => {
    const found = await getAsSent(ASSET, { 'accept-encoding': accepted });

    expect(found).toMatchObject({
      status: 200,
      body: content,
      headers: {
        'content-type': 'text/javascript; charset=utf-8',
        'content-length': String(content.length),
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
        'x-content-type-options': 'nosniff',
      },
    });
    expect(found.headers['content-encoding']).toBe(coding);
  });

  test('that does not exist is 404, and never the page', async () => {
    for (const path of [
      '/console/assets/other.js',
      '/console/assets/%2e%2e%2findex.html',
      '/console/assets/__proto__',
    ]) {
      const found = await request(server).get(path);
      expect(found.status).toBe(404);
      expect(found.get('content-type')).toMatch(/json/);
    }
  });
});

test('a path with only its prefix is another path', async () => {
  expect((await request(server).get('/consoles')).status).toBe(404);
});

/** Returns a response as sent: without undoing its content coding. */
async function getAsSent(
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: string }> {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const emitted: unknown[] = await once(get({ host: '127.0.0.1', port, path, headers }), 'response');
  const [response] = emitted;
  if (!(response instanceof IncomingMessage)) throw new Error('a response arrived');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

test('the page preloads for a session, its data only for the path that reads it, and never has the session', async () => {
  const having = await request(server).get('/console').set('cookie', COOKIE);

  expect(having.text).toContain('<meta name="partner-session" content="given">');
  expect(having.text).not.toContain('token-1');
  const shown = ({ text }: { readonly text: string }) => text.replaceAll(/<!--.*?-->/g, '');
  expect(shown(having)).toContain('<link rel="preload">');
  expect(shown(having)).toContain('/data');
  const other = await request(server).get('/console/webhooks').set('cookie', COOKIE);
  expect(shown(other)).toContain('<link rel="preload">');
  expect(shown(other)).not.toContain('/data');
  const filtered = await request(server).get('/console?span=7d').set('cookie', COOKIE);
  expect(shown(filtered)).not.toContain('/data');
  const anyone = await request(server).get('/console/receiver-code').expect(200);
  expect(anyone.text).toContain('<meta name="partner-session" content="none">');
  expect(shown(anyone)).not.toContain('preload');
});

describe('without a session', () => {
  test.each([
    ['/console', '/console/sign-in'],
    ['/console/webhooks/whk_1?tab=secret', '/console/sign-in?next=%2Fwebhooks%2Fwhk_1%3Ftab%3Dsecret'],
  ])('%s leads to the sign-in page, also from another site, whose cookies come later', async (path, to) => {
    expect((await request(server).get(path).expect(303)).get('location')).toBe(to);
    const { headers } = await request(server).get(path).set('sec-fetch-site', 'cross-site').expect(200);
    expect(headers).toMatchObject({ refresh: `0;url=${to}` });
  });

  test('the sign-in page says that a session has ended, and is safe for what it is given', async () => {
    const page = await request(server).get('/console/sign-in?next=%2F%22%3E%3Cimg%3E').set('cookie', COOKIE);
    expect(page.text).toContain('Your session ended');
    expect(page.text).toContain('Continue with &lt;$&amp;&gt;');
    expect(page.text).not.toContain('"><img>');
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    expect(page.text).toContain('<meta name="referrer" content="same-origin" />');
    // The response of a provider stands in the address until a script has moved it.
    const link = await request(server).get('/console/set-password').expect(200);
    expect(link.text).not.toContain('name="referrer"');
    expect(page.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^ ]+'; script-src 'self'; /,
    );
  });

  test.each([
    ['/webhooks/whk_1?tab=a', '/webhooks/whk_1?tab=a'],
    [undefined, '/'],
    ['', '/'],
    ['//evil.example', '//evil.example'],
    ['/..//evil.example', '/'],
    ['/\\evil.example', '//evil.example'],
    ['.evil.example', '/'],
    ['https://evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['/sign-in?next=/', '/'],
  ])('a sign-in for %s leads to %s below /console', (next, path) => {
    expect(pathAfterSignIn(next)).toBe(path);
  });
});
