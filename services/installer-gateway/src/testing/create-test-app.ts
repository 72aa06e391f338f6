import { afterEach } from '@jest/globals';
import { INSTALLER_JOB_EXAMPLE, type InstallerJob } from '@partner/proto-contracts/resources/job/job';
import { createApiKey } from '@partner/kernel/security/api-key';
import type { FoundKey } from '@partner/gateway-kit/auth/api-key-authentication';
import { createCursorSigner } from '@partner/gateway-kit/operations/cursor-signer';
import { type Implementation, implement, type OperationRequest } from '@partner/kernel/amqp/implement';
import type { OperationReply } from '@partner/kernel/amqp/operation-call';
import type { Operation } from '@partner/proto-contracts/api/operation';
import { checkResponses } from '@partner/test-kit/check-responses';
import { surfaceDeps } from '@partner/gateway-kit/testing/known-keys';
import type { RequestListener } from 'node:http';
import request from 'supertest';
import { createInstallerApp } from '../app.js';
import { createFeedCursor } from '../feed-cursor.js';
import { createTechnicianCursor } from '../technician-cursor.js';

/**
 * Keys of companies `cmp_1` (installer) and `cmp_2` (own limit of 100 requests per minute), and two of the inbound
 * surface.
 */
export const keys = {
  installer: createApiKey('sandbox'),
  favoured: createApiKey('sandbox'),
  general: createApiKey('sandbox'),
  contractor: createApiKey('sandbox'),
};
const installer = { companyClass: 'INSTALLER', kind: 'installer-company' };
const sales = { companyId: 'cmp_9', companyClass: 'SALES' };
const principals = new Map<string, FoundKey>([
  [keys.installer.keyId, { ...installer, companyId: 'cmp_1' }],
  [keys.favoured.keyId, { ...installer, companyId: 'cmp_2', installerRequestsPerMinute: 100 }],
  [keys.general.keyId, { ...sales, kind: 'general' }],
  [keys.contractor.keyId, { ...sales, kind: 'installer-contractor', boundCompanyId: 'cmp_1' }],
]);

/** Cursor codecs of the test app. */
export const cursors = createFeedCursor(createCursorSigner([Buffer.alloc(32, 1)]));
export const technicianCursors = createTechnicianCursor([Buffer.alloc(32, 1)]);

/** Returns a job as job-state stores it: as text, with spaces that show whether the exact text was forwarded. */
export function projectionText(job: Partial<InstallerJob>): string {
  return JSON.stringify({ ...INSTALLER_JOB_EXAMPLE, ...job }, null, 1);
}

const checked = checkResponses(afterEach);

/**
 * Creates the installer surface in front of a test's own operations, at a fixed time unless it has a clock. A test fails if a response does
 * not match the API description.
 */
export function createTestApp(
  operations: readonly Implementation[] = [],
  clock = () => new Date('2026-09-01T12:00:00Z'),
): RequestListener {
  const deps = { ...surfaceDeps('installer', principals, operations), technicianCursors, clock };
  return checked(createInstallerApp(deps));
}

/** The surface in front of a job-state that serves one operation, and the calls that it gets. `send` has the key of `cmp_1`, or another one. */
export function createSurfaceOf<Query, Body, Param extends string>(
  operation: Operation<Query, Body, Param>,
  reply: (given: OperationRequest<Query, Body, Param>) => OperationReply,
) {
  const requests: OperationRequest<Query, Body, Param>[] = [];
  const served = implement(operation, async (given) => {
    requests.push(given);
    return reply(given);
  });
  const app = createTestApp([served]);
  return {
    requests,
    send: (method: 'get' | 'post' | 'put', path: string, key = keys.installer) =>
      request(app)[method](`/partner/v1${path}`).set('x-api-key', key.text),
  };
}
