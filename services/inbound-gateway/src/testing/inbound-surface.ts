import type { MessageInitShape } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { afterEach, expect } from '@jest/globals';
import {
  AuthenticationService,
  type AuthenticateKeyResponseSchema,
  CompanyClass,
  KeyKind,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { ContractorJobService } from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import { AppointmentService } from '@partner/proto-contracts/gen/partner/leads/v1/appointment_service_pb';
import { LeadService } from '@partner/proto-contracts/gen/partner/leads/v1/lead_service_pb';
import { EventFeedService } from '@partner/proto-contracts/gen/partner/webhooks/v1/event_feed_service_pb';
import { errorBody, type ErrorBody } from '@partner/proto-contracts/api/error-body';
import type { RpcService } from '@partner/kernel/amqp/rpc-service';
import { createApiKey, type NewApiKey } from '@partner/kernel/api-key';
import { createApiKeyAuthenticator } from '@partner/gateway-kit/api-key-authentication';
import { createCursorSigner } from '@partner/gateway-kit/cursor-signer';
import { silentLogger } from '@partner/kernel/logger';
import { ServiceError } from '@partner/kernel/service-error';
import { checkResponses } from '@partner/test-kit/check-responses';
import { createInMemoryRateLimiter } from '@partner/gateway-kit/testing/in-memory-rate-limiter';
import { createInMemoryTransport, partialRpcService } from '@partner/kernel/testing/in-memory-transport';
import { afterMs } from '@partner/kernel/timers';
import { Registry } from 'prom-client';
import supertest from 'supertest';
import { createInboundApp } from '../app.js';

/** API keys of the surface: `installer` belongs to `cmp_2`, the others to the sales company `cmp_1`. */
export const KEYS = {
  general: createApiKey('sandbox'),
  otherGeneral: createApiKey('sandbox'),
  /** Bound to `cmp_2`. */
  contractor: createApiKey('sandbox'),
  installer: createApiKey('sandbox'),
} as const;

const seller = { companyId: 'cmp_1', companyClass: CompanyClass.SALES };
const PRINCIPALS: ReadonlyMap<string, MessageInitShape<typeof AuthenticateKeyResponseSchema>> = new Map([
  [KEYS.general.keyId, { ...seller, kind: KeyKind.GENERAL }],
  [KEYS.otherGeneral.keyId, { ...seller, kind: KeyKind.GENERAL }],
  [KEYS.contractor.keyId, { ...seller, kind: KeyKind.INSTALLER_CONTRACTOR, boundCompanyId: 'cmp_2' }],
  [
    KEYS.installer.keyId,
    { companyId: 'cmp_2', companyClass: CompanyClass.INSTALLER, kind: KeyKind.INSTALLER_COMPANY },
  ],
]);

const NOW = new Date('2026-09-01T12:00:00Z');

const checked = checkResponses(afterEach);

/**
 * The inbound surface without a network, in front of a job-state with these services. Its clock is fixed. A test
 * fails if a response does not match the API description.
 */
export function createInboundSurface(services: readonly RpcService[]) {
  const transport = createInMemoryTransport([
    partialRpcService(AuthenticationService, {
      authenticateKey({ keyId = '' }) {
        const principal = PRINCIPALS.get(keyId);
        if (principal === undefined) throw new ServiceError('unauthenticated', 'no such key');
        return principal;
      },
    }),
    ...services,
  ]);
  const metrics = new Registry();
  const app = checked(
    createInboundApp({
      authenticator: createApiKeyAuthenticator({
        access: createClient(AuthenticationService, transport),
        surface: 'inbound',
        environment: 'sandbox',
        monotonicMs: () => NOW.getTime(),
        metrics,
        after: afterMs,
      }),
      limiter: createInMemoryRateLimiter(() => NOW),
      leads: createClient(LeadService, transport),
      appointments: createClient(AppointmentService, transport),
      contractorJobs: createClient(ContractorJobService, transport),
      eventFeed: createClient(EventFeedService, transport),
      clock: () => NOW,
      cursorSigner: createCursorSigner([Buffer.alloc(32, 1)]),
      logger: silentLogger,
      metrics,
      rpcTimeoutMs: 5_000,
      trustedProxyHops: 0,
    }),
  );
  return {
    app,
    /** Sends a request with a key, or without one. */
    request(method: 'get' | 'post' | 'put', path: string, key?: NewApiKey): supertest.Test {
      const request = supertest(app)[method](path);
      return key === undefined ? request : request.set('x-api-key', key.text);
    },
  };
}

/** Asserts that a response is this error, and returns its body. */
export function assertError(response: supertest.Response, status: number, code: string): ErrorBody {
  const body = errorBody.parse(response.body);
  expect({ status: response.status, code: body.code }).toEqual({ status, code });
  expect(response.headers['x-request-id']).toBe(body.requestId);
  return body;
}
