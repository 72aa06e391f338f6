import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { listColleaguesOperation } from '@partner/proto-contracts/resources/colleague/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { forwardResource } from '../forward-resource.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/colleagues`: lists the people with access to the console of the company. */
export function listColleagues(deps: {
  readonly access: Pick<Client<typeof AccessService>, 'listColleagues'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(listColleaguesOperation, async ({ principal: { companyId }, call }) =>
    forwardResource(200, await deps.access.listColleagues({ companyId }, call)),
  );
}
