import { isForViewers, type Role, VIEWER_REFUSAL } from '@partner/proto-contracts/api/roles';
import type { AnyEndpoint } from '@partner/gateway-kit/http/endpoint';
import { ServiceError } from '@partner/kernel/process/service-error';

/** Fails with `permission_denied` if a viewer may not use the endpoint; the contract of its operation decides. */
export function checkRole<Principal extends { readonly role: Role }>(
  { role }: Principal,
  endpoint: AnyEndpoint<Principal>,
): void {
  if (role === 'viewer' && !isForViewers(endpoint)) {
    throw new ServiceError('permission_denied', VIEWER_REFUSAL);
  }
}
