import type { Actor } from './actor.js';
import { required } from '../rpc/required.js';

/** The operator of a request, as the audit trail shows it. Fails with `invalid_argument` without one. */
export function operatorActor(request: { readonly operator?: string | undefined }): Actor {
  return {
    membershipId: undefined,
    displayName: `operator: ${required(request.operator, 'operator').slice(0, 100)}`,
  };
}
