import { createHash } from 'node:crypto';
import { PROVIDER_SIGN_INS } from '@partner/proto-contracts/resources/provider-sign-in/provider-sign-in';
import type { RedisClient } from '@partner/gateway-kit/limits/redis';
import { z } from 'zod';
import { awaitRedis } from './session-redis.js';
import type { SessionSigner } from './session-signer.js';

const TOKEN_BYTES = 32;
const LIFETIME_MS = PROVIDER_SIGN_INS.minutes * 60_000;

const record = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  startedAt: z.number(),
  /** The session to confirm; absent: a sign-in. */
  sessionId: z.string().optional(),
  /** The page to open after the sign-in. */
  returnTo: z.string().optional(),
  /** The account, once the provider has responded and a code of the second factor is still missing. */
  account: z
    .object({
      subject: z.string(),
      verifiedEmail: z.string().optional(),
      authenticatedAt: z.number().optional(),
    })
    .optional(),
});

/** A sign-in that continues at the identity provider. */
export type ProviderRequest = Readonly<z.infer<typeof record>>;

/**
 * Stores started sign-ins for 10 minutes, each by the token in the cookie of its browser. A record counts only if the console has
 * signed it. Every method fails with `unavailable` if Redis is down.
 */
export interface ProviderRequests {
  /** Stores a sign-in and returns its new 256-bit token, of which only the hash is stored. */
  begin(request: Omit<ProviderRequest, 'startedAt'>): Promise<string>;
  /** Removes a sign-in and returns it, to one of any number of callers; undefined if there is none or it is too old. */
  take(token: string): Promise<ProviderRequest | undefined>;
  /** Stores a sign-in again until its former end. */
  putBack(token: string, request: ProviderRequest): Promise<void>;
}

const PUT_SCRIPT = `
redis.call('HSET', KEYS[1], 'record', ARGV[1], 'signature', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 0
`;

const TAKE_SCRIPT = `
local found = redis.call('HMGET', KEYS[1], 'record', 'signature')
redis.call('DEL', KEYS[1])
return found
`;

/** Creates the store in Redis, beside the sessions. */
export function createProviderRequests(deps: {
  readonly redis: Pick<RedisClient, 'eval'>;
  readonly signer: SessionSigner;
  readonly keyPrefix: string;
  readonly clock: () => Date;
  readonly randomBytes: (size: number) => Buffer;
}): ProviderRequests {
  const { redis, signer } = deps;
  const idOf = (token: string) => createHash('sha256').update(token).digest('hex');
  const keyOf = (id: string) => `${deps.keyPrefix}{sessions}:provider:${id}`;

  async function put(token: string, request: ProviderRequest): Promise<void> {
    const id = idOf(token);
    const text = JSON.stringify(request);
    const leftMs = Math.max(1, request.startedAt + LIFETIME_MS - deps.clock().getTime());
    const args = [text, signer.sign('provider', id, text), leftMs];
    await awaitRedis(redis.eval(PUT_SCRIPT, 1, keyOf(id), ...args));
  }

  return {
    async begin(request) {
      const token = deps.randomBytes(TOKEN_BYTES).toString('base64url');
      await put(token, { ...request, startedAt: deps.clock().getTime() });
      return token;
    },

    async take(token) {
      const id = idOf(token);
      const found = z
        .tuple([z.string(), z.string()])
        .safeParse(await awaitRedis(redis.eval(TAKE_SCRIPT, 1, keyOf(id))));
      if (!found.success || !signer.isSigned(found.data[1], 'provider', id, found.data[0])) return undefined;
      const request = record.parse(JSON.parse(found.data[0]));
      return deps.clock().getTime() < request.startedAt + LIFETIME_MS ? request : undefined;
    },

    putBack: put,
  };
}
