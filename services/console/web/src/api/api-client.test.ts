import { describe, expect, test } from '@jest/globals';
import { ERROR_REASON_CATALOGUE } from '@partner/proto-contracts/api/error-reasons';
import { ApiError, createApiClient, messageOf, violationsByField } from './api-client.js';

const ROUTES: Readonly<Record<string, string>> = {
  getWebhook: 'GET /webhooks/:id',
  listDeliveries: 'GET /webhooks/:id/deliveries',
  createSession: 'POST /session',
  deleteWebhook: 'DELETE /webhooks/:id',
  createWebhook: 'POST /webhooks',
};

const params = { id: 'whk_1' };
const body = { url: 'https://a.example', events: [] };

function refusal(status: number, code: string): Response {
  return Response.json({ error: `it is ${code}`, code, requestId: 'req-1' }, { status });
}

/** A client with prepared responses, in order, that records its requests. */
function clientWith(responses: readonly (Response | Error)[], confirms = true) {
  const sent: { url: string; init: RequestInit }[] = [];
  const calls = { signedOut: 0, asked: 0 };
  const left = [...responses];
  const client = createApiClient({
    routeOf: (id) => ROUTES[id] ?? '',
    fetch: async (url, init) => {
      sent.push({ url, init });
      const next = left.shift() ?? new Error('nothing more is expected');
      if (next instanceof Error) throw next;
      return next;
    },
    onSignedOut: () => {
      calls.signedOut += 1;
    },
    confirmPassword: async () => {
      calls.asked += 1;
      return confirms;
    },
  });
  return { client, sent, calls };
}

async function failure(promise: Promise<unknown>): Promise<ApiError> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof ApiError) return thrown;
  throw new Error('an ApiError is expected');
}

test('calls an operation with its parameters, escaped, and the query parameters that have a value', async () => {
  const { client, sent } = clientWith([Response.json({ deliveries: [], nextCursor: null })]);
  const query = { limit: 5, cursor: undefined };

  await expect(client.call('listDeliveries', { params: { id: 'whk/1' }, query })).resolves.toEqual({
    deliveries: [],
    nextCursor: null,
  });
  expect(sent).toEqual([
    {
      url: '/partner-api/webhooks/whk%2F1/deliveries?limit=5',
      init: { method: 'GET', credentials: 'same-origin' },
    },
  ]);
});

test('sends a body as JSON, and accepts a response without a body', async () => {
  const { client, sent } = clientWith([
    Response.json({}, { status: 201 }),
    new Response(null, { status: 204 }),
  ]);
  await client.call('createWebhook', { body });
  await expect(client.call('deleteWebhook', { params })).resolves.toBeNull();
  expect(sent.map(({ init }) => init.headers)).toEqual([{ 'content-type': 'application/json' }, undefined]);
});

test('an error has its message, request id and violations', async () => {
  const details = [{ path: 'body.url', message: 'must use port 443' }];
  const { client } = clientWith([
    Response.json(
      { error: 'url: must use port 443', code: 'invalid_argument', requestId: 'req-2', details },
      { status: 400 },
    ),
  ]);
  const error = await failure(client.call('createWebhook', { body }));

  expect(error).toMatchObject({ status: 400, code: 'invalid_argument', requestId: 'req-2', details });
  expect(messageOf(error)).toBe('The URL must use port 443.');
  expect(violationsByField(error)).toEqual({ url: 'must use port 443' });
});

test.each([
  ['30', 'Retry in 30 seconds.'],
  ['601', 'Retry in 11 minutes.'],
  [undefined, 'Retry in a minute.'],
])('a limited request says when to retry: %s', async (after, sentence) => {
  const init = { status: 429, headers: after === undefined ? {} : { 'retry-after': after } };
  const response = Response.json({ error: 'slow down', code: 'rate_limited', requestId: 'r-1' }, init);
  const error = await failure(clientWith([response], false).client.call('getWebhook', { params }));
  expect(messageOf(error)).toBe(`Too many attempts. ${sentence}`);
});

test.each(Object.keys(ERROR_REASON_CATALOGUE))('%s has a sentence that is not the API’s', async (code) => {
  const text = 'the work of `a` is unknown; retry with the same Idempotency-Key';
  const response = Response.json({ error: text, code, requestId: 'r-1' }, { status: 409 });
  const error = await failure(clientWith([response], false).client.call('getWebhook', { params }));
  expect(messageOf(error)).toMatch(/^[A-Z][^`]+\.$/);
  expect(messageOf(error)).not.toMatch(/Idempotency/);
  expect(error.text).toBe('the work of a is unknown');
});

test.each([
  [
    'text',
    new Response('<p>', { headers: { 'x-request-id': 'req-7' } }),
    { code: 'not_understood', requestId: 'req-7' },
  ],
  [
    'an error page of a proxy',
    new Response('<h1>Bad gateway</h1>', { status: 502 }),
    { status: 502, code: 'not_understood' },
  ],
  ['no response', new TypeError('failed to fetch'), { status: 0, code: 'no_response' }],
])('%s is an error, and does not sign out', async (_what, response, error) => {
  const { client, calls } = clientWith([response]);
  await expect(failure(client.call('getWebhook', { params }))).resolves.toMatchObject(error);
  expect(calls.signedOut).toBe(0);
});

test('the end of a session is reported, but not a wrong password at sign-in', async () => {
  const { client, calls } = clientWith([refusal(401, 'unauthenticated'), refusal(401, 'unauthenticated')]);
  await failure(client.call('createSession', { body: { email: 'a@b.example', password: 'wrong' } }));
  expect(calls.signedOut).toBe(0);
  await failure(client.call('getWebhook', { params }));
  expect(calls.signedOut).toBe(1);
});

describe('a request that needs the password again', () => {
  test('is sent again once it was entered', async () => {
    const { client, sent, calls } = clientWith([
      refusal(403, 'confirmation_required'),
      Response.json({ id: 'whk_1' }),
    ]);
    await expect(client.call('createWebhook', { body })).resolves.toEqual({ id: 'whk_1' });
    expect(calls.asked).toBe(1);
    expect(sent).toHaveLength(2);
    expect(sent[1]).toEqual(sent[0]);
  });

  test('is not sent again if the dialog was cancelled, and at most twice', async () => {
    const refused = () => refusal(403, 'confirmation_required');
    for (const confirms of [false, true]) {
      const { client, sent, calls } = clientWith([refused(), refused()], confirms);
      const error = await failure(client.call('createWebhook', { body }));
      expect(error.code).toBe('confirmation_required');
      expect([sent.length, calls.asked]).toEqual([confirms ? 2 : 1, 1]);
    }
  });
});
