import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { confirmTechnicalContactOperation } from '@partner/proto-contracts/resources/technical-contact/operations';
import { TECHNICAL_CONTACT_LIMITS } from '@partner/proto-contracts/resources/technical-contact/technical-contact';
import { clientNetwork } from '@partner/gateway-kit/client-address';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import type { RateLimiter } from '@partner/gateway-kit/rate-limiter';
import { ServiceError } from '@partner/kernel/service-error';
import { tokenSha256 } from '@partner/kernel/technical-contact-link';
import type { OwnerSession } from '../sessions/session-store.js';
import { counted } from '@partner/proto-contracts/api/counted';

/**
 * `POST /partner-api/technical-contact/confirm`: confirms an address with the token of its mailed link. Public: the
 * token is the proof.
 */
export function confirmTechnicalContact(deps: {
  readonly access: Pick<Client<typeof AccessService>, 'confirmTechnicalContact'>;
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
      await deps.access.confirmTechnicalContact({ tokenSha256: tokenSha256(body.token) }, call);
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
