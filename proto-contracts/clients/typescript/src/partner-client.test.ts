import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type Receiver, startReceiver } from '@partner/test-kit/receiver';
import { delay } from './delay.js';
import { API_VERSION } from './gen/schema.js';
import { createPartnerClient, type PartnerClientOptions } from './partner-client.js';
import { ApiError, ConnectionError, PartnerError, VersionConflictError } from './partner-error.js';

type Respond = (response: ServerResponse) => void;

const LEAD = {
  fullName: 'Ada Quill',
  email: 'ada@example.com',
  phone: '+1 512 555 0100',
  address: '12 Elm St',
};
const STATUS = { status: 'EN_ROUTE', occurredAt: '2026-08-26T14:03:00Z', expectedVersion: 3 } as const;

const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Respond =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const created = json(201, { status: 'created', leadId: 'lead_1' });
const unavailable = json(503, { error: 'try later', code: 'unavailable', requestId: 'r-503' });
const broken: Respond = (response) => response.destroy();
const brokenInBody: Respond = (response) => {
  response.writeHead(201, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"status":', () => response.destroy());
};

let server: Receiver;
let script: Respond[] = [];
let waits: number[] = [];
let time = 0;

beforeEach(async () => {
  [script, waits, time] = [[], [], Date.parse('2026-08-26T14:00:00Z')];
  server = await startReceiver({ respond: (_request, response) => (script.shift() ?? created)(response) });
});
afterEach(() => server.close());

const keys = () => server.requests.map(({ headers }) => headers['idempotency-key']);

/** A client whose delays take no time, and whose jitter is its upper bound. */
function clientFor(options: Partial<PartnerClientOptions> = {}) {
  return createPartnerClient(
    { baseUrl: `http://127.0.0.1:${server.port}`, apiKey: 'key_a.secret', ...options },
    {
      now: () => time,
      random: () => 1,
      delay: async (ms) => {
        waits.push(ms);
        time += ms;
      },
    },
  );
}

/** The error of a call. */
async function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'no error',
    (error: unknown) => error,
  );
}

describe('a call', () => {
  test('resolves to the body, and pins the version of the types [CLIENT-1]', async () => {
    expect(await clientFor().POST('/inbound/leads', { body: LEAD })).toEqual({
      status: 'created',
      leadId: 'lead_1',
    });
    const headers = { 'x-api-key': 'key_a.secret', 'x-svc-api-version': API_VERSION };
    expect(server.requests).toMatchObject([{ method: 'POST', path: '/inbound/leads', headers }]);
  });

  test('of a write has one key and one body in all attempts, and the next write another key [CLIENT-1]', async () => {
    script = [unavailable, broken, brokenInBody];
    await clientFor().POST('/inbound/leads', { body: LEAD });
    await clientFor().POST('/inbound/leads', { body: LEAD });
    expect(server.requests.map(({ body }): unknown => JSON.parse(body.toString()))).toEqual(
      Array.from({ length: 5 }, () => LEAD),
    );
    const [first, ...others] = keys();
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(others.map((key) => key === first)).toEqual([true, true, true, false]);
  });

  test('keeps the key of its caller, and sends none with a read [CLIENT-1]', async () => {
    const client = clientFor();
    await client.POST('/inbound/leads', { body: LEAD, params: { header: { 'Idempotency-Key': 'mine' } } });
    script = [json(200, { jobs: [], hasMore: false })];
    await client.GET('/inbound/jobs');
    expect(keys()).toEqual(['mine', undefined]);
  });
});

describe('retries', () => {
  test.each([429, 502, 503, 504])('follow a %d [CLIENT-2]', async (status) => {
    script = [json(status, { error: 'later', code: 'x', requestId: 'r' })];
    await clientFor().POST('/inbound/leads', { body: LEAD });
    expect(server.requests).toHaveLength(2);
  });

  test('follow a 409 while an earlier attempt with the key is in flight [CLIENT-2]', async () => {
    script = [broken, json(409, { error: 'wait', code: 'idempotency_in_progress', requestId: 'r' })];
    await clientFor().POST('/inbound/leads', { body: LEAD });
    expect(new Set(keys()).size).toBe(1);
    expect(server.requests).toHaveLength(3);
  });

  test.each([400, 401, 403, 404, 409, 413, 422, 500, 501])(
    'do not follow a %d [CLIENT-2]',
    async (status) => {
      script = [json(status, { error: 'no', code: 'x', requestId: 'r' })];
      expect(await errorOf(clientFor().POST('/inbound/leads', { body: LEAD }))).toMatchObject({ status });
      expect(server.requests).toHaveLength(1);
    },
  );

  test('follow a broken connection and a body that breaks off [CLIENT-2]', async () => {
    script = [broken, brokenInBody];
    await clientFor().POST('/inbound/leads', { body: LEAD });
    expect(server.requests).toHaveLength(3);
  });

  test('wait with an exponential backoff and full jitter, for at most 5 attempts [CLIENT-2]', async () => {
    script = Array.from({ length: 9 }, () => unavailable);
    expect(await errorOf(clientFor().POST('/inbound/leads', { body: LEAD }))).toMatchObject({ status: 503 });
    expect(server.requests).toHaveLength(5);
    expect(waits).toEqual([500, 1_000, 2_000, 4_000]);
  });

  test.each([
    ['seconds', '7', 7_500],
    ['a date', 'Wed, 26 Aug 2026 14:00:09 GMT', 9_500],
    ['a past date', 'Wed, 26 Aug 2026 13:00:00 GMT', 500],
    ['a text', 'soon', 500],
  ])('wait for retry-after in %s and the jitter [CLIENT-2]', async (_form, value, wait) => {
    script = [json(429, { error: 'later', code: 'rate_limited', requestId: 'r' }, { 'retry-after': value })];
    await clientFor().POST('/inbound/leads', { body: LEAD });
    expect(waits).toEqual([wait]);
  });

  test('end at once if retry-after exceeds the total time [CLIENT-2]', async () => {
    script = [json(429, { error: 'later', code: 'rate_limited', requestId: 'r' }, { 'retry-after': '120' })];
    expect(await errorOf(clientFor().POST('/inbound/leads', { body: LEAD }))).toMatchObject({
      code: 'rate_limited',
    });
    expect({ waits, sent: server.requests.length }).toEqual({ waits: [], sent: 1 });
  });

  test('end with the time of an attempt, if the service does not respond [CLIENT-2]', async () => {
    script = [() => undefined, () => undefined];
    const client = clientFor({ retries: { attempts: 2, attemptMs: 20 } });
    expect(await errorOf(client.GET('/inbound/jobs'))).toBeInstanceOf(ConnectionError);
    expect(waits).toEqual([500]);
  });

  test('wait longer than a timer holds [CLIENT-2]', async () => {
    script = [
      json(429, { error: 'later', code: 'rate_limited', requestId: 'r' }, { 'retry-after': '2592000' }),
    ];
    const retries = { totalMs: Number.MAX_SAFE_INTEGER, attemptMs: Number.MAX_SAFE_INTEGER };
    await clientFor({ retries }).GET('/inbound/jobs');
    expect(waits).toEqual([2_592_000_500]);

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

  test('end with the abort of the caller [CLIENT-2]', async () => {
    const abort = new AbortController();
    script = [
      () => {
        abort.abort(new Error('enough'));
      },
    ];
    const failure = await errorOf(clientFor().GET('/inbound/jobs', { signal: abort.signal }));
    expect(String(failure)).toBe('Error: enough');
    expect(server.requests).toHaveLength(1);
  });
});

describe('a redirect', () => {
  const sent: string[] = [];
  let other: Receiver;
  beforeEach(async () => {
    sent.length = 0;
    other = await startReceiver({
      respond(request, response) {
        sent.push(request.path);
        created(response);
      },
    });
  });
  afterEach(() => other.close());

  test.each([300, 301, 302, 303, 305, 307, 308, 399])(
    '%d is a typed error: neither key nor body travels [CLIENT-13]',
    async (status) => {
      const location = `http://127.0.0.1:${other.port}/secret-path`;
      script = Array.from(
        { length: 2 },
        (): Respond => (response) => response.writeHead(status, { location }).end(),
      );
      for (const call of [
        () => clientFor().POST('/inbound/leads', { body: LEAD }),
        () => clientFor().GET('/inbound/jobs'),
      ]) {
        const failure = await errorOf(call());
        expect(failure).toBeInstanceOf(ApiError);
        expect(failure).toMatchObject({ status, code: 'unknown', retryable: false });
        expect(String(failure)).toContain(`redirects to http://127.0.0.1:${other.port},`);
      }
      expect(sent).toEqual([]);
    },
  );

  test.each([
    ['/elsewhere', 'another path'],
    ['?to=//other.example', 'another path'],
    ['//other.example:8443/secret-path', 'http://other.example:8443'],
    ['https:\\\\other.example', 'https://other.example'],
    ['mailto:a@other.example', 'an unknown place'],
    ['http://a:b', 'an unknown place'],
    [undefined, 'an unknown place'],
  ])('to %s is not followed either, and leads to %s [CLIENT-13]', async (location, place) => {
    script = [(response) => response.writeHead(307, location === undefined ? {} : { location }).end()];
    expect(String(await errorOf(clientFor().GET('/inbound/jobs')))).toContain(`redirects to ${place},`);
    expect(server.requests).toHaveLength(1);
  });

  test('that a browser hides is the same error [CLIENT-13]', async () => {
    const hidden = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' });
    const failure = await errorOf(clientFor({ fetch: async () => hidden }).GET('/inbound/jobs'));
    expect(failure).toMatchObject({ status: 302, retryable: false });
  });
});

describe('an error', () => {
  test.each([
    ...[408, 425, 429, 500, 502, 503, 504].map((status) => [status, 'x', true] as const),
    ...[400, 401, 403, 404, 413, 422].map((status) => [status, 'x', false] as const),
    ...(['idempotency_in_progress', 'replay_in_progress'] as const).map((code) => [409, code, true] as const),
    ...(['idempotency_mismatch', 'stale_version'] as const).map((code) => [409, code, false] as const),
  ])('of %d %s says whether another try can succeed [CLIENT-15]', async (status, code, retryable) => {
    script = Array.from({ length: 5 }, () =>
      json(status, { error: 'no', code, requestId: 'r', currentVersion: 5 }),
    );
    const failure = await errorOf(clientFor().POST('/inbound/leads', { body: LEAD }));
    expect(failure).toMatchObject({ status, code, retryable });
  });

  test('of a stale version is typed, with the current version and the key [CLIENT-3]', async () => {
    script = [json(409, { error: 'read again', code: 'stale_version', requestId: 'r-1', currentVersion: 5 })];
    const failure = await errorOf(
      clientFor().POST('/partner/v1/jobs/{id}/status-events', {
        params: { path: { id: 'job_1' } },
        body: STATUS,
      }),
    );
    expect(failure).toBeInstanceOf(VersionConflictError);
    expect(failure).toMatchObject({
      currentVersion: 5,
      code: 'stale_version',
      requestId: 'r-1',
      idempotencyKey: keys()[0],
      message: '409 stale_version: read again',
    });
  });

  test('of a refusal has status, code, request id, violations and the other fields [CLIENT-3]', async () => {
    const details = [{ path: 'email', message: 'must be an email address' }];
    script = [
      json(400, { error: 'email must be …', code: 'invalid_argument', requestId: 'r-2', details }),
      json(422, { error: 'no', code: 'transition_not_allowed', requestId: 'r-3', allowed: ['BLOCKED'] }),
    ];
    const invalid = await errorOf(clientFor().POST('/inbound/leads', { body: LEAD }));
    expect(invalid).toBeInstanceOf(ApiError);
    expect(invalid).toMatchObject({
      status: 400,
      code: 'invalid_argument',
      requestId: 'r-2',
      violations: details,
    });
    expect(await errorOf(clientFor().GET('/inbound/jobs'))).toMatchObject({ body: { allowed: ['BLOCKED'] } });
  });

  test('of a proxy has the status and the code unknown [CLIENT-3]', async () => {
    script = [(response) => response.writeHead(404, { 'x-request-id': 'r-4' }).end('<html>')];
    expect(await errorOf(clientFor().GET('/inbound/jobs'))).toMatchObject({
      ...{ status: 404, code: 'unknown', requestId: 'r-4', body: undefined, violations: [] },
    });
  });

  test('of a success that is not JSON has the key [CLIENT-3]', async () => {
    for (const body of ['<html>', 'null', '']) {
      script = [(response) => response.writeHead(200).end(body)];
      const failure = await errorOf(clientFor().POST('/inbound/leads', { body: LEAD }));
      expect(failure).toBeInstanceOf(PartnerError);
      expect(failure).toMatchObject({ idempotencyKey: keys().at(-1), retryable: true });
    }
  });

  test('without a response has the key and the cause [CLIENT-3]', async () => {
    script = Array.from({ length: 5 }, () => broken);
    const failure = await errorOf(clientFor().POST('/inbound/leads', { body: LEAD }));
    expect(failure).toBeInstanceOf(ConnectionError);
    expect(failure).toBeInstanceOf(PartnerError);
    expect(failure).toMatchObject({
      ...{ idempotencyKey: keys()[0], retryable: true, cause: { message: 'fetch failed' } },
    });
  });
});
