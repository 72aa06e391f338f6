import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { jobResponse } from '@partner/proto-contracts/resources/job/job';
import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import { createApiKey } from '@partner/kernel/api-key';
import { newId } from '@partner/kernel/ids';
import type { HttpResponse } from '@partner/test-kit/http-call';
import { addCompany, addKey } from './support/companies.js';
import { FIELD_CASES, type FieldCase } from './surfaces/field-cases.js';
import {
  expectError,
  expectSuccess as expectSuccessAt,
  send as sendTo,
  type WireRequest,
} from './surfaces/send.js';
import {
  isOnJob,
  kindFor,
  operationOf,
  SURFACE_OPERATIONS,
  verdictsOn,
} from './surfaces/surface-operations.js';
import { createSurfaceSide, type SurfaceSide } from './surfaces/surface-side.js';
import { readJob, type ValidRequest, validRequest } from './surfaces/valid-request.js';
import { watchRedis } from './surfaces/watch-redis.js';
import { startTestStack, type TestStack } from './support/test-stack.js';

const WITH_BODY = SURFACE_OPERATIONS.filter(({ body }) => body !== undefined);
const WITH_KEY_HEADER = SURFACE_OPERATIONS.filter(({ idempotencyKey }) => idempotencyKey !== undefined);
const INSTALLER_WRITES = WITH_KEY_HEADER.filter(({ path }) => path.startsWith('/partner/v1/'));
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const MEGABYTE = 1_048_576;
const DAY_MS = 86_400_000;

let stack: TestStack;
/** Two sides that have nothing to do with each other. */
let own: SurfaceSide;
let other: SurfaceSide;

beforeAll(async () => {
  stack = await startTestStack({});
  own = await createSurfaceSide(stack);
  other = await createSurfaceSide(stack);
});

afterAll(async () => {
  await stack.stop();
});

const send = (request: WireRequest) => sendTo(stack.baseUrl, request);
const expectSuccess = (request: WireRequest) => expectSuccessAt(stack.baseUrl, request);
const valid = (operation: AnyOperation, side = own) => validRequest(stack, side, operation);
const withHeader = (request: ValidRequest, name: string, value: string): ValidRequest => ({
  ...request,
  headers: { ...request.headers, [name]: value },
});
const withBody = (request: ValidRequest, fields: Readonly<Record<string, unknown>>): ValidRequest => ({
  ...request,
  json: { ...request.json, ...fields },
});
const onJob = (request: ValidRequest, jobId: string): ValidRequest => ({
  ...request,
  path: request.path.replace(own.jobId, jobId),
});
const get = (path: string, key: string) => send({ method: 'GET', path, headers: { 'x-api-key': key } });

/** The same request with input that cannot be valid, whatever the operation takes. */
function spoilt(operation: AnyOperation, request: ValidRequest): WireRequest {
  const { json: _json, ...rest } = request;
  if (operation.body !== undefined) {
    return {
      ...rest,
      headers: { ...rest.headers, 'content-type': 'application/json' },
      bytes: new TextEncoder().encode('{'),
    };
  }
  if (operation.query !== undefined) return { ...rest, path: `${rest.path}?take=0&limit=0` };
  return { ...rest, headers: { ...rest.headers, 'x-svc-api-version': '1999-01-01' } };
}

describe('every operation', () => {
  test.each(SURFACE_OPERATIONS)(
    '$id answers a valid request as its contract says, and ignores unknown fields [HTTP-2, HTTP-16, SERVICE-1, VERSION-2]',
    async (operation) => {
      const request = await valid(operation);
      const unknown =
        operation.body === undefined ? request : withBody(request, { companyId: 'x', extra: 1 });
      const answer = await expectSuccess({ ...unknown, path: `${request.path}?unknown=1` });
      const { schema } = operation.responses[answer.status] ?? {};
      expect(schema?.parse(answer.json)).toEqual(answer.json);
    },
  );

  test.each(SURFACE_OPERATIONS)(
    '$id gives 401 to everything that is no valid key of its surface: the fault that the key itself shows, else always the same words [AUTH-1, AUTH-4, AUTH-12, ERROR-4]',
    async (operation) => {
      const request = await valid(operation);
      const kind = kindFor(operation);
      const holder = {
        companyId: kind === 'installer-company' ? own.installerId : own.sellerId,
        kind,
        boundCompanyId: own.installerId,
      };
      const goodKey = own.keys[kind];
      const [keyId = ''] = goodKey.split('.');
      const [, foreignSecret = ''] = createApiKey('sandbox').text.split('.');
      const wrong = [
        [undefined, 'x-api-key: is required'],
        ['', 'x-api-key: is required'],
        ['key', 'x-api-key: must be one key that reads <keyId>.<secret>'],
        [goodKey.replace('.', ''), 'x-api-key: must be one key that reads <keyId>.<secret>'],
        [goodKey.slice(0, -1), 'x-api-key: has a secret that is incomplete or changed'],
        [`${goodKey}x`, 'x-api-key: has a secret that is incomplete or changed'],
        [
          await addKey(stack, { ...holder, environment: 'production' }),
          'x-api-key: is a key of the production',
        ],
      ] as const;
      const unknown = [
        createApiKey('sandbox').text,
        `${keyId}.${foreignSecret}`,
        await addKey(stack, { ...holder, revoked: true }),
        await addKey(stack, { ...holder, expired: true }),
        own.keys[kind === 'installer-company' ? 'general' : 'installer-company'],
      ];
      const refusalOf = async (key: string | undefined) => {
        const { 'x-api-key': _key, ...headers } = request.headers;
        const sent = { ...request, headers: key === undefined ? headers : { ...headers, 'x-api-key': key } };
        const answer = await send(sent);
        expect(answer.headers.get('www-authenticate')).toMatch(/^ApiKey realm="(inbound|installer)"$/);
        return expectError(answer, 401, 'unauthenticated').error;
      };
      for (const [key, fault] of wrong) expect(await refusalOf(key)).toContain(fault);
      const messages: string[] = [];
      for (const key of unknown) messages.push(await refusalOf(key));
      expect(new Set(messages).size).toBe(1);
      await expectSuccess(withHeader(request, 'x-api-key', await addKey(stack, holder)));
    },
  );

  test.each(SURFACE_OPERATIONS)(
    '$id takes the kinds of keys that have its scope, gives 403 to the others of its surface and 401 to those of the other [AUTH-3, AUTH-5, AUTH-8, ERROR-5, HTTP-4]',
    async (operation) => {
      for (const [kind, verdict] of verdictsOn(operation)) {
        const request = withHeader(await valid(operation), 'x-api-key', own.keys[kind]);
        if (verdict === 200) {
          await expectSuccess(request);
          continue;
        }
        const code = verdict === 401 ? 'unauthenticated' : 'permission_denied';
        const { error } = expectError(await send(request), verdict, code);
        expect(error).toMatch(
          verdict === 401
            ? /^x-api-key: /
            : /^x-api-key: this key lacks the scope \S+; keys of kind \S+ have it$/,
        );
      }
    },
  );

  test.each(SURFACE_OPERATIONS)(
    '$id is refused for the first fault in the order 401, 403, 400, 404 [HTTP-5]',
    async (operation) => {
      const request = onJob(await valid(operation), newId('job'));
      const wrong = spoilt(operation, request);
      const as = (key: string): WireRequest => ({
        ...wrong,
        headers: { ...wrong.headers, 'x-api-key': key },
      });
      expectError(await send(as('nobody')), 401, 'unauthenticated');
      for (const [kind, verdict] of verdictsOn(operation)) {
        if (verdict === 403) expectError(await send(as(own.keys[kind])), 403, 'permission_denied');
      }
      // What has neither parameters nor body nor a version cannot be wrong.
      const isVersioned = operation.path.startsWith('/partner/v1/');
      if (operation.body !== undefined || operation.query !== undefined || isVersioned) {
        expectError(await send(wrong), 400, 'invalid_argument');
      }
      if (isOnJob(operation)) expectError(await send(request), 404, 'not_found');
    },
  );

  test.each(SURFACE_OPERATIONS)(
    '$id says the request id of its caller when it has the right form, else a new one [ERROR-1, ERROR-2, HTTP-8]',
    async (operation) => {
      const request = await valid(operation);
      const unknown = withHeader(request, 'x-api-key', 'nobody');
      const id = 'A-z.0_9:x'.padEnd(128, 'x');
      expect((await send(withHeader(unknown, 'x-request-id', id))).headers.get('x-request-id')).toBe(id);
      for (const wrong of ['a b', 'a/b', 'x'.repeat(129)]) {
        const answer = await send(withHeader(unknown, 'x-request-id', wrong));
        expect(answer.headers.get('x-request-id')).toMatch(UUID_V7);
      }
      expect((await expectSuccess(withHeader(request, 'x-request-id', id))).headers.get('x-request-id')).toBe(
        id,
      );
    },
  );

  test.each(SURFACE_OPERATIONS)(
    '$id shares its path with no other method than those that the path is known for [HTTP-16]',
    async ({ path }) => {
      const known = SURFACE_OPERATIONS.filter((operation) => operation.path === path).flatMap(({ method }) =>
        method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()],
      );
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
        (name) => !known.includes(name),
      )) {
        const answer = await send({ method, path: path.replace(':id', own.jobId) });
        expectError(answer, 405, 'method_not_allowed');
        expect(answer.headers.get('allow')?.split(', ').sort()).toEqual([...known].sort());
      }
    },
  );

  test.each(WITH_BODY)(
    '$id takes a body of 1 MB and gives 413 to one byte more [HTTP-16, LIMIT-5]',
    async (operation) => {
      const request = withHeader(await valid(operation), 'connection', 'close');
      const { json, ...rest } = request;
      const length = JSON.stringify({ ...json, padding: '' }).length;
      const sized = (bytes: number) => ({ ...rest, json: { ...json, padding: 'x'.repeat(bytes - length) } });
      // Asked directly: a proxy may give up a request whose answer comes before its body has been sent.
      const gateway = operation.path.startsWith('/inbound/') ? 'inbound-gateway' : 'installer-gateway';
      const { url = '' } = stack.stack.description.services[gateway] ?? {};
      expectError(await sendTo(url, sized(MEGABYTE + 1)), 413, 'payload_too_large');
      await expectSuccessAt(url, sized(MEGABYTE));
    },
  );

  test.each(WITH_BODY)(
    '$id gives 400 to what is not a JSON object of its content type [ERROR-1, ERROR-3, HTTP-2, HTTP-16]',
    async (operation) => {
      const { json, ...rest } = await valid(operation);
      const bodies: readonly (readonly [string | undefined, string])[] = [
        ['application/json', '{"a":'],
        ['application/json', '[]'],
        ['application/json', '"text"'],
        ['application/json', 'null'],
        ['application/json', ''],
        ['text/plain', JSON.stringify(json)],
        ['application/x-www-form-urlencoded', 'a=1'],
        [undefined, JSON.stringify(json)],
      ];
      for (const [type, text] of bodies) {
        const headers = { ...rest.headers, ...(type === undefined ? {} : { 'content-type': type }) };
        const answer = await send({ ...rest, headers, bytes: new TextEncoder().encode(text) });
        expect(expectError(answer, 400, 'invalid_argument').error).toMatch(
          /^(body|content-type): must|required/,
        );
      }
      await expectSuccess({ ...rest, json });
    },
  );

  test.each(SURFACE_OPERATIONS.filter(isOnJob))(
    '$id gives 404 to a job of another company in the same words as to an unknown one, and leaves it as it is [AUTH-8, CONTRACTOR-4, ERROR-6, JOB-2]',
    async (operation) => {
      const before = await readJob(stack, other.jobId);
      const messages: string[] = [];
      for (const jobId of [other.jobId, newId('job'), 'job', '%F0%9F%8F%A0']) {
        const request = await validRequest(stack, { ...own, jobId }, operation, before);
        messages.push(expectError(await send(request), 404, 'not_found').error);
      }
      expect(new Set(messages).size).toBe(1);
      expect(await readJob(stack, other.jobId)).toEqual(before);
    },
  );

  test('gives 429 with retry-after when its limit is used up, before it looks at scope, input and resource [ERROR-9, HTTP-5, LIMIT-2, LIMIT-4]', async () => {
    const seller = await addCompany(stack.database, {
      class: 'SALES',
      keys: ['general', 'installer-contractor'],
      boundCompanyId: own.installerId,
    });
    const installer = await addCompany(stack.database, {
      class: 'INSTALLER',
      keys: ['installer-company'],
      installerRequestsPerMinute: 1,
    });
    const keys = { '/inbound/': seller.apiKeys, '/partner/v1/': installer.apiKeys };
    const [general = ''] = seller.apiKeys;
    const used = Array.from({ length: 600 }, (_, turn) => turn);
    while (used.length > 0) {
      const answers = await Promise.all(used.splice(0, 20).map(() => get('/inbound/jobs', general)));
      for (const answer of answers) expectError(answer, 403, 'permission_denied');
    }
    await get('/partner/v1/technicians', installer.apiKeys[0] ?? '');
    for (const operation of SURFACE_OPERATIONS) {
      const wrong = spoilt(operation, onJob(await valid(operation), newId('job')));
      const surface = operation.path.startsWith('/inbound/') ? '/inbound/' : '/partner/v1/';
      for (const key of keys[surface]) {
        const answer = await send({ ...wrong, headers: { ...wrong.headers, 'x-api-key': key } });
        expectError(answer, 429, 'rate_limited');
        expect(answer.headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|6[01])$/);
        expect(answer.headers.get('ratelimit')).toContain('r=0;');
      }
    }
  });

  test('is all that its surface has: any other path is 404 for everybody [HTTP-16]', async () => {
    for (const path of [
      '/inbound',
      '/inbound/',
      '/inbound/leads/',
      '/inbound/Leads',
      `/inbound/jobs/${own.jobId}`,
      '/inbound/nothing',
      '/partner/v1/nothing',
      '/partner/v1/jobs/',
      `/partner/v1/jobs/${own.jobId}/nothing`,
      '/partner/v1/technicians/1',
    ]) {
      for (const headers of [{}, { 'x-api-key': own.keys.general }]) {
        expectError(await send({ method: 'GET', path, headers }), 404, 'not_found');
      }
    }
  });
});

describe('a field [ERROR-3, HTTP-1, LIMIT-5]', () => {
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

  function withField(request: ValidRequest, fieldCase: FieldCase, value: unknown): ValidRequest {
    const { field, place = 'body', beside = {} } = fieldCase;
    switch (place) {
      case 'body':
        return withBody(request, { ...beside, [field]: value });
      case 'query': {
        const query = value === undefined ? '' : `?${field}=${encodeURIComponent(textOf(value))}`;
        return { ...request, path: `${request.path}${query}` };
      }
      case 'header': {
        const { [field.toLowerCase()]: _header, ...headers } = request.headers;
        const given = value === undefined ? {} : { [field.toLowerCase()]: textOf(value) };
        return { ...request, headers: { ...headers, ...given } };
      }
    }
  }

  test.each(FIELD_CASES)(
    '$field of $operation is taken up to its limits, and beyond them is a 400 that names it [APPT-1, HTTP-11, HTTP-12, HTTP-17, LEAD-1, LEAD-6, SCHED-1, SCHED-4, STATUS-1]',
    async (fieldCase) => {
      const operation = operationOf(fieldCase.operation);
      for (const value of fieldCase.taken) {
        await expectSuccess(withField(await valid(operation), fieldCase, value));
      }
      for (const value of fieldCase.refused) {
        const answer = await send(withField(await valid(operation), fieldCase, value));
        const { error, details } = expectError(answer, 400, 'invalid_argument');
        expect({ value, error }).toEqual({
          value,
          error: expect.stringMatching(new RegExp(`^${fieldCase.field}: \\S`)),
        });
        expect(details?.map(({ path }) => path)).toContain(fieldCase.field);
      }
    },
  );

  test('membershipIds is taken with 20 different technicians, and is a 400 with 21 or with one of them twice [ASSIGN-1, LIMIT-5]', async () => {
    const replace = operationOf('replaceAssignments');
    const put = async (membershipIds: readonly string[]) =>
      send(withBody(await valid(replace), { membershipIds }));
    const twenty = own.technicianIds.slice(0, 20);
    const { resource } = jobResponse.parse((await put(twenty)).json);
    expect(resource.technicianAssignments.map(({ membershipId }) => membershipId)).toEqual(twenty);
    for (const wrong of [own.technicianIds.slice(0, 21), [...twenty.slice(0, 2), ...twenty.slice(0, 1)]]) {
      expect(expectError(await put(wrong), 400, 'invalid_argument').error).toMatch(/^membershipIds/);
    }
  });
});

describe('an Idempotency-Key', () => {
  test.each(WITH_KEY_HEADER)(
    'of $id gives the original answer again, byte for byte, and is kept for 45 days [IDEM-2, IDEM-5, LEAD-7]',
    async (operation) => {
      const request = await valid(operation);
      const before = Date.now();
      const first = await expectSuccess(request);
      const expires = Date.parse(first.headers.get('idempotency-expires') ?? '');
      expect(expires).toBeGreaterThanOrEqual(before + 45 * DAY_MS);
      expect(expires).toBeLessThanOrEqual(Date.now() + 45 * DAY_MS);
      expect(first.headers.get('idempotency-replayed')).toBeNull();
      const job = await readJob(stack, own.jobId);
      const again = await send(withReversedBody(request));
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(await readJob(stack, own.jobId)).toEqual(job);
    },
  );

  test.each(WITH_KEY_HEADER)(
    'of $id gives 409 with another body or for another operation [ERROR-7, IDEM-2, IDEM-5, LEAD-7]',
    async (operation) => {
      const request = await valid(operation);
      await expectSuccess(request);
      expectError(await send(withBody(request, { changed: true })), 409, 'idempotency_mismatch');
      const others = WITH_KEY_HEADER.filter(
        (candidate) => candidate !== operation && kindOwner(candidate) === kindOwner(operation),
      );
      for (const candidate of others) {
        const otherRequest = await valid(candidate);
        const key = request.headers['idempotency-key'] ?? '';
        expectError(
          await send(withHeader(otherRequest, 'idempotency-key', key)),
          409,
          'idempotency_mismatch',
        );
      }
      if (isOnJob(operation)) {
        expectError(await send(onJob(request, newId('job'))), 409, 'idempotency_mismatch');
      }
    },
  );

  test.each(WITH_KEY_HEADER)(
    'of $id is not used up by 400, 401, 403 and 404 [IDEM-5, LEAD-7]',
    async (operation) => {
      const request = await valid(operation);
      expectError(await send(spoilt(operation, request)), 400, 'invalid_argument');
      expectError(await send(withHeader(request, 'x-api-key', 'nobody')), 401, 'unauthenticated');
      for (const [kind, verdict] of verdictsOn(operation)) {
        if (verdict !== 403) continue;
        expectError(await send(withHeader(request, 'x-api-key', own.keys[kind])), 403, 'permission_denied');
      }
      if (isOnJob(operation)) expectError(await send(onJob(request, newId('job'))), 404, 'not_found');
      const answer = await expectSuccess(request);
      expect(answer.headers.get('idempotency-replayed')).toBeNull();
    },
  );

  test.each(WITH_KEY_HEADER)(
    'of $id belongs to its owner: another company may use the same [IDEM-3]',
    async (operation) => {
      const request = await valid(operation);
      const key = request.headers['idempotency-key'] ?? '';
      await expectSuccess(request);
      const foreign = withHeader(await valid(operation, other), 'idempotency-key', key);
      const answer = await expectSuccess(foreign);
      expect(answer.headers.get('idempotency-replayed')).toBeNull();
    },
  );

  test.each(WITH_KEY_HEADER)('of $id is shared by all keys of its owner [IDEM-3]', async (operation) => {
    const request = await valid(operation);
    const first = await expectSuccess(request);
    const kind = kindFor(operation);
    const second = await addKey(stack, {
      companyId: kind === 'installer-company' ? own.installerId : own.sellerId,
      kind,
      boundCompanyId: own.installerId,
    });
    const again = await send(withHeader(request, 'x-api-key', second));
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
  });

  test.each(INSTALLER_WRITES)(
    'of $id keeps a 409 stale_version and a 422, and gives 409 before 422 [ERROR-7, ERROR-8, HTTP-5, IDEM-5]',
    async (operation) => {
      const impossible = {
        recordStatusEvent: { status: 'COMPLETE', blockerCode: undefined },
        setSchedule: { startsAt: '2026-09-02T15:00:00Z', endsAt: '2026-09-02T15:00:00Z' },
        replaceAssignments: { membershipIds: [newId('mem')] },
      };
      const fields = Object.entries(impossible).find(([id]) => id === operation.id)?.[1];
      if (fields === undefined) throw new Error(`say here what is a 422 of ${operation.id}`);
      const { version } = await readJob(stack, own.jobId);

      const stale = withBody(await valid(operation), { ...fields, expectedVersion: version + 1 });
      const refused = await send(stale);
      expect(expectError(refused, 409, 'stale_version').currentVersion).toBe(version);
      const unprocessable = withBody(await valid(operation), fields);
      const impossibleNow = await send(unprocessable);
      expect(impossibleNow.status).toBe(422);
      expect(await readJob(stack, own.jobId)).toMatchObject({ version });

      for (const [request, first] of [
        [stale, refused],
        [unprocessable, impossibleNow],
      ] as const) {
        expect(first.headers.get('idempotency-expires')).not.toBeNull();
        const again = await send(request);
        expect(again.headers.get('idempotency-replayed')).toBe('true');
        expect({ ...Object(again.json), requestId: '' }).toEqual({ ...Object(first.json), requestId: '' });
      }
    },
  );

  test('of an appointment is in its body: 201, then 200 with the same body, then 409 for another one [APPT-2, APPT-3, APPT-4, IDEM-4]', async () => {
    const request = await valid(operationOf('bookAppointment'));
    const first = await send(request);
    expect([first.status, first.json]).toEqual([
      201,
      { appointmentId: expect.stringMatching(/^appt_/), status: 'booked' },
    ]);
    const again = await send(withReversedBody(request));
    expect([again.status, again.text]).toEqual([200, first.text]);
    expectError(await send(withBody(request, { notes: 'changed' })), 409, 'idempotency_mismatch');
    const foreign = await validRequest(stack, other, operationOf('bookAppointment'));
    const sameKey = withBody(foreign, { idempotencyKey: request.json?.['idempotencyKey'] });
    expect((await send(sameKey)).status).toBe(201);
  });
});

const kindOwner = (operation: AnyOperation) =>
  kindFor(operation) === 'installer-company' ? 'installer' : 'seller';

/** The same body with its fields in another order. */
function withReversedBody(request: ValidRequest): ValidRequest {
  return { ...request, json: Object.fromEntries(Object.entries(request.json ?? {}).reverse()) };
}

describe('a limit', () => {
  test.each(SURFACE_OPERATIONS)(
    'and its remainder are in the response to a known caller of $id, at the cost of one command to Redis [LIMIT-6]',
    async (operation) => {
      const limit = operation.path.startsWith('/inbound/') ? 600 : 1_000_000;
      const request = await valid(operation);
      const answers: HttpResponse[] = [];
      const commands = await watchRedis(stack.stack.description.redisUrl, async () => {
        answers.push(await expectSuccess(request), await send(spoilt(operation, request)));
      });
      expect(commands).toHaveLength(answers.length);
      for (const { headers } of answers) {
        expect(headers.get('ratelimit-policy')).toBe(`"default";q=${limit};w=60`);
        expect(headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=([1-9]|[1-5]\d|60)$/);
      }
    },
  );
});

describe('the version of the installer API', () => {
  const VERSIONED = SURFACE_OPERATIONS.filter(({ path }) => path.startsWith('/partner/v1/'));

  test.each(VERSIONED)(
    'may be pinned for $id to the current date, and any other date is a 400 [FEED-2, VERSION-1, VERSION-7]',
    async (operation) => {
      const request = await valid(operation);
      for (const wrong of ['2026-08-25', '2099-01-01', 'v1', '']) {
        const answer = await send(withHeader(request, 'x-svc-api-version', wrong));
        expect(expectError(answer, 400, 'invalid_argument').error).toMatch(/^x-svc-api-version: /);
      }
      const answer = await expectSuccess(withHeader(request, 'x-svc-api-version', '2026-08-26'));
      expect(answer.headers.get('x-svc-api-version')).toBe('2026-08-26');
      if (operation.id !== 'listTechnicians') expect(answer.json).toMatchObject({ apiVersion: '2026-08-26' });
    },
  );
});
