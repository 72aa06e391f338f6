import type { ApiKeyPrincipal } from '@partner/gateway-kit/api-key-authentication';
import { invariant } from '@partner/kernel/invariant';

/**
 * Returns the filter of an installer-contractor key: jobs that its owner sold and that its bound installer performs.
 */
export function contractorBoundary({
  companyId,
  boundCompanyId,
}: Pick<ApiKeyPrincipal, 'companyId' | 'boundCompanyId'>): {
  readonly sellingCompanyId: string;
  readonly installerCompanyId: string;
} {
  invariant(boundCompanyId, 'a key that may see jobs is bound to an installer company');
  return { sellingCompanyId: companyId, installerCompanyId: boundCompanyId };
}
