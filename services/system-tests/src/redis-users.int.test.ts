import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { withRedis } from '@partner/test-kit/backing-services/redis';
import { type RedisWithUsers, startRedisWithUsers } from './support/redis-with-users.js';

const SESSION = 'partner:session:x';

let redis: RedisWithUsers;

beforeAll(async () => {
  redis = await startRedisWithUsers();
});

afterAll(() => redis.stop());

/** Commands that each user is refused; the first argument of most is a key. */
const FOREIGN_TO_GATEWAYS = [
  ['eval', `return redis.call('del', KEYS[1])`, '1', SESSION],
  ['eval', `return redis.call('pexpire', '${SESSION}', 1)`, '0'],
  ['del', SESSION],
  ['pexpire', SESSION, '1'],
  ['hget', SESSION, 'owner'],
  ['hgetall', SESSION],
  ['hset', SESSION, 'confirmedUntil', '1'],
  ['del', 'partner:sessions-of:mem_1'],
  ['zrem', 'partner:sessions-of:mem_1', 'x'],
  ['del', 'partner:login-failures:account:x'],
  ['del', 'partner:rate:{console:x}'],
];
const FOREIGN_TO_ALL = [
  ['keys', '*'],
  ['scan', '0'],
  ['dump', SESSION],
  ['restore', SESSION, '0', 'x'],
  ['rename', SESSION, 'partner:rate:{probe}'],
  ['copy', SESSION, 'partner:rate:{probe}'],
  ['flushall'],
  ['config', 'get', '*'],
  ['acl', 'setuser', 'default', 'off'],
  ['monitor'],
  ['publish', 'x', 'y'],
  ['del', 'another:session:x'],
];
const FOREIGN: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'partner-inbound-gateway': [
    ...FOREIGN_TO_ALL,
    ...FOREIGN_TO_GATEWAYS,
    ['del', 'partner:rate:{installer:cmp_1}'],
  ],
  'partner-installer-gateway': [
    ...FOREIGN_TO_ALL,
    ...FOREIGN_TO_GATEWAYS,
    ['del', 'partner:rate:{inbound:cmp_1}'],
  ],
  'partner-console': [...FOREIGN_TO_ALL, ['del', 'partner:faults:{x}']],
};

test('every user of Redis is tried', () => {
  expect([...redis.users].sort()).toEqual(Object.keys(FOREIGN).sort());
});

describe.each(Object.entries(FOREIGN))('%s', (user, commands) => {
  test.each(commands)('may not %s %s [TENANT-5]', async (command, ...args) => {
    await withRedis(redis.urlOf(user), async (client) => {
      await expect(client.call(command, ...args)).rejects.toThrow(/NOPERM|user executing the script can't/);
    });
  });
});

test.each(['inbound-gateway', 'installer-gateway'])(
  '%s counts the requests of a fault script',
  async (name) => {
    await withRedis(redis.urlOf(`partner-${name}`), async (client) => {
      const key = `partner:faults:{${name}}`;
      const results = await client.multi().incr(key).pexpire(key, 1_000).exec();
      expect(results).toEqual([
        [null, 1],
        [null, 1],
      ]);
    });
  },
);
