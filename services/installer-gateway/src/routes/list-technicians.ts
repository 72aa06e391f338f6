import type { Client } from '@connectrpc/connect';
import type { JobService } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { listTechniciansOperation } from '@partner/proto-contracts/resources/technician/operations';
import type { ApiKeyPrincipal } from '@partner/gateway-kit/api-key-authentication';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { invariant } from '@partner/kernel/invariant';
import type { TechnicianCursor } from '../technician-cursor.js';

/**
 * `GET /partner/v1/technicians`: a page of the company's technicians, active ones first. `nextCursor` is null on the
 * last page.
 */
export function listTechnicians(deps: {
  readonly jobs: Pick<Client<typeof JobService>, 'listTechnicians'>;
  readonly cursors: TechnicianCursor;
}): AnyEndpoint<ApiKeyPrincipal> {
  const { jobs, cursors } = deps;
  return serveOperation(
    listTechniciansOperation,
    async ({ principal: { companyId }, query: { cursor, limit }, apiVersion, call }) => {
      const after = cursor === undefined ? undefined : cursors.decode(companyId, cursor);
      const { resourceJson, next } = await jobs.listTechnicians({ companyId, after, limit }, call);
      invariant(resourceJson, 'a page has technicians');
      const nextCursor = next === undefined ? null : cursors.encode(companyId, next);
      const text = `{"apiVersion":"${apiVersion}","technicians":${resourceJson},"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${nextCursor !== null}}`;
      return { status: 200, text };
    },
  );
}
