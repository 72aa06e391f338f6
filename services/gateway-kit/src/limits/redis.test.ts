import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { eventually } from '@partner/test-kit/eventually';
import { createRedis, type RedisClient } from './redis.js';

const INFO = 'redis_version:7.0.0\r\nloading:0\r\n';

let server: Server;
let url: string;
/** Replies to GET that are held back, in the order of the commands. */
let held: (() => void)[];
let sockets: Socket[];
const open: RedisClient[] = [];

beforeEach(async () => {
  held = [];
  sockets = [];
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      for (const [, command = '', key = ''] of data
        .toString()
        .matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n(?:\$\d+\r\n(\w+)\r\n)?/g)) {
        if (command === 'info') socket.write(`$${INFO.length}\r\n${INFO}\r\n`);
        else if (command === 'get') held.push(() => socket.write(`$${key.length}\r\n${key}\r\n`));
        else socket.write('+OK\r\n');
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url = `redis://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});

afterEach(async () => {
  for (const redis of open.splice(0)) redis.disconnect();
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
});

async function connect(options = { replyTimeoutMs: 100 }): Promise<RedisClient> {
  const redis = createRedis(url, silentLogger, options);
  open.push(redis);
  await eventually('the connection to Redis', () => redis.status === 'ready');
  return redis;
}

test('a command with a longer time limit gets a reply that is too late for others', async () => {
  const patient = await connect({ replyTimeoutMs: 60_000 });
  const usual = await connect();
  const pending = patient.get('key');
  await expect(usual.get('key')).rejects.toThrow('Redis sent no response in 100 ms');
  await eventually('both commands', () => held.length === 2);
  for (const reply of held) reply();
  await expect(pending).resolves.toBe('key');
});
