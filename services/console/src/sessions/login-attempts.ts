import { createHash } from 'node:crypto';
import { loginLimitReached } from '@partner/proto-contracts/api/refusals';
import { ServiceError } from '@partner/kernel/service-error';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { awaitRedis } from './await-redis.js';

/** Span in which failed logins are counted. */
export const LOGIN_FAILURE_WINDOW_MS = 15 * 60_000;

/** Failed logins in any such span after which an account, or a client address, has to wait. */
export const LOGIN_FAILURE_LIMITS = { account: 10, address: 50 } as const;

/** A started login. It counts as failed until it is forgotten. */
export interface LoginAttempt {
  /** Removes the attempt from the count: the password was right, or was never checked. */
  forget(): Promise<void>;
}

/** Counts failed logins over all replicas. */
export interface LoginAttempts {
  /**
   * Counts an attempt before its password is checked, so that concurrent guesses cannot exceed the limit. Fails with
   * `rate_limited` if the account or address has reached its limit. Fails with `unavailable` if Redis is down: the
   * session could not be stored then either.
   */
  begin(by: keyof typeof LOGIN_FAILURE_LIMITS, subject: string): Promise<LoginAttempt>;
}

/** Returns 0 if the attempt was counted, else the ms until one more fits. */
const BEGIN_SCRIPT = `
local now, window, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - window))
if redis.call('ZCARD', KEYS[1]) >= limit then
  local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  return math.max(1, tonumber(oldest[2]) + window - now)
end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 0
`;

/** Creates the counter in Redis. Each subject has at most as many entries as its limit; they expire with the span. */
export function createLoginAttempts(deps: {
  readonly redis: Pick<Redis, 'eval' | 'zrem'>;
  readonly keyPrefix: string;
  readonly clock: () => Date;
  readonly randomBytes: (size: number) => Buffer;
}): LoginAttempts {
  return {
    async begin(by, subject) {
      const subjectHash = createHash('sha256').update(subject).digest('hex');
      const key = `${deps.keyPrefix}login-failures:${by}:${subjectHash}`;
      const attemptId = deps.randomBytes(16).toString('base64url');
      const waitMs = z
        .number()
        .parse(
          await awaitRedis(
            deps.redis.eval(
              BEGIN_SCRIPT,
              1,
              key,
              deps.clock().getTime(),
              LOGIN_FAILURE_WINDOW_MS,
              LOGIN_FAILURE_LIMITS[by],
              attemptId,
            ),
          ),
        );
      if (waitMs > 0) {
        const retryAfterSeconds = Math.ceil(waitMs / 1_000);
        const message = loginLimitReached(by, LOGIN_FAILURE_LIMITS[by], retryAfterSeconds);
        throw new ServiceError('rate_limited', message, { retryAfterSeconds });
      }
      return {
        async forget() {
          await awaitRedis(deps.redis.zrem(key, attemptId));
        },
      };
    },
  };
}
