import { describe, expect, test } from '@jest/globals';
import { createApiKey } from '@partner/kernel/security/api-key';
import { newId } from '@partner/kernel/process/ids';
import type { HttpResponse } from '@partner/test-kit/http-call';
import { addCompany, addKey } from '@partner/local-stack/stack/add-company';
import { requestsOf, spoilt, withBody, withHeader } from './requests-of.js';
import { expectError, type WireRequest } from '../surfaces/send.js';
import { isOnJob, kindFor, SURFACE_OPERATIONS, verdictsOn } from '../surfaces/surface-operations.js';
import { readJob, validRequest } from '../surfaces/valid-request.js';
import { watchRedis } from '../surfaces/watch-redis.js';
import type { AcceptanceWorld } from './acceptance-world.js';

export function describeOperations(world: () => AcceptanceWorld): void {
  describeKeyOfOperations(world);
  describeEveryOperation(world);
  describeLimit(world);
}

function describeKeyOfOperations(world: () => AcceptanceWorld): void {
  const { send, expectSuccess, valid, onJob } = requestsOf(world);
  describe('the key of every operation', () => {
    test.each(SURFACE_OPERATIONS)(
      '$id refuses every key that is not valid for its surface with 401 and the same message, unless the key itself shows its violation [AUTH-1, AUTH-4, AUTH-12, ERROR-4]',
      async (operation) => {
        const request = await valid(operation);
        const kind = kindFor(operation);
        const holder = {
          companyId: kind === 'installer-company' ? world().side.installerId : world().side.sellerId,
          kind,
          boundCompanyId: world().side.installerId,
        };
        const goodKey = world().side.keys[kind];
        const [keyId = ''] = goodKey.split('.');
        const [, foreignSecret = ''] = createApiKey('sandbox').text.split('.');
        const wrong = [
          [undefined, 'x-api-key: is required'],
          ['', 'x-api-key: is required'],
          ['key', 'x-api-key: must be one key of the form <keyId>.<secret>'],
          [goodKey.replace('.', ''), 'x-api-key: must be one key of the form <keyId>.<secret>'],
          [goodKey.slice(0, -1), 'x-api-key: has a secret that is incomplete or changed'],
          [`${goodKey}x`, 'x-api-key: has a secret that is incomplete or changed'],
          [
            await addKey(world().stack.database, { ...holder, environment: 'production' }),
            'x-api-key: is a key of the production',
          ],
        ] as const;
        const unknown = [
          createApiKey('sandbox').text,
          `${keyId}.${foreignSecret}`,
          await addKey(world().stack.database, { ...holder, revoked: true }),
          await addKey(world().stack.database, { ...holder, expired: true }),
          world().side.keys[kind === 'installer-company' ? 'general' : 'installer-company'],
        ];
        const refusalOf = async (key: string | undefined) => {
          const { 'x-api-key': _key, ...headers } = request.headers;
          const sent = {
            ...request,
            headers: key === undefined ? headers : { ...headers, 'x-api-key': key },
          };
          const response = await send(sent);
          expect(response.headers.get('www-authenticate')).toMatch(/^ApiKey realm="(inbound|installer)"$/);
          return expectError(response, 401, 'unauthenticated').error;
        };
        for (const [key, fault] of wrong) expect(await refusalOf(key)).toContain(fault);
        const messages: string[] = [];
        for (const key of unknown) messages.push(await refusalOf(key));
        expect(new Set(messages).size).toBe(1);
        await expectSuccess(withHeader(request, 'x-api-key', await addKey(world().stack.database, holder)));
      },
    );

    test.each(SURFACE_OPERATIONS)(
      '$id accepts the kinds of keys with its scope, refuses the others of its surface with 403 and those of the other with 401 [AUTH-3, AUTH-5, AUTH-8, ERROR-5, HTTP-4]',
      async (operation) => {
        for (const [kind, verdict] of verdictsOn(operation)) {
          const request = withHeader(await valid(operation), 'x-api-key', world().side.keys[kind]);
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
      '$id is refused for its first violation, in the order 401, 403, 400, 404 [HTTP-5]',
      async (operation) => {
        const request = onJob(await valid(operation), newId('job'));
        const wrong = spoilt(operation, request);
        const as = (key: string): WireRequest => ({
          ...wrong,
          headers: { ...wrong.headers, 'x-api-key': key },
        });
        expectError(await send(as('unknown')), 401, 'unauthenticated');
        for (const [kind, verdict] of verdictsOn(operation)) {
          if (verdict === 403) expectError(await send(as(world().side.keys[kind])), 403, 'permission_denied');
        }
        // An operation without parameters, body and version has no invalid input.
        const isVersioned = operation.path.startsWith('/partner/v1/');
        if (operation.body !== undefined || operation.query !== undefined || isVersioned) {
          expectError(await send(wrong), 400, 'invalid_argument');
        }
        if (isOnJob(operation)) expectError(await send(request), 404, 'not_found');
      },
    );
  });
}

function describeEveryOperation(world: () => AcceptanceWorld): void {
  const { send, expectSuccess, valid, onJob } = requestsOf(world);
  const get = (path: string, key: string) => send({ method: 'GET', path, headers: { 'x-api-key': key } });
  describe('every operation', () => {
    test.each(SURFACE_OPERATIONS)(
      '$id responds to a valid request as its contract says, and ignores unknown fields [APPT-1, CONTRACTOR-3, HTTP-2, HTTP-16, LEAD-1, LEAD-2, LEAD-3, SCHED-1, SCHED-3, SERVICE-1, SERVICE-2, SERVICE-3, STATUS-3, TECH-1, TECH-2, VERSION-2]',
      async (operation) => {
        const request = await valid(operation);
        const unknown =
          operation.body === undefined ? request : withBody(request, { companyId: 'x', extra: 1 });
        const response = await expectSuccess({ ...unknown, path: `${request.path}?unknown=1` });
        const { schema } = operation.responses[response.status] ?? {};
        expect(schema?.parse(response.json)).toEqual(response.json);
      },
    );

    test.each(SURFACE_OPERATIONS.filter(isOnJob))(
      '$id refuses a job of another company with the same 404 as an unknown one, and does not change it [AUTH-8, CONTRACTOR-4, ERROR-6, JOB-2]',
      async (operation) => {
        const before = await readJob(world().stack, world().other.jobId);
        const messages: string[] = [];
        for (const jobId of [world().other.jobId, newId('job'), 'job', '%F0%9F%8F%A0']) {
          const request = await validRequest(world().stack, { ...world().side, jobId }, operation, before);
          messages.push(expectError(await send(request), 404, 'not_found').error);
        }
        expect(new Set(messages).size).toBe(1);
        expect(await readJob(world().stack, world().other.jobId)).toEqual(before);
      },
    );

    test('refuses requests over its limit with 429 and retry-after, before it checks scope, input and resource [ERROR-9, HTTP-5, LIMIT-2, LIMIT-4]', async () => {
      const seller = await addCompany(world().stack.database, {
        class: 'SALES',
        keys: ['general', 'installer-contractor'],
        boundCompanyId: world().side.installerId,
      });
      const installer = await addCompany(world().stack.database, {
        class: 'INSTALLER',
        keys: ['installer-company'],
        installerRequestsPerMinute: 1,
      });
      const keys = { '/inbound/': seller.apiKeys, '/partner/v1/': installer.apiKeys };
      const [general = ''] = seller.apiKeys;
      const used = Array.from({ length: 600 }, (_, turn) => turn);
      while (used.length > 0) {
        const responses = await Promise.all(used.splice(0, 20).map(() => get('/inbound/jobs', general)));
        for (const response of responses) expectError(response, 403, 'permission_denied');
      }
      await get('/partner/v1/technicians', installer.apiKeys[0] ?? '');
      for (const operation of SURFACE_OPERATIONS) {
        const wrong = spoilt(operation, onJob(await valid(operation), newId('job')));
        const surface = operation.path.startsWith('/inbound/') ? '/inbound/' : '/partner/v1/';
        for (const key of keys[surface]) {
          const response = await send({ ...wrong, headers: { ...wrong.headers, 'x-api-key': key } });
          expectError(response, 429, 'rate_limited');
          expect(response.headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|6[01])$/);
          expect(response.headers.get('ratelimit')).toContain('r=0;');
        }
      }
    });
  });
}

function describeLimit(world: () => AcceptanceWorld): void {
  const { send, expectSuccess, valid } = requestsOf(world);
  describe('a limit', () => {
    test.each(SURFACE_OPERATIONS)(
      'and its remainder are in the response to a known caller of $id, at the cost of one command to Redis [LIMIT-6]',
      async (operation) => {
        const limit = operation.path.startsWith('/inbound/') ? 600 : 1_000_000;
        const request = await valid(operation);
        const responses: HttpResponse[] = [];
        const commands = await watchRedis(world().stack.stack.description.redisUrl, async () => {
          responses.push(await expectSuccess(request), await send(spoilt(operation, request)));
        });
        expect(commands).toHaveLength(responses.length);
        for (const { headers } of responses) {
          expect(headers.get('ratelimit-policy')).toBe(`"default";q=${limit};w=60`);
          expect(headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=([1-9]|[1-5]\d|60)$/);
        }
      },
    );
  });
}
