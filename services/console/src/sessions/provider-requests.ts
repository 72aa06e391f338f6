import { randomBytes } from 'node:crypto';
import { PROVIDER_SIGN_INS } from '@partner/proto-contracts/resources/provider-sign-in/provider-sign-in';
import { tokenSha256 } from '@partner/kernel/security/token-sha256';
import { z } from 'zod';
import { providerAccount } from './identity-provider.js';
import { awaitRedis, type StoreDeps } from './session-redis.js';

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
  account: providerAccount.optional(),
});

/** A sign-in that continues at the identity provider. */
export type ProviderRequest = Readonly<z.infer<typeof record>>;

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

/**
 * Creates the store of started sign-ins in Redis, beside the sessions. It keeps them for 10 minutes, each by the token in the cookie of
 * its browser. A record counts only if the console has signed it. Every method fails with `unavailable` if Redis is down.
 */
export function createProviderRequests(deps: StoreDeps) {
  const { redis, signer } = deps;
  const keyOf = (id: string) => `${deps.keyPrefix}{sessions}:provider:${id}`;

  async function put(token: string, request: ProviderRequest): Promise<void> {
    const id = tokenSha256(token);
    const text = JSON.stringify(request);
    const leftMs = Math.max(1, request.startedAt + LIFETIME_MS - deps.clock().getTime());
    const args = [text, signer.sign('provider', id, text), leftMs];
    await awaitRedis(redis.eval(PUT_SCRIPT, 1, keyOf(id), ...args));
  }

  return {
    /** Stores a sign-in and returns its new 256-bit token, of which only the hash is stored. */
    async begin(request: Omit<ProviderRequest, 'startedAt'>): Promise<string> {
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      await put(token, { ...request, startedAt: deps.clock().getTime() });
      return token;
    },

    /** Removes a sign-in and returns it, to one of any number of callers; undefined if there is none or it is too old. */
    async take(token: string): Promise<ProviderRequest | undefined> {
      const id = tokenSha256(token);
      const found = z
        .tuple([z.string(), z.string()])
        .safeParse(await awaitRedis(redis.eval(TAKE_SCRIPT, 1, keyOf(id))));
      if (!found.success || !signer.isSigned(found.data[1], 'provider', id, found.data[0])) return undefined;
      const request = record.parse(JSON.parse(found.data[0]));
      return deps.clock().getTime() < request.startedAt + LIFETIME_MS ? request : undefined;
    },

    /** Stores a sign-in again until its former end. */
    putBack: put,
  };
}
