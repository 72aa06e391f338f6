import { expect, jest, test } from '@jest/globals';
import { delay } from './delay.js';
import { createPartnerClient, type PartnerClientOptions } from './partner-client.js';

/** What holds for the client of each language is in `client-calls.int.test.ts`. */
const clientFor = (fetch: PartnerClientOptions['fetch'] & object) =>
  createPartnerClient({ baseUrl: 'https://api.partner.example', apiKey: 'key_a.secret', fetch });

test('a delay can be longer than a timer holds [CLIENT-2]', async () => {
  jest.useFakeTimers();
  try {
    let isOver = false;
    void delay(2_592_000_000).then(() => {
      isOver = true;
    });
    await jest.advanceTimersByTimeAsync(2_591_999_999);
    expect(isOver).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(isOver).toBe(true);
  } finally {
    jest.useRealTimers();
  }
});

test('a call ends with the abort of the caller, and is not sent again [CLIENT-2]', async () => {
  const abort = new AbortController();
  let sent = 0;
  const client = clientFor(async ({ signal }) => {
    sent += 1;
    abort.abort(new Error('enough'));
    signal.throwIfAborted();
    return Response.json({ jobs: [], hasMore: false });
  });
  await expect(client.GET('/inbound/jobs', { signal: abort.signal })).rejects.toThrow('enough');
  expect(sent).toBe(1);
});

test('a redirect that a browser hides is an error that no other try avoids [CLIENT-13]', async () => {
  const hidden = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' });
  const call = clientFor(async () => hidden).GET('/inbound/jobs');
  await expect(call).rejects.toMatchObject({ status: 302, retryable: false });
});
