import type { authenticateKeyOperation } from '@partner/proto-contracts/internal/access/authenticate-key';
import { KEY_KINDS, type KeyKindName, type Scope, type Surface } from '@partner/proto-contracts/api/scopes';
import { keyRefusal, outsideNetworks } from '@partner/proto-contracts/api/refusals';
import {
  requestFaults,
  type RequestFaults,
} from '@partner/proto-contracts/resources/fault-script/fault-script';
import { keyKind } from '@partner/proto-contracts/resources/api-key/api-key';
import { companyClass, type CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { LRUCache } from 'lru-cache';
import { timingSafeEqual } from 'node:crypto';
import { Counter, type Registry } from 'prom-client';
import type { z } from 'zod';
import type { CallOptions } from '@partner/kernel/amqp/operation-client';
import {
  type Environment,
  apiKeyViolation,
  type ParsedApiKey,
  parseApiKey,
} from '@partner/kernel/security/api-key';
import { ServiceError } from '@partner/kernel/process/service-error';
import { createShareGate } from '@partner/kernel/process/share-gate';
import type { After } from '@partner/kernel/process/timers';
import { clientNetwork } from './client-address.js';
import { networkCheck } from './key-networks.js';
import type { AuthenticationRequest } from './surface-request.js';

export type FoundKey = z.infer<typeof authenticateKeyOperation.output>;

export interface ApiKeyPrincipal {
  readonly kind: KeyKindName;
  readonly keyId: string;
  readonly companyId: string;
  readonly companyClass: CompanyClassName;
  /** For an installer-contractor key: the installer company that it is bound to. */
  readonly boundCompanyId?: string;
  /** The company's own rate limit for installer requests; absent: the default. */
  readonly installerRequestsPerMinute?: number;
  /** For a key that is bound to networks: whether it may be used from an address. */
  readonly isWithinNetworks?: (address: string) => boolean;
  /** Sandbox only: the faults to inject into the key's requests. */
  readonly faults?: RequestFaults;
}

export interface ApiKeyAuthenticator {
  /**
   * Returns the caller. Throws `unauthenticated` (spec: Authentication 4): with the reason if the header itself is
   * wrong, and with one fixed message for everything that only a lookup can distinguish. Throws `permission_denied` for
   * a client outside the networks of the key, and `unavailable` if the lookup fails.
   */
  authenticate(
    request: Pick<AuthenticationRequest, 'header' | 'call' | 'remoteAddress' | 'isOverFailureLimit'>,
  ): Promise<ApiKeyPrincipal>;
  forget(keyId: string): void;
  /** Drops all keys from the cache. Call it when revocations may have been missed. */
  forgetAll(): void;
}

/** Maximum requests without a valid key from one client network in any 60 seconds. Honest clients stay far below. */
export const FAILED_AUTHENTICATIONS_PER_MINUTE = 600;

/**
 * How long a lookup is cached, counted from its start. Even if a broadcast is lost, revocation takes effect within 5
 * seconds.
 */
const CACHED_MS = 4_000;
const REFUSAL_CACHED_MS = 1_000;
const CACHED_KEYS = 10_000;
/** How long lookups of an accepted key bypass the queue. */
const KNOWN_KEY_MS = 3_600_000;
const LOOKUPS_PER_REQUEST = 3;
/**
 * Lookups of keys that are not cached as valid: at most 20 in flight and 500 a second, so that invented keys do not
 * overload job-state.
 */
const NEW_KEY_LOOKUPS = { slots: 20, slotMs: 40, queue: 2_000, work: 'API key lookups' } as const;
/**
 * Such lookups from networks over their failure limit: at most 50 a second; the last of a full queue starts after 4
 * seconds.
 */
const OVER_LIMIT_LOOKUPS = { ...NEW_KEY_LOOKUPS, slots: 2, queue: 200 } as const;

export function scopesOfPrincipal(principal: Pick<ApiKeyPrincipal, 'kind'>): readonly Scope[] {
  return KEY_KINDS[principal.kind].scopes;
}

/**
 * Creates the authenticator of one surface in one environment. A malformed key is refused without a lookup.
 *
 * A valid key is cached for at most 4 seconds, a refusal for 1 second. Concurrent requests with the same key and secret
 * share one lookup. A key that was accepted, and not refused since, is looked up again at once. Other keys wait in a
 * bounded queue that is fair between client networks, and between the key ids of one network. Networks over their limit
 * of failed authentications have a separate queue, so they cannot fill that of the others. Memory is bounded.
 *
 * A revocation that arrives during a lookup overrides the lookup's result.
 */
export function createApiKeyAuthenticator(deps: {
  /** Calls {@link authenticateKeyOperation}. */
  readonly findKey: (
    key: z.infer<typeof authenticateKeyOperation.input>,
    call: CallOptions,
  ) => Promise<FoundKey>;
  readonly surface: Surface;
  readonly environment: Environment;
  /** Monotonic clock, in ms. A clock that is set back would prolong the caching of a revoked key. */
  readonly monotonicMs: () => number;
  readonly metrics: Registry;
  readonly after: After;
}): ApiKeyAuthenticator {
  // Two caches, so that a flood of invented keys cannot evict the keys in use.
  const accepted = new LRUCache<string, { secretSha256: Buffer; principal: ApiKeyPrincipal; until: number }>({
    max: CACHED_KEYS,
    ttl: KNOWN_KEY_MS,
  });
  const refused = new LRUCache<string, number>({ max: CACHED_KEYS, ttl: REFUSAL_CACHED_MS });
  const running = new Map<string, Lookup>();
  const newKeys = createShareGate({ ...NEW_KEY_LOOKUPS, after: deps.after });
  const newKeysOverLimit = createShareGate({ ...OVER_LIMIT_LOOKUPS, after: deps.after });
  const outcomes = new Counter({
    name: 'partner_key_authentications_total',
    help: 'Requests by the result of their API key check',
    labelNames: ['outcome'] as const,
    registers: [deps.metrics],
  });

  function acceptedBefore(key: ParsedApiKey): { principal: ApiKeyPrincipal; until: number } | undefined {
    const entry = accepted.get(key.keyId);
    return entry !== undefined && timingSafeEqual(entry.secretSha256, key.secretSha256) ? entry : undefined;
  }

  function cached(key: ParsedApiKey): Judgement | undefined {
    const now = deps.monotonicMs();
    const known = acceptedBefore(key);
    if (known !== undefined && known.until > now) return { principal: known.principal, outcome: 'cached' };
    const refusedUntil = refused.get(credentialsOf(key));
    return refusedUntil !== undefined && refusedUntil > now
      ? { principal: undefined, outcome: 'refused_cached' }
      : undefined;
  }

  async function lookUp(key: ParsedApiKey, call: CallOptions): Promise<ApiKeyPrincipal | 'refused'> {
    try {
      // Without the signal: other requests may share the lookup.
      const { signal: _signal, ...options } = call;
      const { keyId, secretSha256 } = key;
      const found = await deps.findKey({ keyId, secretSha256: secretSha256.toString('hex') }, options);
      const principal = principalFrom(keyId, found, deps.environment);
      return principal !== undefined && KEY_KINDS[principal.kind].surface === deps.surface
        ? principal
        : 'refused';
    } catch (thrown) {
      const error = ServiceError.from(thrown);
      if (error.reason === 'unauthenticated') return 'refused';
      throw error;
    }
  }

  /** Shares one lookup between all requests with the same key and secret. Undefined if a revocation overtook it. */
  async function lookUpOnce(
    key: ParsedApiKey,
    { call, remoteAddress, isOverFailureLimit }: LookupRequest,
  ): Promise<ApiKeyPrincipal | 'refused' | undefined> {
    const credentials = credentialsOf(key);
    const joined = running.get(credentials);
    if (joined !== undefined) return joined.found;

    const run = async () => {
      const startedAt = deps.monotonicMs();
      const found = await lookUp(key, call);
      if (current.overtaken) return undefined;
      if (found === 'refused') {
        refused.set(credentials, startedAt + REFUSAL_CACHED_MS);
        if (acceptedBefore(key) !== undefined) accepted.delete(key.keyId);
      } else {
        const { secretSha256 } = key;
        accepted.set(key.keyId, { secretSha256, principal: found, until: startedAt + CACHED_MS });
      }
      return found;
    };
    const current: Lookup = { keyId: key.keyId, overtaken: false, found: Promise.resolve(undefined) };
    running.set(credentials, current);
    const isNew = acceptedBefore(key) === undefined;
    const queue = isOverFailureLimit ? newKeysOverLimit : newKeys;
    const entry = { timeoutMs: call.timeoutMs ?? Infinity, part: key.keyId };
    current.found = (isNew ? queue.run(clientNetwork(remoteAddress), entry, run) : run()).finally(() => {
      if (running.get(credentials) === current) running.delete(credentials);
    });
    return current.found;
  }

  async function judge(key: ParsedApiKey, request: LookupRequest): Promise<Judgement> {
    const known = cached(key);
    if (known !== undefined) return known;
    for (let attempt = 0; attempt < LOOKUPS_PER_REQUEST; attempt += 1) {
      const found = await lookUpOnce(key, request);
      if (found === 'refused') return { principal: undefined, outcome: 'refused' };
      if (found !== undefined) return { principal: found, outcome: 'looked_up' };
    }
    throw checkUnavailable();
  }

  function overtake(isAffected: (lookUp: Lookup) => boolean): void {
    for (const [credentials, lookUp] of running) {
      if (!isAffected(lookUp)) continue;
      lookUp.overtaken = true;
      running.delete(credentials);
    }
  }

  return {
    async authenticate(request) {
      const text = request.header('x-api-key');
      const key = text === undefined ? undefined : parseApiKey(text, deps.environment);
      if (key === undefined) {
        outcomes.inc({ outcome: 'malformed' });
        throw new ServiceError('unauthenticated', `x-api-key: ${apiKeyViolation(text, deps.environment)}`);
      }
      const { principal, outcome } = await judge(key, request).catch((error: unknown) => {
        outcomes.inc({ outcome: 'unavailable' });
        throw error;
      });
      const { isWithinNetworks = () => true } = principal ?? {};
      const isElsewhere = !isWithinNetworks(request.remoteAddress);
      outcomes.inc({ outcome: isElsewhere ? 'outside_networks' : outcome });
      if (principal === undefined) throw new ServiceError('unauthenticated', keyRefusal(deps.surface));
      if (isElsewhere) throw new ServiceError('permission_denied', outsideNetworks(request.remoteAddress));
      return principal;
    },
    forget(keyId) {
      accepted.delete(keyId);
      overtake((lookUp) => lookUp.keyId === keyId);
    },
    forgetAll() {
      for (const entry of accepted.values()) entry.until = -Infinity;
      overtake(() => true);
    },
  };
}

type LookupRequest = Pick<AuthenticationRequest, 'call' | 'remoteAddress' | 'isOverFailureLimit'>;

interface Judgement {
  readonly principal: ApiKeyPrincipal | undefined;
  readonly outcome: string;
}

interface Lookup {
  readonly keyId: string;
  /** A revocation arrived after the lookup began, so the result may be older than the revocation. */
  overtaken: boolean;
  found: Promise<ApiKeyPrincipal | 'refused' | undefined>;
}

function credentialsOf({ keyId, secretSha256 }: ParsedApiKey): string {
  return `${keyId}.${secretSha256.toString('base64')}`;
}

function checkUnavailable(): ServiceError {
  return new ServiceError('unavailable', 'the API key cannot be checked right now; nothing was done; retry', {
    retryAfterSeconds: 1,
  });
}

/** Undefined for a kind or class that is unknown to this version. Such a key is not valid on this surface. */
function principalFrom(
  keyId: string,
  found: FoundKey,
  environment: Environment,
): ApiKeyPrincipal | undefined {
  const { companyId, boundCompanyId, installerRequestsPerMinute, networks } = found;
  const kind = keyKind.safeParse(found.kind).data;
  const ofClass = companyClass.safeParse(found.companyClass).data;
  if (kind === undefined || ofClass === undefined) return undefined;
  // None for a script that is unknown to this version.
  const faults = environment === 'sandbox' ? requestFaults.safeParse(found.faults).data : undefined;
  return {
    kind,
    keyId,
    companyId,
    companyClass: ofClass,
    ...(boundCompanyId === undefined ? {} : { boundCompanyId }),
    ...(installerRequestsPerMinute === undefined ? {} : { installerRequestsPerMinute }),
    ...(networks === undefined ? {} : { isWithinNetworks: networkCheck(networks) }),
    ...(faults === undefined ? {} : { faults }),
  };
}
