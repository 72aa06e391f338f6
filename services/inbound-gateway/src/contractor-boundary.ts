import type { ApiKeyPrincipal } from '@partner/gateway-kit/api-key-authentication';
import { invariant } from '@partner/kernel/invariant';

/** Which jobs an installer-contractor key sees: those that its owner sold and that the installer it is bound to performs. */
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
