import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@partner/test-kit/backing-services/local-process';
import { startRedis, withRedis } from '@partner/test-kit/backing-services/redis';

const USERS = path.join(import.meta.dirname, '../../../../charts/job-state/files/redis-users.txt');

/** A private Redis with the users that the charts ship. */
export interface RedisWithUsers {
  /** The URL as one of the users; as the default user without one. */
  urlOf(user?: string): string;
  /** Returns the names of the users, without the default user. */
  readonly users: readonly string[];
  stop(): Promise<void>;
}

/** Starts Redis, and creates the users as an administrator would. */
export async function startRedisWithUsers(): Promise<RedisWithUsers> {
  const directory = mkdtempSync(path.join(tmpdir(), 'partner-redis-'));
  const password = randomBytes(12).toString('hex');
  const server = await startRedis({ directory, port: await freePort() });
  const users: string[] = [];
  await withRedis(server.url, async (client) => {
    for (const line of readFileSync(USERS, 'utf8').trim().split('\n')) {
      const [, , user = '', ...rules] = line.split(' ');
      users.push(user);
      await client.acl('SETUSER', user, ...rules);
      await client.acl('SETUSER', user, `>${password}`);
    }
  });
  return {
    urlOf(user) {
      const url = new URL(server.url);
      if (user !== undefined) {
        url.username = user;
        url.password = password;
      }
      return url.href;
    },
    users,
    async stop() {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
