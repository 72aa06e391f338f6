import type { Client } from '@connectrpc/connect';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { checkUrlOperation } from '@partner/proto-contracts/resources/url-check/operations';
import type { urlCheck } from '@partner/proto-contracts/resources/url-check/url-check';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import type { RateLimiter } from '@partner/gateway-kit/limits/rate-limiter';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { z } from 'zod';
import { requiredField } from '../required-field.js';
import type { OwnerSession } from '../sessions/session-store.js';
import { counted } from '@partner/proto-contracts/api/counted';

/**
 * `POST /partner-api/url-checks`: returns whether a subscription can have a URL. Checks are rate-limited per
 * session: each one causes a DNS lookup.
 */
export function checkUrl(deps: {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, 'checkUrl'>;
  readonly limiter: Pick<RateLimiter, 'take'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(checkUrlOperation, async ({ principal, body, call }) => {
    const { accepted, retryAfterSeconds } = await deps.limiter.take(
      `url-checks:${principal.id}`,
      LIMITS.urlChecksPerMinute,
    );
    if (!accepted) {
      throw new ServiceError(
        'rate_limited',
        `at most ${LIMITS.urlChecksPerMinute} URLs can be checked in 60 seconds; retry after ${counted(retryAfterSeconds, 'second')}`,
        { retryAfterSeconds },
      );
    }
    const { allowed, refusal } = await deps.subscriptions.checkUrl(
      { companyId: principal.companyId, url: body.url },
      call,
    );
    const json: z.input<typeof urlCheck> =
      allowed === true ? { ok: true } : { ok: false, reason: requiredField(refusal, 'refusal') };
    return { status: 200, json };
  });
}
