import { counted } from '@partner/proto-contracts/api/counted';
import type { ErrorReason } from '@partner/proto-contracts/api/error-reasons';
import type { RateLimiter } from '@partner/gateway-kit/limits/rate-limiter';
import { ServiceError } from '@partner/kernel/process/service-error';

export function hasReason(error: unknown, ...reasons: readonly ErrorReason[]): error is ServiceError {
  return error instanceof ServiceError && reasons.includes(error.reason);
}

/** Returns the refusal of a request over a limit, with its rule. */
export function overLimit(rule: string, retryAfterSeconds: number): ServiceError {
  return new ServiceError('rate_limited', `${rule}; retry after ${counted(retryAfterSeconds, 'second')}`, {
    retryAfterSeconds,
  });
}

/** Counts a use against a limit of 60 seconds. Fails with `rate_limited` over it; `what` is limited, as in `links can be tried`. */
export async function countUse(
  limiter: Pick<RateLimiter, 'take'>,
  key: string,
  limit: number,
  what: string,
): Promise<void> {
  const { accepted, retryAfterSeconds } = await limiter.take(key, limit);
  if (!accepted) throw overLimit(`at most ${limit} ${what} in 60 seconds`, retryAfterSeconds);
}
