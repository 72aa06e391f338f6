import { createHash, randomBytes } from 'node:crypto';
import { EMAIL_LIMITS, PASSWORD_LINKS } from '@partner/proto-contracts/resources/password/password';
import { loginLimitReached } from '@partner/proto-contracts/api/refusals';
import type { ErrorReason } from '@partner/proto-contracts/api/error-reasons';
import { ServiceError } from '@partner/kernel/process/service-error';
import { z } from 'zod';
import { hasReason, overLimit } from '../refusals.js';
import { awaitRedis, type StoreDeps } from './session-redis.js';

/** Span in which failed logins are counted. */
export const LOGIN_FAILURE_WINDOW_MS = 15 * 60_000;

/** Failed logins in any such span after which a client has to wait. */
export const LOGIN_FAILURE_LIMITS = {
  /** A network, for any accounts. */
  address: 50,
  /** An account from one network, or a device or session that has already proved the password. */
  client: 10,
} as const;

/** Failed logins of an account from all networks in the span. Above it, each further network has one attempt in it. */
export const GUESSED_ACCOUNT_LIMIT = 100;

/** A started login. It counts as failed until it is removed. */
export interface LoginAttempt {
  /** Removes the attempt from the count: the password was right, or was never checked. */
  forget(): Promise<void>;
}

/** Emails that other people can have sent to an address. Security notices have no limit. */
export type EmailKind = 'invitation' | 'technical-contact' | 'password-link';

const HOUR_MS = 3_600_000;
const EMAIL_WINDOWS: readonly Window[] = [
  { spanMs: 24 * HOUR_MS, limit: EMAIL_LIMITS.perDay },
  { spanMs: HOUR_MS, limit: EMAIL_LIMITS.perHour },
];

interface Window {
  readonly spanMs: number;
  readonly limit: number;
}

/** Returns 0 if the attempt was counted, else the ms until one more fits. The arguments end with pairs of a span and a limit, the longest first. */
const BEGIN_SCRIPT = `
local now = tonumber(ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - tonumber(ARGV[3])))
local wait = 0
for index = 3, #ARGV, 2 do
  local window, limit = tonumber(ARGV[index]), tonumber(ARGV[index + 1])
  -- With this one and those after it in the window, the limit is reached.
  local last = redis.call('ZRANGE', KEYS[1], -limit, -limit, 'WITHSCORES')
  if last[2] then wait = math.max(wait, tonumber(last[2]) + window - now) end
end
if wait > 0 then return wait end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 0
`;

export type LoginAttempts = ReturnType<typeof createLoginAttempts>;

/**
 * Creates the counter of failed logins in Redis, of all replicas. An attempt counts before its password is checked, so that concurrent
 * guesses cannot exceed a limit. Each method fails with `rate_limited` at its limit, and with `unavailable` if Redis is down:
 * the session could not be stored then either. No limit of an account stops a known device, a session, or a network
 * without a failed guess. Each subject has at most as many entries as its limit; they expire with the span.
 */
export function createLoginAttempts(deps: Omit<StoreDeps, 'signer'>) {
  async function take(
    by: keyof typeof LOGIN_FAILURE_LIMITS | 'account' | 'link-network' | `email-${EmailKind}`,
    subject: string,
    limits: number | readonly Window[],
  ): Promise<LoginAttempt & { readonly waitMs: number }> {
    const subjectHash = createHash('sha256').update(subject).digest('hex');
    const key = `${deps.keyPrefix}login-failures:${by}:${subjectHash}`;
    const attemptId = randomBytes(16).toString('base64url');
    const windows =
      typeof limits === 'number' ? [{ spanMs: LOGIN_FAILURE_WINDOW_MS, limit: limits }] : limits;
    const args = [
      ...[deps.clock().getTime(), attemptId],
      ...windows.flatMap(({ spanMs, limit }) => [spanMs, limit]),
    ];
    return {
      waitMs: z.number().parse(await awaitRedis(deps.redis.eval(BEGIN_SCRIPT, 1, key, ...args))),
      async forget() {
        await awaitRedis(deps.redis.zrem(key, attemptId));
      },
    };
  }

  async function begin(
    by: keyof typeof LOGIN_FAILURE_LIMITS,
    subject: string,
    limit: number = LOGIN_FAILURE_LIMITS[by],
  ): Promise<LoginAttempt> {
    const attempt = await take(by, subject, limit);
    if (attempt.waitMs === 0) return attempt;
    const retryAfterSeconds = Math.ceil(attempt.waitMs / 1_000);
    const message = loginLimitReached(by === 'client' ? 'account' : by, limit, retryAfterSeconds);
    throw new ServiceError('rate_limited', message, { retryAfterSeconds });
  }

  return {
    beginFromNetwork: (network: string) => begin('address', network),
    /** Counts an attempt of a known device or a session, by its id. */
    beginKnown: (clientId: string) => begin('client', clientId),
    /** Counts an attempt of an unknown client on an account. */
    async beginUnknown(account: string, network: string): Promise<LoginAttempt> {
      const everywhere = await take('account', account, GUESSED_ACCOUNT_LIMIT);
      try {
        const limit = everywhere.waitMs === 0 ? LOGIN_FAILURE_LIMITS.client : 1;
        const here = await begin('client', `${account}\n${network}`, limit);
        return { forget: async () => void (await Promise.all([everywhere.forget(), here.forget()])) };
      } catch (error) {
        // Refused attempts guess nothing. Counted, one network alone would reach the limit of the account.
        await everywhere.forget();
        throw error;
      }
    },
    /** Counts a link for a forgotten password that a network requests. */
    async countLinkOf(network: string) {
      const { perNetwork } = PASSWORD_LINKS;
      const { waitMs } = await take('link-network', network, perNetwork);
      const rule = `at most ${perNetwork} links can be requested in 15 minutes`;
      if (waitMs > 0) throw overLimit(rule, Math.ceil(waitMs / 1_000));
    },
    /**
     * Counts an email of a kind to an address, over all companies. Each kind has its own limit of {@link EMAIL_LIMITS}; `waitMs` is 0, or
     * the time until one more may be mailed.
     */
    countEmail: (kind: EmailKind, address: string) =>
      take(`email-${kind}`, mailboxOf(address), EMAIL_WINDOWS),
  };
}

/**
 * Does work under the attempts that it begins. They stay counted if it fails with one of the reasons, and are removed otherwise. One that
 * cannot be removed stays counted until its span ends; the response is the same.
 */
export async function countFailures<T>(
  reasons: readonly ErrorReason[],
  work: (begin: (attempt: Promise<LoginAttempt>) => Promise<void>) => Promise<T>,
): Promise<T> {
  const attempts: LoginAttempt[] = [];
  let mustCount = false;
  try {
    return await work(async (attempt) => void attempts.push(await attempt));
  } catch (error) {
    mustCount = hasReason(error, ...reasons);
    throw error;
  } finally {
    if (!mustCount) await Promise.allSettled(attempts.map((attempt) => attempt.forget()));
  }
}

/**
 * Counts an email that an owner has sent to an address. Fails with `rate_limited` at the limit of the address, also if another owner has used it up: the
 * message does not say whether anyone has an account there.
 */
export async function countOwnersEmail(
  attempts: Pick<LoginAttempts, 'countEmail'>,
  kind: Exclude<EmailKind, 'password-link'>,
  address: string,
): Promise<LoginAttempt> {
  const counted = await attempts.countEmail(kind, address);
  if (counted.waitMs === 0) return counted;
  const rule = `at most ${EMAIL_LIMITS.perHour} such emails an hour and ${EMAIL_LIMITS.perDay} a day are sent to one address, for all companies together`;
  throw overLimit(rule, Math.ceil(counted.waitMs / 1_000));
}

/** The mailbox of an address: case and a tag (`ada+x@`) make no difference, nor do dots for a provider that ignores them. */
function mailboxOf(address: string): string {
  const [, local = '', domain = ''] = /^(.*)@([^@]*)$/s.exec(address.trim().toLowerCase()) ?? [];
  const untagged = local.replace(/(?<=.)\+.*$/s, '');
  const isGmail = domain === 'gmail.com' || domain === 'googlemail.com';
  return isGmail ? `${untagged.replaceAll('.', '')}@gmail.com` : `${untagged}@${domain}`;
}
