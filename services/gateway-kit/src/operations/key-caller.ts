import type { Caller } from '@partner/proto-contracts/call';
import type { ApiKeyPrincipal } from '../auth/api-key-authentication.js';
import type { EndpointRequest } from '../http/endpoint.js';

const USER_AGENT_LENGTH = 200;

/** Returns the API key of a request and its client, as calls name them. */
export function keyCaller({
  principal: { companyId, companyClass, keyId, boundCompanyId },
  remoteAddress,
  header,
}: Pick<
  EndpointRequest<ApiKeyPrincipal, unknown, unknown>,
  'principal' | 'remoteAddress' | 'header'
>): Caller {
  const userAgent = header('user-agent')?.slice(0, USER_AGENT_LENGTH);
  return {
    kind: 'key',
    companyId,
    companyClass,
    keyId,
    ...(boundCompanyId !== undefined && { boundCompanyId }),
    remoteAddress,
    ...(userAgent !== undefined && { userAgent }),
  };
}
