import { createHash } from 'node:crypto';
import type { Server } from 'node:http';
import { Writable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { closeServer } from '@partner/kernel/process/listen';
import { createLoggerTo } from '@partner/kernel/telemetry/logger';
import { unzipSync } from 'fflate';
import request from 'supertest';
import { z } from 'zod';
import { readApiDescription } from '@partner/proto-contracts/openapi/api-description';
import { startPublicServer } from '../testing/public-server.js';
import { clientIndex, createClientEndpoints } from './client-packages.js';
import { createDocsEndpoints } from './docs-endpoints.js';
import { bundledPath } from '../bundle/bundled-files.js';
import { renderLandingPage } from './signed-out-pages.js';

const TYPES = {
  '/': 'text/html; charset=utf-8',
  '/docs': 'text/html; charset=utf-8',
  '/docs/': 'text/html; charset=utf-8',
  '/docs/all': 'text/html; charset=utf-8',
  '/docs/guide': 'text/html; charset=utf-8',
  '/openapi.json': 'application/json; charset=utf-8',
  '/docs/openapi.yaml': 'application/yaml',
  '/docs/postman-collection.json': 'application/json; charset=utf-8',
  '/docs/changelog': 'text/html; charset=utf-8',
  '/docs/changelog.atom': 'application/atom+xml',
  '/docs/changelog.md': 'text/markdown; charset=utf-8',
  '/llms.txt': 'text/plain; charset=utf-8',
  '/docs/pages/guide.md': 'text/markdown; charset=utf-8',
  '/docs/pages/createLead.md': 'text/markdown; charset=utf-8',
};

let log = '';
let server: Server;

beforeAll(async () => {
  const destination = new Writable({
    write(chunk, _encoding, done) {
      log += String(chunk);
      done();
    },
  });
  server = await startPublicServer(
    [
      ...createDocsEndpoints<never>({
        publicBaseUrl: 'https://api.partner.example/',
        sessionCookie: '__Host-svc_session',
        isSandbox: true,
      }),
      ...createClientEndpoints<never>('https://api.partner.example/'),
    ],
    createLoggerTo(destination, { service: 'console', level: 'info' }),
  );
});

afterAll(() => closeServer(server));

/** Returns the body of a response; supertest returns that of an image as bytes. */
function bodyOf(response: request.Response): string {
  return Buffer.isBuffer(response.body) ? response.body.toString() : response.text;
}

test.each(Object.entries(TYPES))(
  '%s is public, logged once, compressed once and sent once to a client that keeps it [HTTP-9, HTTP-10]',
  async (path, type) => {
    log = '';
    const plain = await request(server).get(path).set('accept-encoding', 'identity').expect(200);
    expect(log.match(/http\.request_completed/g)).toHaveLength(1);
    const etag = plain.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[^"]+"$/);
    const kept = { etag, 'cache-control': 'public, no-cache' };
    expect(plain.headers).toMatchObject({
      ...kept,
      'content-type': type,
      'x-content-type-options': 'nosniff',
    });
    for (const coding of ['br', 'gzip']) {
      const compressed = await request(server).get(path).set('accept-encoding', coding);
      expect(compressed.headers).toMatchObject({ 'content-encoding': coding, vary: 'accept-encoding' });
      expect(bodyOf(compressed)).toBe(bodyOf(plain));
      expect(Number(compressed.get('content-length'))).toBeLessThan(Number(plain.get('content-length')));
    }
    const again = await request(server).get(path).set('if-none-match', etag).expect(304);
    expect(again.get('content-length')).toBeUndefined();
    expect(again.headers).toMatchObject(kept);
  },
);

test('the root leads to the console, the reference and the changelog, and only on a loopback address to the demo [DOCS-5]', async () => {
  const { text } = await request(server).get('/');
  const links = [...text.matchAll(/<a href="([^"]*)"/g)].map(([, target]) => target);
  expect(links).toEqual(expect.arrayContaining(['/console', '/docs', '/docs/changelog']));
  expect(text).not.toContain('--demo');
  expect(renderLandingPage(true)).toContain('scripts/up --demo');
});

test('the changelog is a page, and a feed of its dated entries', async () => {
  const page = await request(server).get('/docs/changelog');
  const ids = [...page.text.matchAll(/<h2 id="([^"]*)"/g)].map(([, id = '']) => id);
  expect(ids).toContain('how-versions-work');
  for (const [, target = ''] of page.text.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(target);
  const feed = bodyOf(await request(server).get('/docs/changelog.atom'));
  const links = [...feed.matchAll(/<id>([^<]*)<\/id>/g)].map(([, id]) => id);
  const url = 'https://api.partner.example/docs/changelog';
  const dates = ids.filter((id) => /^\d/.test(id));
  expect(links).toEqual([url, ...dates.map((date) => `${url}#${date}`)]);
});

test('a page may load its own script and icon and nothing else, and has no inline script and one style, which the policy names', async () => {
  const { headers, text } = await request(server).get('/docs/inbound');

  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  expect(headers['content-security-policy']).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; script-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'; connect-src 'self'`,
  );
  expect(text.replace('<style>', '')).not.toMatch(/<style|\sstyle=|\son\w+="|javascript:/i);
  expect(text).not.toMatch(/<script\b[^>]*>[^<]/);
  const loaded = [...text.matchAll(/<(?:link|script|img)\b[^>]*\s(?:href|src)="([^"]*)"/g)].map(
    ([, target]) => target,
  );
  const files = ['icon.svg', 'inter.woff2', 'color-scheme.js', 'reference.js', 'try-it.js'];
  expect([...new Set(loaded)].sort()).toEqual(files.map(bundledPath).sort());
});

const postmanCollection = z.object({
  info: z.object({ schema: z.string() }),
  variable: z.array(z.object({ key: z.string(), value: z.string() })),
  item: z.array(
    z.object({
      item: z.array(
        z.object({
          name: z.string(),
          event: z.array(z.unknown()).optional(),
          request: z.looseObject({
            url: z.looseObject({ query: z.array(z.object({ key: z.string(), disabled: z.boolean() })) }),
          }),
        }),
      ),
    }),
  ),
});

test('the Postman collection has every operation with an API key, with variables for address and keys [DOCS-2]', async () => {
  const { text, headers } = await request(server).get('/docs/postman-collection.json');
  expect(headers['content-disposition']).toContain('attachment');
  const { info, variable, item } = postmanCollection.parse(JSON.parse(text));
  expect(info.schema).toContain('v2.1.0');
  expect(variable).toMatchObject([
    { key: 'baseUrl', value: 'https://api.partner.example' },
    { key: 'generalKey', value: '' },
    { key: 'installerContractorKey', value: '' },
    { key: 'installerCompanyKey', value: '' },
    { key: 'automationKey', value: '' },
  ]);
  const served = await request(server).get('/openapi.json');
  const ofService = { openapi: '3.1.1', servers: [{ url: 'https://api.partner.example' }] };
  expect(served.body).toMatchObject(ofService);
  const { operations } = readApiDescription(served.body);
  const requests = item.flatMap((folder) => folder.item);
  expect(requests.map(({ name }) => name).sort()).toEqual(
    operations
      .filter(({ credentials }) => credentials === 'apiKeyHeader')
      .map(({ summary }) => summary)
      .sort(),
  );
  const feed = requests.find(({ name }) => name === 'Read the change feed');
  expect(feed?.request.url.query).toContainEqual({ key: 'cursor', disabled: true });
  for (const variableName of ['{{$guid}}', '{{$isoTimestamp}}']) expect(text).toContain(variableName);
});

test('each request of the Postman collection uses only what the reader or an earlier response has set [DOCS-7]', async () => {
  const { text } = await request(server).get('/docs/postman-collection.json');
  const { item, variable } = postmanCollection.parse(JSON.parse(text));
  const known = new Set(variable.map(({ key }) => key));
  for (const { name, request: sent, event = [] } of item.flatMap((folder) => folder.item)) {
    const { description: _, ...parts } = sent;
    const used = [...JSON.stringify(parts).matchAll(/\{\{([a-z]\w*)\}\}/gi)].map(([, one]) => one);
    expect([name, used.filter((one) => !known.has(one ?? ''))]).toEqual([name, []]);
    expect([
      name,
      JSON.stringify({ url: sent.url, body: sent.body }).match(/"(?:job|lead|whk|evt|rpl|mem)_\w+/),
    ]).toEqual([name, null]);
    for (const [, set = ''] of JSON.stringify(event).matchAll(/keep\(\\"(\w+)\\"/g)) known.add(set);
  }
  expect(known.size).toBeGreaterThan(12);
});

test('llms.txt leads to a complete Markdown page of each operation and webhook [DOCS-4]', async () => {
  const { text } = await request(server).get('/llms.txt').expect(200);
  const { operations, webhooks } = readApiDescription((await request(server).get('/openapi.json')).body);
  const pages = [...text.matchAll(/\(https:\/\/api\.partner\.example(\/docs\/pages\/\S+)\)/g)].map(
    ([, path = '']) => path,
  );
  expect(pages).toHaveLength(1 + operations.length + webhooks.length);
  expect(text).toContain('https://api.partner.example/partner/v1/mcp');
  for (const page of pages) {
    const response = await request(server)
      .get(page)
      .expect(200)
      .expect('content-type', /^text\/markdown/);
    expect(response.text).toMatch(/^# \S/);
    expect(response.text).not.toContain('$ref');
  }
  await request(server).get('/docs/pages/unknown.md').expect(404);
  await request(server)
    .get('/docs/unknown')
    .expect(404)
    .expect('content-type', /^application\/json/);
  const shown = await request(server).get('/docs/unknown').set('accept', 'text/html,*/*').expect(404);
  expect(shown.text).toContain('This page doesn’t exist');
});

describe('the clients for partners', () => {
  const listed = clientIndex.extend({
    clients: z.array(clientIndex.shape.clients.element.extend({ url: z.url() })),
  });
  const get = (path: string) => request(server).get(path).responseType('blob');
  const bytesIn = ({ body }: { readonly body: unknown }) =>
    Buffer.isBuffer(body) ? new Uint8Array(body) : new Uint8Array();
  const index = async () =>
    listed.parse(JSON.parse(String(Buffer.from(bytesIn(await get('/clients/index.json').expect(200))))))
      .clients;

  test('have one address, with checksums and the commands that install them [CLIENT-17]', async () => {
    const page = await request(server)
      .get('/clients')
      .expect(200)
      .expect('content-type', /^text\/html/);
    expect((await request(server).get('/clients/')).text).toBe(page.text);
    const clients = await index();
    expect(clients.map(({ language }) => language)).toEqual(['TypeScript', 'Python']);
    for (const { language, file, url, bytes, sha256, integrity } of clients) {
      expect(url).toBe(`https://api.partner.example/clients/${file}`);
      expect(page.text).toContain(`${language === 'Python' ? 'pip' : 'npm'} install ${url}`);
      expect(page.text).toContain(sha256);
      const response = await get(`/clients/${file}`).set('accept-encoding', 'gzip, br').expect(200);
      const [{ headers }, body] = [response, bytesIn(response)];
      expect(headers).toMatchObject({
        'content-type': file.endsWith('.tgz') ? 'application/gzip' : 'application/zip',
        'cache-control': 'public, no-cache',
        'x-content-type-options': 'nosniff',
        'content-length': String(bytes),
      });
      expect(headers).not.toHaveProperty('content-encoding');
      expect(createHash('sha256').update(body).digest('hex')).toBe(sha256);
      expect(`sha512-${createHash('sha512').update(body).digest('base64')}`).toBe(integrity);
      await get(`/clients/${file}`)
        .set('if-none-match', headers['etag'] ?? '')
        .expect(304);
      await request(server).head(`/clients/${file}`).expect(200).expect('content-length', String(bytes));
      await request(server).put(`/clients/${file}`).expect(405);
    }
  });

  test('hold the license, and no link that leads nowhere [CLIENT-17]', async () => {
    const [typescript, python] = await Promise.all(
      (await index()).map(async ({ file }) => bytesIn(await get(`/clients/${file}`))),
    );
    const wheel = unzipSync(python ?? new Uint8Array());
    const textOf = (end: string) => {
      const [, bytes] = Object.entries(wheel).find(([name]) => name.endsWith(end)) ?? [];
      return String(Buffer.from(bytes ?? []));
    };
    const tarball = String(gunzipSync(typescript ?? new Uint8Array()));
    const served = (file: string) => request(server).get(`/clients/${file}`).expect(200);
    const guide = (await served('clients.md')).text;
    for (const [file, text] of [
      ['typescript.md', tarball],
      ['python.md', textOf('METADATA')],
    ] as const)
      expect(text).toContain((await served(file)).text);
    for (const text of [tarball, textOf('licenses/LICENSE')]) expect(text).toContain('MIT License');
    for (const text of [tarball, textOf('METADATA'), guide])
      expect(text.match(/\]\((?!https?:|#)[^)\s]*\)/g)).toBeNull();
    expect(guide).toContain('# Clients');
  });

  test.each([
    'partner-client-9.9.9.tgz',
    '..%2fchangelog.md',
    '../web-bundle/index.html',
    '%00',
    'constructor',
  ])(
    'are all that is there: %s is 404 [CLIENT-17]',
    async (file) => void (await request(server).get(`/clients/${file}`).expect(404)),
  );
});
