import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { createHttpServer } from '@partner/kernel/process/http-server';
import { closeServer, listen } from '@partner/kernel/process/listen';
import request from 'supertest';
import { assertError, createFixture, lead, readThing, writeThing } from '../testing/http-app-fixture.js';

describe('an endpoint that creates the credentials', () => {
  const read = { ...readThing(async () => ({ status: 200, json: {} })), unauthenticated: true };
  const endpoints = [
    { ...writeThing(async ({ body }) => ({ status: 201, json: body })), unauthenticated: true },
    read,
  ];

  test('counts a request of a network before its body, which may be wrong or never sent [LIMIT-12]', async () => {
    const { app } = createFixture({ endpoints, trustedProxyHops: 1 });
    const from = (address: string) => request(app).post('/things').set('x-forwarded-for', address);
    for (const address of ['2001:db8:1:2::1', '[2001:db8:1:2::2]:80', '2001:db8:1:2::3', '2001:db8:1:2::4'])
      assertError(await from(address).send({ address: 1 }), 400, 'invalid_argument');
    const server = createHttpServer(app);
    const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'HTTP_PORT' });
    const socket = connect(port, '127.0.0.1');
    socket.write(
      'POST /things HTTP/1.1\r\nhost: a\r\nx-forwarded-for: 2001:db8:1:2::5\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n',
    );
    const received: unknown[] = await once(socket, 'data');
    const head = String(received[0]).toLowerCase();
    expect(head).toMatch(/^http\/1.1 429 /);
    expect(head).toContain('retry-after: 61');
    expect(head).toContain('ratelimit-policy: "without-credentials";q=4;w=60');
    expect(head).toContain('too many requests without a session from this address: the limit is 4 a minute');
    socket.destroy();
    await closeServer(server);
    expect((await from('2001:db8:1:3::1').send(lead)).status).toBe(201);
  });

  test('counts a known client apart from its network, and of the reads only the expensive ones [LIMIT-12, SESSION-9]', async () => {
    const expensive = { ...read, path: '/sums/:id', isCounted: true };
    const { app } = createFixture({ endpoints: [...endpoints, expensive] });
    for (let turn = 0; turn < 4; turn += 1) await request(app).post('/things').send(lead);
    assertError(await request(app).post('/things').send(lead), 429, 'rate_limited');
    expect((await request(app).post('/things').set('x-device', 'device 1').send(lead)).status).toBe(201);
    expect((await request(app).get('/things/1')).status).toBe(200);
    assertError(await request(app).get('/sums/1'), 429, 'rate_limited');
  });
});
