import { afterEach } from '@jest/globals';
import type { Operation } from '@partner/proto-contracts/api/operation';
import { type Implementation, implement, type OperationRequest } from '@partner/kernel/amqp/implement';
import type { OperationReply } from '@partner/kernel/amqp/operation-call';
import { createApiKey, type NewApiKey } from '@partner/kernel/security/api-key';
import type { FoundKey } from '@partner/gateway-kit/auth/api-key-authentication';
import { checkResponses } from '@partner/test-kit/check-responses';
import { surfaceDeps } from '@partner/gateway-kit/testing/known-keys';
import supertest from 'supertest';
import { createInboundApp } from '../app.js';

/** API keys of the surface, of the sales company `cmp_1`. */
export const KEYS = {
  general: createApiKey('sandbox'),
  /** Bound to `cmp_2`. */
  contractor: createApiKey('sandbox'),
} as const;

const seller = { companyId: 'cmp_1', companyClass: 'SALES' };
const PRINCIPALS: ReadonlyMap<string, FoundKey> = new Map([
  [KEYS.general.keyId, { ...seller, kind: 'general' }],
  [KEYS.contractor.keyId, { ...seller, kind: 'installer-contractor', boundCompanyId: 'cmp_2' }],
]);

const checked = checkResponses(afterEach);

/**
 * The inbound surface without a network, in front of a job-state with these operations. Its clock is fixed. A test
 * fails if a response does not match the API description.
 */
export function createInboundSurface(implementations: readonly Implementation[]) {
  const app = checked(createInboundApp(surfaceDeps('inbound', PRINCIPALS, implementations)));
  return {
    app,
    request(method: 'get' | 'post', path: string, key: NewApiKey): supertest.Test {
      return supertest(app)[method](path).set('x-api-key', key.text);
    },
  };
}

/** The surface in front of a job-state that gives one reply to every call of one operation, and the calls that it gets. */
export function createSurfaceOf<Query, Body, Param extends string>(
  operation: Operation<Query, Body, Param>,
  reply: OperationReply,
) {
  const requests: OperationRequest<Query, Body, Param>[] = [];
  const surface = createInboundSurface([
    implement(operation, async (given) => {
      requests.push(given);
      return reply;
    }),
  ]);
  return { ...surface, requests };
}
