import { listTechniciansOperation } from '@partner/proto-contracts/resources/technician/operations';
import type { ApiKeyPrincipal } from '@partner/gateway-kit/auth/api-key-authentication';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { type Forwarding, forwardPage } from '@partner/gateway-kit/operations/forward-operation';
import type { TechnicianCursor } from '../technician-cursor.js';

/** `GET /partner/v1/technicians`: a page of the company's technicians. `nextCursor` is null on the last page. */
export function listTechnicians(
  forwarding: Forwarding<ApiKeyPrincipal>,
  cursors: TechnicianCursor,
): AnyEndpoint<ApiKeyPrincipal> {
  return serveOperation(listTechniciansOperation, (request) =>
    forwardPage(listTechniciansOperation, request, { ...forwarding, cursors, atEnd: null }),
  );
}
