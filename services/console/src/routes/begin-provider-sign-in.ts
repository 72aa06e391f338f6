import { beginProviderSignInOperation } from '@partner/proto-contracts/resources/provider-sign-in/operations';
import { PROVIDER_SIGN_INS } from '@partner/proto-contracts/resources/provider-sign-in/provider-sign-in';
import { clientNetwork } from '@partner/gateway-kit/auth/client-address';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import type { RateLimiter } from '@partner/gateway-kit/limits/rate-limiter';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { DeviceCookie } from '../sessions/device-cookie.js';
import { beginWithProvider, type ProviderDeps, requireProvider } from '../sessions/provider-sign-in.js';
import type { SessionCookie } from '../sessions/session-cookie.js';
import type { OwnerSession } from '../sessions/session-store.js';
import { counted } from '@partner/proto-contracts/api/counted';

/** `POST /partner-api/session/provider`: leads the browser to the identity provider. */
export function beginProviderSignIn(
  deps: ProviderDeps & {
    readonly limiter: Pick<RateLimiter, 'take'>;
    readonly deviceCookie: Pick<DeviceCookie, 'read'>;
    readonly providerCookie: Pick<SessionCookie, 'set'>;
  },
): AnyEndpoint<OwnerSession> {
  return serveOperation(beginProviderSignInOperation, async ({ body, header, remoteAddress }) => {
    requireProvider(deps);
    const device = deps.deviceCookie.read(header('cookie'));
    await takeStart(deps.limiter, device?.id ?? clientNetwork(remoteAddress));
    const { token, authorizationUrl } = await beginWithProvider(deps, body);
    return {
      status: 200,
      json: { authorizationUrl },
      headers: { 'set-cookie': deps.providerCookie.set(token) },
    };
  });
}

async function takeStart(limiter: Pick<RateLimiter, 'take'>, client: string): Promise<void> {
  const { perMinute } = PROVIDER_SIGN_INS;
  const { accepted, retryAfterSeconds } = await limiter.take(`provider-sign-ins:${client}`, perMinute);
  if (accepted) return;
  throw new ServiceError(
    'rate_limited',
    `at most ${perMinute} sign-ins can be started in 60 seconds; retry after ${counted(retryAfterSeconds, 'second')}`,
    { retryAfterSeconds },
  );
}
