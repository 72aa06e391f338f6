import type { Result } from 'ioredis';
import { z } from 'zod';
import type { RedisClient } from './redis.js';
import { BUCKET_MS, SPAN_MS, type WindowVerdict } from './sliding-window.js';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeFromRateLimit(key: string, limit: number, spanMs: number, bucketMs: number): Result<unknown, Context>;
  }
}

/**
 * Counts or refuses a request in one round trip. First drops the buckets that have left the span. A list holds one
 * `bucket:before:count` per bucket in order of time. `before` is the number of requests in earlier buckets, so the
 * first and the last bucket give the total. The time is Redis's own.
 */
const TAKE_SCRIPT = `
local key, limit, span, width = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function read(index)
  local entry = redis.call('LINDEX', key, index)
  if not entry then return nil end
  local number, before, count = string.match(entry, '^(%d+):(%d+):(%d+)$')
  return { number = tonumber(number), before = tonumber(before), count = tonumber(count) }
end
local function leavesAt(bucket)
  return (bucket.number + 1) * width + span
end
local function write(bucket)
  return bucket.number .. ':' .. bucket.before .. ':' .. bucket.count
end

local newest = read(-1)
if newest and newest.number * width > now + span then
  redis.call('DEL', key)
  newest = nil
elseif newest then
  now = math.max(now, newest.number * width)
end

local oldest = newest and read(0)
while oldest and leavesAt(oldest) <= now do
  redis.call('LPOP', key)
  oldest = read(0)
end
local used = oldest and newest.before + newest.count - oldest.before or 0

if used >= limit then
  local index, leaving = 0, oldest
  while used - (leaving.before + leaving.count - oldest.before) >= limit do
    index = index + 1
    leaving = read(index)
  end
  return { 0, 0, leavesAt(oldest) - now, leavesAt(leaving) - now }
end

local number = math.floor(now / width)
if oldest and newest.number == number then
  newest.count = newest.count + 1
  redis.call('LSET', key, -1, write(newest))
else
  newest = { number = number, before = oldest and newest.before + newest.count or 0, count = 1 }
  redis.call('RPUSH', key, write(newest))
  oldest = oldest or newest
end
redis.call('PEXPIRE', key, span + width)
return { 1, limit - used - 1, leavesAt(oldest) - now, 0 }
`;

const takeReply = z
  .tuple([z.int(), z.int(), z.int(), z.int()])
  .transform(([accepted, remaining, resetMs, waitMs]): WindowVerdict => {
    return { accepted: accepted === 1, remaining, resetMs, waitMs };
  });

export type CountingRedis = Pick<RedisClient, 'defineCommand' | 'takeFromRateLimit' | 'status'>;

/** Returns the function that counts or refuses a request of a key in Redis. It rejects if Redis does not respond. */
export function createRedisCount(redis: CountingRedis, keyPrefix: string) {
  redis.defineCommand('takeFromRateLimit', { numberOfKeys: 1, lua: TAKE_SCRIPT });
  return async (key: string, limit: number) =>
    takeReply.parse(await redis.takeFromRateLimit(`${keyPrefix}rate:{${key}}`, limit, SPAN_MS, BUCKET_MS));
}
