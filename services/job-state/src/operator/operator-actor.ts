import type { Actor } from '../audit/actor.js';
import { required } from '../rpc/required.js';

/** The operator whom a request names, as the audit trail shows it. Fails with `invalid_argument` for nobody. */
export function operatorActor(request: { readonly operator?: string | undefined }): Actor {
  return {
    membershipId: undefined,
    displayName: `operator: ${required(request.operator, 'operator').slice(0, 100)}`,
  };
}
