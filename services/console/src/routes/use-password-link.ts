import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { usePasswordLinkOperation } from '@partner/proto-contracts/resources/password/operations';
import { PASSWORD_LINKS } from '@partner/proto-contracts/resources/password/password';
import { clientNetwork } from '@partner/gateway-kit/client-address';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import type { RateLimiter } from '@partner/gateway-kit/rate-limiter';
import { ServiceError } from '@partner/kernel/service-error';
import { tokenSha256 as hashOf } from '@partner/kernel/technical-contact-link';
import { actorOf } from '../acting-owner.js';
import { clientOriginOf } from '../client-origin.js';
import { requiredField } from '../required-field.js';
import { endSessionsOf } from '../sessions/end-sessions-of.js';
import { checkNewPassword } from '../sessions/new-password-rule.js';
import type { OwnerSession, SessionStore } from '../sessions/session-store.js';
import type { HashPassword } from '../sessions/verify-password.js';
import { counted } from '@partner/proto-contracts/api/counted';

/**
 * `POST /partner-api/password/links/use`: sets a password with the token of a mailed link, and ends all sessions of the person.
 * Public: the token is the proof. It starts no session, so a second factor stays necessary.
 */
export function usePasswordLink(deps: {
  readonly access: Pick<Client<typeof AccessService>, 'getPasswordLink' | 'usePasswordLink'>;
  readonly sessions: Pick<SessionStore, 'list' | 'end'>;
  readonly limiter: Pick<RateLimiter, 'take'>;
  readonly hashPassword: HashPassword;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(usePasswordLinkOperation, async (request) => {
    const { body, remoteAddress, call } = request;
    const network = clientNetwork(remoteAddress);
    await takeAttempt(deps.limiter, network);
    const tokenSha256 = hashOf(body.token);
    const person = await deps.access.getPasswordLink({ tokenSha256 }, call).catch(refuseLink);
    const membershipId = requiredField(person.membershipId, 'membership_id');
    const displayName = requiredField(person.displayName, 'display_name');
    const companyName = requiredField(person.companyName, 'company_name');
    checkNewPassword(body.newPassword, { email: person.email, displayName, companyName });
    const passwordHash = await deps.hashPassword(network, body.newPassword);
    const actor = actorOf({ membershipId, displayName }, clientOriginOf(request));
    await deps.access.usePasswordLink({ tokenSha256, passwordHash, actor }, call).catch(refuseLink);
    await endSessionsOf(deps.sessions, membershipId);
    return { status: 204 };
  });
}

async function takeAttempt(limiter: Pick<RateLimiter, 'take'>, network: string): Promise<void> {
  const { usesPerMinute } = PASSWORD_LINKS;
  const { accepted, retryAfterSeconds } = await limiter.take(`password-links:${network}`, usesPerMinute);
  if (accepted) return;
  throw new ServiceError(
    'rate_limited',
    `at most ${usesPerMinute} links can be tried in 60 seconds; retry after ${counted(retryAfterSeconds, 'second')}`,
    { retryAfterSeconds },
  );
}

function refuseLink(error: unknown): never {
  if (!(error instanceof ServiceError) || error.reason !== 'not_found') throw error;
  throw new ServiceError(
    'not_found',
    'this link does not work: it was used, replaced or is too old; request a new one',
  );
}
