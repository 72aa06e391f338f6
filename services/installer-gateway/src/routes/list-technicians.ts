import type { Client } from '@connectrpc/connect';
import type { JobService, Technician } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import type { technician, techniciansResponse } from '@partner/proto-contracts/public-api/installer-job';
import { listTechniciansOperation } from '@partner/proto-contracts/public-api/operations/installer';
import type { ApiKeyPrincipal } from '@partner/gateway-kit/api-key-authentication';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { invariant } from '@partner/kernel/invariant';
import type { z } from 'zod';
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
      const page = await jobs.listTechnicians({ companyId, after, limit }, call);
      const technicians = page.technicians.map(presentTechnician);
      const last = page.hasMore === true ? technicians.at(-1) : undefined;
      const json = {
        apiVersion,
        technicians,
        nextCursor: last === undefined ? null : cursors.encode(companyId, last),
        hasMore: last !== undefined,
      } satisfies z.input<typeof techniciansResponse>;
      return { status: 200, json };
    },
  );
}

function presentTechnician({ membershipId, displayName, active }: Technician): z.infer<typeof technician> {
  invariant(membershipId !== undefined && displayName !== undefined, 'a technician has an id and a name');
  invariant(active !== undefined, 'a technician is active or not');
  return { membershipId, displayName, active };
}
