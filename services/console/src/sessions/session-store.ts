import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { askRedis } from './ask-redis.js';

/** How long a session lives without a request. */
export const SESSION_IDLE_MS = 30 * 60_000;

/** How long a session lives at most. */
export const SESSION_LIFETIME_MS = 12 * 3_600_000;

const TOKEN_BYTES = 32;
const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/;

const ownerRecord = z.object({
  membershipId: z.string(),
  displayName: z.string(),
  companyId: z.string(),
  companyName: z.string(),
  companyClass: z.enum(['SALES', 'INSTALLER', 'ACCOUNTING']),
});

/** A company owner, as of the login. */
export type Owner = Readonly<z.infer<typeof ownerRecord>>;

/** A signed-in owner. */
export interface OwnerSession extends Owner {
  /** SHA-256 of the session's token in hex: names the session without being of use as a token. */
  readonly id: string;
  /** When the session ends unless another request comes before. */
  readonly expiresAt: Date;
}

/** Where sessions live. Every function fails with `unavailable` when Redis can not be asked. */
export interface SessionStore {
  /** Starts a session with a new 256-bit token. The token is nowhere kept; only its hash is. */
  create(owner: Owner): Promise<{ readonly token: string; readonly session: OwnerSession }>;
  /** The session of a token, its idle time begun anew; undefined when there is none, or it has ended. */
  find(token: string): Promise<OwnerSession | undefined>;
  /** Ends a session for good, wherever its token is used. Ending it again is harmless. */
  end(sessionId: string): Promise<void>;
}

/**
 * Reads a session and moves its idle end in one step, so that a request can not bring back a session that another one is
 * ending. The clock is the caller's; the expiry in Redis only clears away what no request will ask for.
 */
const FIND_SCRIPT = `
local record = redis.call('HMGET', KEYS[1], 'owner', 'expiresAt', 'endsAt')
if not record[1] then return false end
local now, idle = tonumber(ARGV[1]), tonumber(ARGV[2])
local expiresAt, endsAt = tonumber(record[2]), tonumber(record[3])
if now >= expiresAt then
  redis.call('DEL', KEYS[1])
  return false
end
expiresAt = math.max(expiresAt, math.min(now + idle, endsAt))
redis.call('HSET', KEYS[1], 'expiresAt', string.format('%.0f', expiresAt))
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', expiresAt - now))
return { record[1], string.format('%.0f', expiresAt) }
`;

const foundRecord = z.tuple([z.string(), z.coerce.number()]);

/** Keeps sessions in Redis under the SHA-256 of their tokens (30 minutes idle, 12 hours at most). */
export function createSessionStore(deps: {
  readonly redis: Pick<Redis, 'eval' | 'multi' | 'del'>;
  readonly keyPrefix: string;
  readonly clock: () => Date;
  readonly randomBytes: (size: number) => Buffer;
}): SessionStore {
  const keyOf = (sessionId: string) => `${deps.keyPrefix}session:${sessionId}`;

  return {
    async create(owner) {
      const token = deps.randomBytes(TOKEN_BYTES).toString('base64url');
      const id = sessionIdOf(token);
      const now = deps.clock().getTime();
      const expiresAt = now + SESSION_IDLE_MS;
      const replies = await askRedis(
        deps.redis
          .multi()
          .hset(keyOf(id), {
            owner: JSON.stringify(ownerRecord.parse(owner)),
            expiresAt,
            endsAt: now + SESSION_LIFETIME_MS,
          })
          .pexpire(keyOf(id), SESSION_IDLE_MS)
          .exec(),
      );
      await askRedis(throwFailedReply(replies));
      return { token, session: { ...owner, id, expiresAt: new Date(expiresAt) } };
    },

    async find(token) {
      if (!TOKEN_FORM.test(token)) return undefined;
      const id = sessionIdOf(token);
      const found = await askRedis(
        deps.redis.eval(FIND_SCRIPT, 1, keyOf(id), deps.clock().getTime(), SESSION_IDLE_MS),
      );
      if (found === null) return undefined;
      const [record, expiresAt] = foundRecord.parse(found);
      const owner = ownerRecord.safeParse(JSON.parse(record));
      // A record of another version's form: the owner signs in again.
      return owner.success ? { ...owner.data, id, expiresAt: new Date(expiresAt) } : undefined;
    },

    async end(sessionId) {
      await askRedis(deps.redis.del(keyOf(sessionId)));
    },
  };
}

function sessionIdOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

async function throwFailedReply(
  replies: readonly (readonly [Error | null, unknown])[] | null,
): Promise<void> {
  if (replies === null) throw new Error('the transaction was not run');
  for (const [error] of replies) if (error !== null) throw error;
}
