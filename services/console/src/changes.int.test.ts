import { describe, expect, test } from '@jest/globals';
import { createRecorder, type Recorder } from '@partner/test-kit/recorder';
import { get, type IncomingMessage } from 'node:http';
import { OWNER_CHECKED_EVERY_MS, SESSION_IDLE_MS } from './sessions/session-times.js';
import { ids, site } from './testing/each-test-console.js';
import { cookie } from './testing/signed-in-console.js';

const CHANGES = '/partner-api/changes';
const SESSION = '/partner-api/session';
const HEARTBEAT_MS = 15_000;

function addressOf(path: string): string {
  const address = site.server.address();
  if (address === null || typeof address === 'string') throw new Error('the console has no port');
  return `http://127.0.0.1:${address.port}${path}`;
}

interface OpenStream {
  readonly response: IncomingMessage;
  readonly texts: Recorder<string>;
  readonly ended: Promise<void>;
}

/** Opens a stream, and waits until it has started. */
async function open(of = cookie): Promise<OpenStream> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(addressOf(CHANGES), { headers: { cookie: of } }, resolve).on('error', reject);
  });
  const texts = createRecorder<string>();
  response.setEncoding('utf8').on('data', texts.record);
  const ended = new Promise<void>((resolve) => response.once('close', resolve));
  if (response.statusCode === 200) await texts.atLeast(1);
  return { response, texts, ended };
}

describe('a stream of changes', () => {
  test('is a stream of events that is neither cached nor buffered [CONSOLE-2]', async () => {
    const { response, texts } = await open();
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String),
    });
    expect(response.headers['content-length']).toBeUndefined();
    expect(texts.all()).toEqual(['retry: 3000\n\n']);
  });

  test('ends when its owner no longer owns the company', async () => {
    const stream = await open();
    await site.jobState.changeMember(ids.olive, { active: false });
    site.pass(OWNER_CHECKED_EVERY_MS);
    await expect(stream.ended).resolves.toBeUndefined();
  });

  test("does not reset the session's idle time, neither while it is open nor when it is opened [CONSOLE-2]", async () => {
    site.pass(SESSION_IDLE_MS - HEARTBEAT_MS);
    const stream = await open();
    const before = await site.request('get', '/partner-api/changes').set('cookie', 'none=1');
    expect(before.status).toBe(401);
    site.pass(HEARTBEAT_MS);
    await stream.ended;
    expect((await site.request('get', SESSION, { cookie })).status).toBe(401);
  });

  test('counts towards the 10 streams of its session', async () => {
    const streams: OpenStream[] = [];
    for (let n = 0; n < 10; n += 1) streams.push(await open());
    const refused = await site.request('get', CHANGES, { cookie }).expect(429);
    expect(refused.body).toMatchObject({ code: 'rate_limited' });
    expect(refused.get('retry-after')).toBe('15');
    expect((await open(await site.signIn())).response.statusCode).toBe(200);

    streams[0]?.response.destroy();
    await streams[0]?.ended;
    for (;;) {
      const again = await open();
      if (again.response.statusCode === 200) break;
    }
  });

  test('is logged once, not as a failure, when it is over', async () => {
    const stream = await open();
    stream.response.destroy();
    await stream.ended;
    for (;;) {
      const line = site
        .logged()
        .split('\n')
        .find((text) => text.includes(CHANGES) && text.includes('completed'));
      if (line !== undefined) {
        expect(JSON.parse(line)).not.toHaveProperty('aborted');
        break;
      }
      await new Promise(setImmediate);
    }
  });
});
