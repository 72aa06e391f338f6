import { OWNER_CHECKED_EVERY_MS, SESSION_IDLE_MS, SESSION_LIFETIME_MS } from './session-times.js';

/** Fields of a session's hash, in the order of the scripts. */
export const FIELDS = [
  'startedAt',
  'lastSeenAt',
  'owner',
  'publicId',
  'remoteAddress',
  'userAgent',
  'signature',
  'confirmedUntil',
  'ownerCheckedAt',
] as const;

/**
 * Reads a record and when it ends. A record in an older format lacks fields and has ended: the owner has to sign in
 * again. The instant of the last request has its signature behind it.
 */
const READ = `
local function read(key)
  local record = redis.call('HMGET', key, ${FIELDS.map((field) => `'${field}'`).join(', ')})
  for field = 1, ${FIELDS.length} do
    if not record[field] then return record, 0 end
  end
  local startedAt, lastSeenAt = tonumber(record[1]), tonumber(string.match(record[2], '^%d+'))
  if not startedAt or not lastSeenAt then return record, 0 end
  return record, math.min(lastSeenAt + ${SESSION_IDLE_MS}, startedAt + ${SESSION_LIFETIME_MS})
end
`;

/*
 * Each script makes one change atomically. So no request can restore a session that another one is ending, or exceed
 * the session limit. The caller's clock decides; the expiry in Redis only removes unused keys. The index of a
 * membership is a sorted set of session ids by start time. It may name expired sessions; each reader removes them. The
 * scripts derive the session keys from the index, so all keys must be on one node. They cannot check signatures: the
 * caller does, on each record that they return.
 */

/** Ends a session that has expired, so that a replica whose clock is behind cannot revive it. */
export const END_EXPIRED_SCRIPT = `
${READ}
local _, expiresAt = read(KEYS[1])
if tonumber(ARGV[1]) >= expiresAt then redis.call('DEL', KEYS[1]) end
return 0
`;

/** Replaces the instant of the last request, unless it has changed since the caller verified it. */
export const PROLONG_SCRIPT = `
local lastSeenAt = redis.call('HGET', KEYS[1], 'lastSeenAt')
if not lastSeenAt or string.match(lastSeenAt, '^%d+') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'lastSeenAt', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ${SESSION_IDLE_MS})
return 1
`;

export const CREATE_SCRIPT = `
${READ}
local index, prefix, id = KEYS[2], ARGV[1], ARGV[2]
local now, most = tonumber(ARGV[3]), tonumber(ARGV[4])
local live, displaced = {}, {}
for _, other in ipairs(redis.call('ZRANGE', index, 0, -1)) do
  local record, expiresAt = read(prefix .. other)
  if expiresAt > now then
    live[#live + 1] = { id = other, publicId = record[4] }
  else
    redis.call('ZREM', index, other)
  end
end
for n = 1, #live - most + 1 do
  displaced[n] = live[n].publicId
  redis.call('DEL', prefix .. live[n].id)
  redis.call('ZREM', index, live[n].id)
end
redis.call('HSET', KEYS[1], unpack(ARGV, 5))
redis.call('PEXPIRE', KEYS[1], ${SESSION_IDLE_MS})
redis.call('ZADD', index, ARGV[3], id)
redis.call('PEXPIRE', index, ${SESSION_LIFETIME_MS})
return displaced
`;

export const LIST_SCRIPT = `
${READ}
local index, prefix, now = KEYS[1], ARGV[1], tonumber(ARGV[2])
local found = {}
for _, id in ipairs(redis.call('ZREVRANGE', index, 0, -1)) do
  local record, expiresAt = read(prefix .. id)
  if expiresAt > now then
    found[#found + 1] = { id, record }
  else
    redis.call('ZREM', index, id)
  end
end
return found
`;

export const END_SCRIPT = `
redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('DEL', KEYS[1])
`;

export const END_OWN_SCRIPT = `
${READ}
local index, prefix, publicId, now = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
for _, id in ipairs(redis.call('ZRANGE', index, 0, -1)) do
  local record, expiresAt = read(prefix .. id)
  if record[4] == publicId then
    redis.call('DEL', prefix .. id)
    redis.call('ZREM', index, id)
    return expiresAt > now and 1 or 0
  end
end
return 0
`;

/** Replaces a field of a session that has not ended. Returns 0 if it has. */
export const SET_SCRIPT = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
`;

/** Returns 1 if the check was claimed, the text of a recent claim that the caller has to verify, else null. */
export const CLAIM_SCRIPT = `
local checkedAt = redis.call('HGET', KEYS[1], 'ownerCheckedAt')
if not checkedAt then return false end
local age = tonumber(ARGV[1]) - (tonumber(string.match(checkedAt, '^%d+')) or 0)
if age >= 0 and age < ${OWNER_CHECKED_EVERY_MS} then return checkedAt end
redis.call('HSET', KEYS[1], 'ownerCheckedAt', ARGV[2])
return 1
`;
