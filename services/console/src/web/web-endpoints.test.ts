import { once } from 'node:events';
import { get, type IncomingHttpHeaders, IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { closeServer } from '@partner/kernel/process/listen';
import request from 'supertest';
import { createSessionCookie } from '../sessions/cookies.js';
import { FAKE_WEB_BUNDLE } from '../testing/fake-web-app.js';
import { startPublicServer } from '../testing/public-server.js';
import { createWebEndpoints } from './web-endpoints.js';

const PAGES = [
  '/console',
  '/console/',
  '/console/webhooks',
  '/console/webhooks/whk_1/rotate-secret',
  '/console/no%20such',
];
const ASSET = '/console/assets/app-12345678.js';

let server: Server;

beforeAll(async () => {
  server = await startPublicServer(
    createWebEndpoints<never>({
      webBundle: FAKE_WEB_BUNDLE,
      environment: 'sandbox',
      mailer: undefined,
      identityProvider: { name: '<$&>' },
      cookie: createSessionCookie('https://partner.example'),
    }),
  );
});

afterAll(() => closeServer(server));

describe.each(PAGES)('%s', (path) => {
  test('is the page, public and not stored by caches [CONSOLE-1]', async () => {
    const { status, headers, text } = await request(server).get(path);

    expect(status).toBe(200);
    expect(text).toContain('<meta name="environment" content="sandbox">');
    expect(text).toContain('<meta name="partner-provider" content="&lt;$&amp;&gt;">');
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  test('has a new nonce in each response, and allows nothing cross-origin [CONSOLE-1]', async () => {
    const nonces: string[] = [];
    for (let time = 0; time < 2; time += 1) {
      const { headers, text } = await request(server).get(path);
      const nonce = /property="csp-nonce" nonce="([^"]+)"/.exec(text)?.[1] ?? '';
      nonces.push(nonce);
      expect(nonce).toMatch(/^[A-Za-z0-9+/]{24}$/);
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; ` +
          "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      );
    }
    expect(new Set(nonces).size).toBe(2);
  });
});

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

test('the page shows whether the browser has a session, preloads for it alone, and never has the session', async () => {
  const without = await request(server).get('/console');
  const having = await request(server).get('/console').set('cookie', '__Host-svc_session=token-1');

  expect(without.text).toContain('<meta name="partner-session" content="none">');
  expect(having.text).toContain('<meta name="partner-session" content="given">');
  expect(having.text).not.toContain('token-1');
  const shown = ({ text }: { readonly text: string }) => text.replaceAll(/<!--.*?-->/g, '');
  expect(shown(without)).not.toContain('preload');
  expect(shown(having)).toContain('<link rel="preload">');
  expect(shown(having)).toContain('/data');
  const other = await request(server).get('/console/webhooks').set('cookie', '__Host-svc_session=token-1');
  expect(shown(other)).toContain('<link rel="preload">');
  expect(shown(other)).not.toContain('/data');
});
