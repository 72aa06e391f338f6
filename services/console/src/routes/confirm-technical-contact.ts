import { useTechnicalContactTokenOperation } from '@partner/proto-contracts/internal/access/technical-contact';
import { confirmTechnicalContactOperation } from '@partner/proto-contracts/resources/technical-contact/operations';
import { TECHNICAL_CONTACT_LIMITS } from '@partner/proto-contracts/resources/technical-contact/technical-contact';
import { clientNetwork } from '@partner/gateway-kit/auth/client-address';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import type { RateLimiter } from '@partner/gateway-kit/limits/rate-limiter';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import { ServiceError } from '@partner/kernel/process/service-error';
import { tokenSha256 } from '@partner/kernel/process/technical-contact-link';
import type { OwnerSession } from '../sessions/session-store.js';
import { counted } from '@partner/proto-contracts/api/counted';

/**
 * `POST /partner-api/technical-contact/confirm`: confirms an address with the token of its mailed link. Public: the
 * token is the proof.
 */
export function confirmTechnicalContact(deps: {
  readonly operations: Pick<OperationClient, 'callInternal'>;
  readonly limiter: Pick<RateLimiter, 'take'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(confirmTechnicalContactOperation, async ({ body, remoteAddress, call }) => {
    const { confirmationsPerMinute } = TECHNICAL_CONTACT_LIMITS;
    const { accepted, retryAfterSeconds } = await deps.limiter.take(
      `technical-contact-links:${clientNetwork(remoteAddress)}`,
      confirmationsPerMinute,
    );
    if (!accepted) {
      throw new ServiceError(
        'rate_limited',
        `at most ${confirmationsPerMinute} links can be tried in 60 seconds; retry after ${counted(retryAfterSeconds, 'second')}`,
        { retryAfterSeconds },
      );
    }
    try {
      const used = { tokenSha256: tokenSha256(body.token) };
      await deps.operations.callInternal(useTechnicalContactTokenOperation, used, call);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.reason !== 'not_found') throw error;
      throw new ServiceError(
        'not_found',
        'this link does not work: it was used, replaced or is too old; ask an owner of your company for a new one',
      );
    }
    return { status: 204 };
  });
}
