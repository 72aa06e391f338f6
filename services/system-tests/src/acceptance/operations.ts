import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import type { HttpResponse } from '@partner/test-kit/http-call';
import { addCompany } from '@partner/local-stack/stack/add-company';
import { requestsOf, spoilt, withBody } from './requests-of.js';
import { expectError } from '../surfaces/send.js';
import { SURFACE_OPERATIONS } from '../surfaces/surface-operations.js';
import { watchRedis } from '../surfaces/watch-redis.js';
import type { AcceptanceWorld } from './acceptance-world.js';

export function describeOperations(world: () => AcceptanceWorld): void {
  describeEveryOperation(world);
  describeLimit(world);
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
