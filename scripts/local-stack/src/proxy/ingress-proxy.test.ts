import { createServer, type RequestListener, type Server } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { closeServer, listen } from '@partner/kernel/process/listen';
import { freePort } from '@partner/test-kit/backing-services/local-process';
import { afterEach, expect, test } from '@jest/globals';
import { sendCall } from '@partner/test-kit/http-call';
import { z } from 'zod';
import { createIngressProxy, type ProxyRoute } from './ingress-proxy.js';

const servers: Server[] = [];
const named = z.object({ name: z.string() });

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await closeServer(server);
  }
});

const serve = (listener: RequestListener) => start(createServer(listener));
const proxyTo = (routes: readonly ProxyRoute[]) => start(createIngressProxy(routes));

async function start(server: Server): Promise<string> {
  servers.push(server);
  return `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0, variable: 'test' })}`;
}

function echo(name: string): RequestListener {
  return (incoming, response) => {
    void text(incoming).then((body) => {
      response.setHeader('set-cookie', ['a=1', 'b=2']).setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ name, url: incoming.url, rawHeaders: incoming.rawHeaders, body }));
    });
  };
}

async function exchange(baseUrl: string, ...parts: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  for (const part of parts) socket.write(part);
  return text(socket);
}

async function nameAt(baseUrl: string, path: string): Promise<unknown> {
  const { json, status } = await sendCall(baseUrl, path);
  return named.safeParse(json).data?.name ?? status;
}

test('gives requests to the replicas of a service in turn, and those for one that refuses connections to the others', async () => {
  const targets = [await serve(echo('one')), await serve(echo('two'))];
  const replicas = await proxyTo([{ prefix: '/partner/v1', targets }]);
  const names = [await nameAt(replicas, '/partner/v1'), await nameAt(replicas, '/partner/v1')];
  expect(names.sort()).toEqual(['one', 'two']);

  const gone = `http://127.0.0.1:${await freePort()}`;
  const baseUrl = await proxyTo([{ prefix: '/partner/v1', targets: [gone, ...targets.slice(1)] }]);
  const later = [];
  for (let sent = 0; sent < 4; sent += 1) later.push(await nameAt(baseUrl, '/partner/v1'));
  expect(later.filter((name) => name === 503).length).toBeLessThanOrEqual(1);
});

test('routes each path to its service, by whole segments', async () => {
  const baseUrl = await proxyTo([
    { prefix: '/partner/v1', targets: [await serve(echo('installer'))] },
    { prefix: '/partner-api', targets: [await serve(echo('console'))] },
    { prefix: '/', targets: [await serve(echo('root'))] },
  ]);

  await expect(nameAt(baseUrl, '/partner/v1/jobs?limit=2')).resolves.toBe('installer');
  await expect(nameAt(baseUrl, '/partner/v1?limit=2')).resolves.toBe('installer');
  await expect(nameAt(baseUrl, '/partner-api/session')).resolves.toBe('console');
  await expect(nameAt(baseUrl, '/partner/v10/jobs')).resolves.toBe(404);
  await expect(nameAt(baseUrl, '/partner')).resolves.toBe(404);
  await expect(nameAt(baseUrl, '/?from=mail')).resolves.toBe('root');
});

test('passes headers on unchanged, except that it adds the client to x-forwarded-for', async () => {
  const baseUrl = await proxyTo([{ prefix: '/inbound', targets: [await serve(echo('inbound'))] }]);

  const received = await exchange(
    baseUrl,
    'POST /inbound/leads HTTP/1.1\r\nhost: a\r\nconnection: close\r\ntransfer-encoding: chunked\r\n',
    'x-api-key: one\r\nx-api-key: two\r\nx-forwarded-for: 203.0.113.9\r\nx-forwarded-proto: https\r\n\r\n',
    '5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n',
  );

  expect(received).toMatch(/set-cookie: a=1\r\n(?:.+\r\n)*set-cookie: b=2\r\n/i);
  expect(received).toContain('"x-api-key","one","x-api-key","two"');
  expect(received).toContain('"x-forwarded-for","203.0.113.9, 127.0.0.1","x-forwarded-proto","http"');
  expect(received).not.toContain('"x-forwarded-proto","https"');
  expect(received).toContain('"body":"{\\"a\\":1}"');
});

test('responds with 503 and retry-after for a service that refuses connections', async () => {
  const baseUrl = await proxyTo([{ prefix: '/inbound', targets: [`http://127.0.0.1:${await freePort()}`] }]);

  const received = await sendCall(baseUrl, '/inbound/leads', { method: 'POST', body: {} });

  expect(received).toMatchObject({ status: 503, json: { code: 'unavailable' } });
  expect(received.headers.get('retry-after')).toBe('1');
});

test('does not repeat a request to a service that dies during it', async () => {
  let requests = 0;
  const dying = await serve((incoming) => {
    requests += 1;
    incoming.socket.destroy();
  });
  const baseUrl = await proxyTo([{ prefix: '/inbound', targets: [dying] }]);

  const { status } = await sendCall(baseUrl, '/inbound/leads', { method: 'POST', body: {} });

  expect(status).toBe(503);
  expect(requests).toBe(1);
});
