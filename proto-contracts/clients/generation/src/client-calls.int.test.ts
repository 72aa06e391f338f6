import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CURRENT_API_VERSION } from '@partner/proto-contracts/api/versions';
import { startReceiver } from '@partner/test-kit/receiver';
import { API_KEY, type Asked, LEAD, startClients, type Use } from './testing/driven-client.js';
import { json, raw, refusal, type Respond, scriptedService, times } from './testing/scripted-service.js';

const service = scriptedService();
const { clients, stop } = await startClients();
afterAll(stop);

const redirect = (status: number, location?: string) =>
  raw(status, '', location === undefined ? {} : { location });
const broken: Respond = (response) => response.destroy();
const brokenInBody: Respond = (response) => {
  response.writeHead(201, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"status":', () => response.destroy());
};
const CREATED = { status: 'created', leadId: 'lead_1', projectId: 'prj_1' };
const keys = () => service.requests.map(({ headers }) => headers['idempotency-key']);

beforeEach(() => {
  service.otherwise = json(201, CREATED);
});

describe.each(clients)('a call by the client of $name', ({ use }) => {
  const used = (what: Asked) => use({ ...what, url: service.url });
  type Call = Extract<Use, { readonly do: 'call' }>;
  const call = (more: Partial<Call> = {}) => used({ do: 'call', operation: 'createLead', ...more });
  /** Calls a service with these responses, and returns the error. */
  const errorOf = async (responses: readonly Respond[], more?: Partial<Call>) => {
    service.script = [...responses];
    return (await call(more)).error;
  };

  test('resolves to the body, and pins the version of its types [CLIENT-1]', async () => {
    expect((await call()).value).toEqual(CREATED);
    const headers = { 'x-api-key': API_KEY, 'x-svc-api-version': CURRENT_API_VERSION };
    expect(service.requests).toMatchObject([{ method: 'POST', path: '/inbound/leads', headers }]);
    service.otherwise = raw(201, gzipSync(JSON.stringify(CREATED)), {
      ...{ 'content-type': 'application/json', 'content-encoding': 'gzip' },
    });
    expect((await call()).value).toEqual(CREATED);
  });

  test('has one key and one body in all attempts of a write, and another key in the next write [CLIENT-1]', async () => {
    service.script = [refusal(503), broken, brokenInBody];
    await call();
    await call();
    expect(service.requests.map(({ body }): unknown => JSON.parse(body.toString()))).toEqual(times(5, LEAD));
    const [first, ...others] = keys();
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(others.map((key) => key === first)).toEqual([true, true, true, false]);
  });

  test('keeps the key of its caller, and sends none with a read [CLIENT-1]', async () => {
    await call({ key: 'mine' });
    service.script = [json(200, { jobs: [], hasMore: false })];
    await call({ operation: 'listContractorJobs' });
    expect(keys()).toEqual(['mine', undefined]);
  });

  test('retries what may pass, and nothing else [CLIENT-2]', async () => {
    const sent = async (respond: Respond) => {
      service.script = [respond];
      const before = service.requests.length;
      await call();
      return service.requests.length - before;
    };
    const passing = [429, 502, 503, 504].map((status) => refusal(status));
    for (const respond of [...passing, broken, brokenInBody]) expect(await sent(respond)).toBe(2);
    for (const status of [400, 401, 403, 404, 409, 413, 422, 500, 501])
      expect([status, await sent(refusal(status))]).toEqual([status, 1]);
  });

  test('retries with its key while an earlier attempt with it is in flight [CLIENT-2]', async () => {
    service.script = [broken, refusal(409, 'idempotency_in_progress')];
    expect((await call()).value).toEqual(CREATED);
    expect([keys().length, new Set(keys()).size]).toEqual([3, 1]);
  });

  test('backs off exponentially with full jitter, for at most 5 attempts [CLIENT-2]', async () => {
    service.otherwise = refusal(503);
    expect(await call()).toMatchObject({ error: { status: 503 }, waits: [500, 1_000, 2_000, 4_000] });
    expect(service.requests).toHaveLength(5);
  });

  test.each([
    ['seconds', '7', 7_500],
    ['a date', 'Wed, 26 Aug 2026 14:00:09 GMT', 9_500],
    ['a past date', 'Wed, 26 Aug 2026 13:00:00 GMT', 500],
    ['a text', 'soon', 500],
    ['more than a timer holds', '2592000', 2_592_000_500],
  ])('waits for retry-after in %s, and the jitter [CLIENT-2]', async (_form, value, wait) => {
    service.script = [refusal(429, 'rate_limited', {}, { 'retry-after': value })];
    expect((await call({ retries: { totalMs: 1e15, attemptMs: 1e15 } })).waits).toEqual([wait]);
  });

  test('ends at once if retry-after exceeds the total time [CLIENT-2]', async () => {
    service.script = [refusal(429, 'rate_limited', {}, { 'retry-after': '120' })];
    expect(await call()).toMatchObject({ error: { code: 'rate_limited' }, waits: [] });
    expect(service.requests).toHaveLength(1);
  });

  test('ends an attempt after its time, if the service does not respond [CLIENT-2]', async () => {
    service.script = times(2, () => undefined);
    const silent = await call({ retries: { attempts: 2, attemptMs: 50 } });
    expect(silent).toMatchObject({ error: { type: 'ConnectionError' }, waits: [500] });
  });

  test('follows no redirect: neither key nor body travels, and the error names the origin alone [CLIENT-13]', async () => {
    const other = await startReceiver({});
    const location = `http://127.0.0.1:${other.port}/secret-path`;
    for (const status of [300, 301, 302, 303, 305, 307, 308, 399])
      for (const operation of ['createLead', 'listContractorJobs'] as const) {
        const error = await errorOf([redirect(status, location)], { operation });
        expect(error).toMatchObject({ type: 'ApiError', status, code: 'unknown', retryable: false });
        expect(error?.message).toContain(`redirects to http://127.0.0.1:${other.port},`);
      }
    expect(other.requests).toEqual([]);
    await other.close();
  });

  test.each([
    ['/elsewhere', 'another path'],
    ['?to=//other.example', 'another path'],
    ['//other.example:8443/secret-path', 'http://other.example:8443'],
    ['https:\\\\other.example', 'https://other.example'],
    ['/\\other.example/x', 'http://other.example'],
    ['mailto:a@other.example', 'an unknown location'],
    ['http://a:b', 'an unknown location'],
    [undefined, 'an unknown location'],
  ])('does not follow a redirect to %s, which leads to %s [CLIENT-13]', async (location, place) => {
    const error = await errorOf([redirect(307, location)]);
    expect(error?.message).toContain(`redirects to ${place},`);
    expect(service.requests).toHaveLength(1);
  });

  test('says of each error whether another try can succeed [CLIENT-15]', async () => {
    for (const [status, code, retryable] of [
      ...[408, 425, 429, 500, 502, 503, 504].map((passing) => [passing, 'x', true] as const),
      ...[400, 401, 403, 404, 413, 422].map((final) => [final, 'x', false] as const),
      ...['idempotency_in_progress', 'replay_in_progress'].map((inFlight) => [409, inFlight, true] as const),
      ...['idempotency_mismatch', 'stale_version'].map((conflict) => [409, conflict, false] as const),
    ])
      expect(await errorOf(times(5, refusal(status, code, { currentVersion: 5 })))).toMatchObject({
        ...{ status, code, retryable },
      });
  });

  test('has a typed error for a stale version, with the current version and the key [CLIENT-3]', async () => {
    const stale = refusal(409, 'stale_version', { currentVersion: 5 });
    expect(await errorOf([stale], { operation: 'recordStatusEvent' })).toMatchObject({
      ...{ type: 'VersionConflictError', currentVersion: 5, code: 'stale_version', requestId: 'r-1' },
      ...{ idempotencyKey: keys()[0], message: '409 stale_version: no' },
    });
  });

  test('has status, code, request id, violations and the other fields of a refusal [CLIENT-3]', async () => {
    const violations = [{ path: 'email', message: 'must be an email address' }];
    expect(await errorOf([refusal(400, 'invalid_argument', { details: violations })])).toMatchObject({
      ...{ type: 'ApiError', status: 400, code: 'invalid_argument', requestId: 'r-1', violations },
    });
    const refused = refusal(422, 'transition_not_allowed', { allowed: ['BLOCKED'] });
    expect(await errorOf([refused])).toMatchObject({ allowed: ['BLOCKED'] });
  });

  test('has the status and the code unknown of a response of a proxy, and a refusal of any form [CLIENT-3]', async () => {
    expect(await errorOf([raw(404, '<html>', { 'x-request-id': 'r-4' })])).toMatchObject({
      ...{ type: 'ApiError', status: 404, code: 'unknown', requestId: 'r-4', violations: [] },
    });
    for (const text of [
      '{"error":1,"code":[],"requestId":{},"details":[1,{}]}',
      '{"error":"","code":"","details":7}',
      '['.repeat(100_000),
      '{"error":"","code":"stale_version","currentVersion":"5"}',
    ])
      expect(await errorOf([raw(409, text)])).toMatchObject({ status: 409 });
  });

  test('has the key of a success that is not one of the API, and of a call without a response [CLIENT-3]', async () => {
    for (const [respond, type] of [
      [raw(201, '<html>'), 'PartnerError'],
      [raw(201, ''), 'PartnerError'],
      [raw(201, 'not gzip', { 'content-encoding': 'gzip' }), 'ConnectionError'],
      [broken, 'ConnectionError'],
    ] as const) {
      const error = await errorOf(times(5, respond));
      expect(error).toMatchObject({ type, retryable: true, idempotencyKey: keys().at(-1) });
      service.script = [];
    }
  });
});
