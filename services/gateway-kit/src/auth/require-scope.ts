import { missingScope } from '@partner/proto-contracts/api/refusals';
import type { Scope, Surface } from '@partner/proto-contracts/api/scopes';
import { invariant } from '@partner/kernel/process/invariant';
import { ServiceError } from '@partner/kernel/process/service-error';

/** Throws `permission_denied` unless the caller has the scope of an operation; `keySurface` names the kinds of keys that have it. */
export function requireScope(
  { scope }: { readonly scope?: Scope },
  scopes: readonly Scope[],
  keySurface: Surface | undefined,
): void {
  if (scope === undefined || scopes.includes(scope)) return;
  invariant(keySurface, 'only API keys have scopes');
  throw new ServiceError('permission_denied', missingScope(keySurface, scope));
}
