import {
  findPasswordLinkOperation,
  usePasswordTokenOperation,
} from '@partner/proto-contracts/internal/access/passwords';
import { usePasswordLinkOperation } from '@partner/proto-contracts/resources/password/operations';
import { PASSWORD_LINKS } from '@partner/proto-contracts/resources/password/password';
import { clientNetwork } from '@partner/gateway-kit/auth/client-address';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import type { RateLimiter } from '@partner/gateway-kit/limits/rate-limiter';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import { ServiceError } from '@partner/kernel/process/service-error';
import { tokenSha256 as hashOf } from '@partner/kernel/process/technical-contact-link';
import { clientOriginOf } from '../client-origin.js';
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
  readonly operations: Pick<OperationClient, 'callInternal'>;
  readonly sessions: Pick<SessionStore, 'list' | 'end'>;
  readonly limiter: Pick<RateLimiter, 'take'>;
  readonly hashPassword: HashPassword;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(usePasswordLinkOperation, async (request) => {
    const { body, remoteAddress, call } = request;
    const network = clientNetwork(remoteAddress);
    await takeAttempt(deps.limiter, network);
    const tokenSha256 = hashOf(body.token);
    const { operations } = deps;
    const person = await operations
      .callInternal(findPasswordLinkOperation, { tokenSha256 }, call)
      .catch(refuseLink);
    checkNewPassword(body.newPassword, person);
    const passwordHash = await deps.hashPassword(network, body.newPassword);
    const used = { tokenSha256, passwordHash, ...clientOriginOf(request) };
    await operations.callInternal(usePasswordTokenOperation, used, call).catch(refuseLink);
    await endSessionsOf(deps.sessions, person.membershipId);
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
