import type { Client } from '@connectrpc/connect';
import type { JobService, Technician } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import type { technician, techniciansAnswer } from '@partner/proto-contracts/public-api/installer-job';
import { listTechniciansOperation } from '@partner/proto-contracts/public-api/operations/installer';
import type { ApiKeyPrincipal } from '@partner/runtime/http/api-key-authentication';
import { type AnyEndpoint, serveOperation } from '@partner/runtime/http/endpoint';
import { invariant } from '@partner/runtime/invariant';
import type { z } from 'zod';

/** `GET /partner/v1/technicians`: the company's technicians, the active ones first. */
export function listTechnicians(deps: {
  readonly jobs: Pick<Client<typeof JobService>, 'listTechnicians'>;
}): AnyEndpoint<ApiKeyPrincipal> {
  return serveOperation(listTechniciansOperation, async ({ principal: { companyId }, apiVersion, call }) => {
    const { technicians } = await deps.jobs.listTechnicians({ companyId }, call);
    const json = {
      apiVersion,
      technicians: technicians.map(presentTechnician),
    } satisfies z.input<typeof techniciansAnswer>;
    return { status: 200, json };
  });
}

function presentTechnician({ membershipId, displayName, active }: Technician): z.infer<typeof technician> {
  invariant(membershipId !== undefined && displayName !== undefined, 'a technician has an id and a name');
  invariant(active !== undefined, 'a technician is active or not');
  return { membershipId, displayName, active };
}
