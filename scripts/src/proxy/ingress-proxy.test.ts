import { createServer, type IncomingMessage, request, type RequestListener, type Server } from 'node:http';
import { closeServer, listen } from '@partner/runtime/listen';
import { freePort } from '@partner/runtime/local-parts/local-process';
import { afterEach, expect, test } from '@jest/globals';
import { createIngressProxy, type ProxyRoute } from './ingress-proxy.js';

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await closeServer(server);
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  return `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0, variable: 'test' })}`;
}

async function proxyTo(routes: readonly ProxyRoute[]): Promise<string> {
  const server = createIngressProxy(routes);
  servers.push(server);
  return `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0, variable: 'test' })}`;
}

/** Answers with what arrived. */
function echo(name: string): RequestListener {
  return (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.end(JSON.stringify({ name, url: incoming.url, rawHeaders: incoming.rawHeaders, body }));
    });
  };
}

async function nameAt(baseUrl: string, path: string): Promise<unknown> {
  const answer = await fetch(`${baseUrl}${path}`);
  const body: unknown = await answer.json();
  return typeof body === 'object' && body !== null && 'name' in body ? body.name : answer.status;
}

test('each path goes to its service, by whole segments', async () => {
  const baseUrl = await proxyTo([
    { prefix: '/partner/v1', targets: [await serve(echo('installer'))] },
    { prefix: '/partner-api', targets: [await serve(echo('console'))] },
  ]);

  await expect(nameAt(baseUrl, '/partner/v1/jobs?limit=2')).resolves.toBe('installer');
  await expect(nameAt(baseUrl, '/partner/v1?limit=2')).resolves.toBe('installer');
  await expect(nameAt(baseUrl, '/partner-api/session')).resolves.toBe('console');
  await expect(nameAt(baseUrl, '/partner/v10/jobs')).resolves.toBe(404);
  await expect(nameAt(baseUrl, '/partner')).resolves.toBe(404);
});

test('an unknown path gets the error body with a request id', async () => {
  const baseUrl = await proxyTo([]);

  const answer = await fetch(baseUrl, { headers: { 'x-request-id': 'req-1' } });

  expect(answer.status).toBe(404);
  expect(answer.headers.get('x-request-id')).toBe('req-1');
  await expect(answer.json()).resolves.toEqual({
    error: 'no such path',
    code: 'not_found',
    requestId: 'req-1',
  });
});

test('headers arrive as they were sent, with the client added to x-forwarded-for', async () => {
  const baseUrl = await proxyTo([{ prefix: '/inbound', targets: [await serve(echo('inbound'))] }]);

  const text = await new Promise<string>((resolve, reject) => {
    const sent = request(
      `${baseUrl}/inbound/leads`,
      {
        method: 'POST',
        agent: false,
        headers: {
          'x-api-key': ['one', 'two'],
          'x-forwarded-for': '203.0.113.9',
          'x-forwarded-proto': 'https',
        },
      },
      (answer: IncomingMessage) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve(`${String(answer.headers['set-cookie'])} ${Buffer.concat(chunks).toString()}`),
        );
      },
    );
    sent.once('error', reject);
    // Without a length the body goes in chunks.
    sent.write('{"a":');
    sent.end('1}');
  });

  expect(text).toContain('a=1,b=2');
  expect(text).toContain('"x-api-key","one","x-api-key","two"');
  expect(text).toContain('"x-forwarded-for","203.0.113.9, 127.0.0.1","x-forwarded-proto","http"');
  expect(text).not.toContain('"x-forwarded-proto","https"');
  expect(text).toContain('"body":"{\\"a\\":1}"');
});

test('replicas take turns, and one that takes no connection is passed over', async () => {
  const gone = `http://127.0.0.1:${await freePort()}`;
  const targets = [await serve(echo('first')), gone, await serve(echo('second'))];
  const baseUrl = await proxyTo([{ prefix: '/inbound', targets }]);

  const names: unknown[] = [];
  for (let turn = 0; turn < 6; turn += 1) names.push(await nameAt(baseUrl, '/inbound'));

  expect(names).toEqual(['first', 'second', 'second', 'first', 'second', 'second']);
});

test('with no replica left the answer is 503 with retry-after', async () => {
  const baseUrl = await proxyTo([{ prefix: '/inbound', targets: [`http://127.0.0.1:${await freePort()}`] }]);

  const answer = await fetch(`${baseUrl}/inbound/leads`, { method: 'POST', body: '{}' });

  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('1');
  await expect(answer.json()).resolves.toMatchObject({ code: 'unavailable' });
});

test('a service that dies in the middle of a request is not asked again', async () => {
  let requests = 0;
  const dying = await serve((incoming) => {
    requests += 1;
    incoming.socket.destroy();
  });
  const baseUrl = await proxyTo([{ prefix: '/inbound', targets: [dying, dying] }]);

  const answer = await fetch(`${baseUrl}/inbound/leads`, { method: 'POST', body: '{}' });

  expect(answer.status).toBe(503);
  expect(requests).toBe(1);
});
