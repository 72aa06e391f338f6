import { createHash } from 'node:crypto';
import { CONFIRMED_MINUTES, SESSIONS_PER_OWNER } from '@partner/proto-contracts/resources/session/session';
import { newId } from '@partner/kernel/ids';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { awaitRedis } from './await-redis.js';

/** Idle timeout of a session. */
export const SESSION_IDLE_MS = 30 * 60_000;

/** Maximum lifetime of a session. */
export const SESSION_LIFETIME_MS = 12 * 3_600_000;

/** How long secrets can be created after the password was entered. */
export const CONFIRMED_MS = CONFIRMED_MINUTES * 60_000;

/** Maximum time between two checks that a session's owner is still one. */
export const OWNER_CHECKED_EVERY_MS = 60_000;

const TOKEN_BYTES = 32;
const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/;
const USER_AGENT_LENGTH = 200;

const ownerRecord = z.object({
  membershipId: z.string(),
  displayName: z.string(),
  companyId: z.string(),
  companyName: z.string(),
  companyClass: z.enum(['SALES', 'INSTALLER', 'ACCOUNTING']),
  /** Version of the password at login. */
  passwordVersion: z.string(),
});

/** A company owner, as of the login. */
export type Owner = Readonly<z.infer<typeof ownerRecord>>;

/** Client of a request. */
export interface ClientOrigin {
  readonly remoteAddress: string;
  /** The `user-agent` header. */
  readonly userAgent: string | undefined;
}

/** A signed-in owner. */
export interface OwnerSession extends Owner {
  /** SHA-256 of the session's token in hex, its key in Redis. Never shown. */
  readonly id: string;
  /** The public id, `ses_…`. Random, so that it reveals nothing about the key in Redis. */
  readonly publicId: string;
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
  /** When the session ends without another request. */
  readonly expiresAt: Date;
  /** Until when secrets can be created without the password. */
  readonly confirmedUntil: Date;
  /** Start of the last check that the owner is still one. */
  readonly ownerCheckedAt: Date;
  /** Client address at login. */
  readonly remoteAddress: string;
  /** User agent at login, at most 200 characters. */
  readonly userAgent: string | null;
}

/** Stores sessions. Every method fails with `unavailable` if Redis is down. */
export interface SessionStore {
  /**
   * Starts a session with a new 256-bit token. Only the token's hash is stored. If the owner already has 50 sessions,
   * it replaces the oldest, whose public id is in `displaced`.
   */
  create(
    owner: Owner,
    origin: ClientOrigin,
  ): Promise<{
    readonly token: string;
    readonly session: OwnerSession;
    readonly displaced: readonly string[];
  }>;
  /**
   * Returns the session of a token and resets its idle time, unless `prolongs` is false. Undefined if there is none or
   * it has ended.
   */
  find(token: string, options?: { readonly prolongs?: boolean }): Promise<OwnerSession | undefined>;
  /** Returns the session of an id without resetting its idle time. */
  peek(sessionId: string): Promise<OwnerSession | undefined>;
  /** Returns the active sessions of a membership, newest first. */
  list(membershipId: string): Promise<readonly OwnerSession[]>;
  /** Ends a session for good, for every use of its token. Returns false if it has already ended. */
  end(session: Pick<OwnerSession, 'id' | 'membershipId'>): Promise<boolean>;
  /** Ends the session of a membership by its public id; false if the membership has no such session. */
  endOwn(membershipId: string, publicId: string): Promise<boolean>;
  /** Records that the password was entered. Returns until when that counts; undefined if the session has ended. */
  confirm(sessionId: string): Promise<Date | undefined>;
  /**
   * Claims the owner check of a session. Returns true to one caller at a time, and only {@link OWNER_CHECKED_EVERY_MS}
   * after the last claim. That caller must check the owner or return the claim.
   */
  claimOwnerCheck(sessionId: string): Promise<boolean>;
  /** Returns the claim of a failed check, so that the next request checks. */
  returnOwnerCheck(sessionId: string): Promise<void>;
}

/** Fields of a session's hash, in the order of the scripts. */
const FIELDS = [
  'expiresAt',
  'endsAt',
  'owner',
  'publicId',
  'startedAt',
  'lastSeenAt',
  'confirmedUntil',
  'ownerCheckedAt',
  'remoteAddress',
  'userAgent',
] as const;
const READ = `'HMGET', key, ${FIELDS.map((field) => `'${field}'`).join(', ')}`;

/** A record in an older format lacks fields: the owner has to sign in again. */
const IS_WHOLE = `
local function isWhole(record)
  for field = 1, ${FIELDS.length} do
    if not record[field] then return false end
  end
  return true
end
`;

/**
 * Each script makes one change atomically. So no request can restore a session that another one is ending, or exceed
 * the session limit. The caller's clock decides; the expiry in Redis only removes unused keys. The index of a
 * membership is a sorted set of session ids by start time. It may name expired sessions; each reader removes them. The
 * scripts derive the session keys from the index, so all keys must be in one Redis.
 */
const FIND_SCRIPT = `
${IS_WHOLE}
local key = KEYS[1]
local record = redis.call(${READ})
if not isWhole(record) then return false end
local now, idle, prolongs = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] == '1'
local expiresAt, endsAt = tonumber(record[1]), tonumber(record[2])
if now >= expiresAt then
  redis.call('DEL', key)
  return false
end
if prolongs then
  expiresAt = math.max(expiresAt, math.min(now + idle, endsAt))
  record[1] = string.format('%.0f', expiresAt)
  record[6] = ARGV[1]
  redis.call('HSET', key, 'expiresAt', record[1], 'lastSeenAt', record[6])
  redis.call('PEXPIRE', key, string.format('%.0f', expiresAt - now))
end
return record
`;

const CREATE_SCRIPT = `
local index, prefix, id = KEYS[2], ARGV[1], ARGV[2]
local now, most = tonumber(ARGV[3]), tonumber(ARGV[4])
local live, displaced = {}, {}
for _, other in ipairs(redis.call('ZRANGE', index, 0, -1)) do
  local expiresAt = redis.call('HGET', prefix .. other, 'expiresAt')
  if expiresAt and tonumber(expiresAt) > now then
    live[#live + 1] = other
  else
    redis.call('ZREM', index, other)
  end
end
for n = 1, #live - most + 1 do
  local key = prefix .. live[n]
  displaced[n] = redis.call('HGET', key, 'publicId')
  redis.call('DEL', key)
  redis.call('ZREM', index, live[n])
end
redis.call('HSET', KEYS[1], unpack(ARGV, 7))
redis.call('PEXPIRE', KEYS[1], ARGV[5])
redis.call('ZADD', index, ARGV[3], id)
redis.call('PEXPIRE', index, ARGV[6])
return displaced
`;

const LIST_SCRIPT = `
${IS_WHOLE}
local index, prefix, now = KEYS[1], ARGV[1], tonumber(ARGV[2])
local found = {}
for _, id in ipairs(redis.call('ZREVRANGE', index, 0, -1)) do
  local key = prefix .. id
  local record = redis.call(${READ})
  if isWhole(record) and tonumber(record[1]) > now then
    found[#found + 1] = { id, record }
  else
    redis.call('ZREM', index, id)
  end
end
return found
`;

const END_SCRIPT = `
redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('DEL', KEYS[1])
`;

const END_OWN_SCRIPT = `
local index, prefix, publicId, now = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
for _, id in ipairs(redis.call('ZRANGE', index, 0, -1)) do
  local key = prefix .. id
  if redis.call('HGET', key, 'publicId') == publicId then
    local wasLive = tonumber(redis.call('HGET', key, 'expiresAt')) > now
    redis.call('DEL', key)
    redis.call('ZREM', index, id)
    return wasLive and 1 or 0
  end
end
return 0
`;

const CONFIRM_SCRIPT = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'confirmedUntil', ARGV[1])
return 1
`;

const CLAIM_SCRIPT = `
local checkedAt = redis.call('HGET', KEYS[1], 'ownerCheckedAt')
if not checkedAt or tonumber(ARGV[1]) - tonumber(checkedAt) < tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], 'ownerCheckedAt', ARGV[1])
return 1
`;

const RETURN_CLAIM_SCRIPT = `
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], 'ownerCheckedAt', 0) end
return 0
`;

const instant = z.coerce.number().transform((ms) => new Date(ms));

const record = z
  .tuple([
    instant,
    z.string(),
    z.string(),
    z.string(),
    instant,
    instant,
    instant,
    instant,
    z.string(),
    z.string(),
  ])
  .transform(
    ([
      expiresAt,
      ,
      owner,
      publicId,
      startedAt,
      lastSeenAt,
      confirmedUntil,
      ownerCheckedAt,
      remoteAddress,
      agent,
    ]) => ({
      owner,
      fields: {
        publicId,
        startedAt,
        lastSeenAt,
        expiresAt,
        confirmedUntil,
        ownerCheckedAt,
        remoteAddress,
        userAgent: agent === '' ? null : agent,
      },
    }),
  );
const listed = z.array(z.tuple([z.string(), z.unknown()]));
const publicIds = z.array(z.string());

/** Creates the session store in Redis, keyed by the SHA-256 of the tokens (30 minutes idle, 12 hours at most). */
export function createSessionStore(deps: {
  readonly redis: Pick<Redis, 'eval'>;
  readonly keyPrefix: string;
  readonly clock: () => Date;
  readonly randomBytes: (size: number) => Buffer;
}): SessionStore {
  const prefix = `${deps.keyPrefix}session:`;
  const keyOf = (sessionId: string) => `${prefix}${sessionId}`;
  const indexOf = (membershipId: string) => `${deps.keyPrefix}sessions-of:${membershipId}`;
  const run = (script: string, keys: readonly string[], args: readonly (string | number)[]) =>
    awaitRedis(deps.redis.eval(script, keys.length, ...keys, ...args));
  const now = () => deps.clock().getTime();

  async function read(id: string, prolongs: boolean): Promise<OwnerSession | undefined> {
    const found = await run(FIND_SCRIPT, [keyOf(id)], [now(), SESSION_IDLE_MS, prolongs ? 1 : 0]);
    return found === null ? undefined : sessionOf(id, found);
  }

  return {
    async create(owner, { remoteAddress, userAgent }) {
      const token = deps.randomBytes(TOKEN_BYTES).toString('base64url');
      const id = sessionIdOf(token);
      const startedAt = deps.clock();
      const at = startedAt.getTime();
      const agent = userAgent?.slice(0, USER_AGENT_LENGTH) ?? '';
      const session = {
        ...ownerRecord.parse(owner),
        id,
        publicId: newId('ses'),
        startedAt,
        lastSeenAt: startedAt,
        expiresAt: new Date(at + SESSION_IDLE_MS),
        confirmedUntil: new Date(at + CONFIRMED_MS),
        ownerCheckedAt: startedAt,
        remoteAddress,
        userAgent: agent === '' ? null : agent,
      };
      const values = {
        owner: JSON.stringify(ownerRecord.parse(owner)),
        publicId: session.publicId,
        startedAt: at,
        lastSeenAt: at,
        expiresAt: at + SESSION_IDLE_MS,
        endsAt: at + SESSION_LIFETIME_MS,
        confirmedUntil: at + CONFIRMED_MS,
        ownerCheckedAt: at,
        remoteAddress,
        userAgent: agent,
      } satisfies Record<(typeof FIELDS)[number], string | number>;
      const displaced = await run(
        CREATE_SCRIPT,
        [keyOf(id), indexOf(owner.membershipId)],
        [
          prefix,
          id,
          at,
          SESSIONS_PER_OWNER,
          SESSION_IDLE_MS,
          SESSION_LIFETIME_MS,
          ...Object.entries(values).flat(),
        ],
      );
      return { token, session, displaced: publicIds.parse(displaced) };
    },

    async find(token, { prolongs = true } = {}) {
      return TOKEN_FORM.test(token) ? read(sessionIdOf(token), prolongs) : undefined;
    },

    peek: (sessionId) => read(sessionId, false),

    async list(membershipId) {
      const found = listed.parse(await run(LIST_SCRIPT, [indexOf(membershipId)], [prefix, now()]));
      return found.flatMap(([id, fields]) => sessionOf(id, fields) ?? []);
    },

    async end({ id, membershipId }) {
      return (await run(END_SCRIPT, [keyOf(id), indexOf(membershipId)], [id])) === 1;
    },

    async endOwn(membershipId, publicId) {
      return (await run(END_OWN_SCRIPT, [indexOf(membershipId)], [prefix, publicId, now()])) === 1;
    },

    async confirm(sessionId) {
      const until = now() + CONFIRMED_MS;
      return (await run(CONFIRM_SCRIPT, [keyOf(sessionId)], [until])) === 1 ? new Date(until) : undefined;
    },

    async claimOwnerCheck(sessionId) {
      return (await run(CLAIM_SCRIPT, [keyOf(sessionId)], [now(), OWNER_CHECKED_EVERY_MS])) === 1;
    },

    async returnOwnerCheck(sessionId) {
      await run(RETURN_CLAIM_SCRIPT, [keyOf(sessionId)], []);
    },
  };
}

/** Decodes a record; undefined if its owner has another version's format. The owner then has to sign in again. */
function sessionOf(id: string, found: unknown): OwnerSession | undefined {
  const { owner: text, fields } = record.parse(found);
  const owner = ownerRecord.safeParse(JSON.parse(text));
  return owner.success ? { ...owner.data, id, ...fields } : undefined;
}

function sessionIdOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
