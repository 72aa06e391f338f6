import { beforeEach } from '@jest/globals';
import { site } from './each-test-console.js';
import type { TestConsole } from './start-test-console.js';

/** The session of the installer's owner, in the console of the test that runs. */
export let cookie: string;

beforeEach(async () => {
  cookie = await site.signIn();
});

/** Sends a request in that session. */
export function send(method: Parameters<TestConsole['request']>[0], path: string, body?: object) {
  return site.request(method, path, { cookie, body });
}
