import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { getTechnicalContactOperation } from '@partner/proto-contracts/resources/technical-contact/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { forwardResource } from '../forward-resource.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/technical-contact`: the address that receives announcements of new versions. */
export function getTechnicalContact(deps: {
  readonly access: Pick<Client<typeof AccessService>, 'getTechnicalContact'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(getTechnicalContactOperation, async ({ principal, call }) => {
    const contact = await deps.access.getTechnicalContact({ companyId: principal.companyId }, call);
    return forwardResource(200, contact);
  });
}
