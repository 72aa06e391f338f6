import type { CallOptions, Client } from '@connectrpc/connect';
import {
  type AuthenticationService,
  type AuthenticateKeyResponse,
  CompanyClass,
  KeyKind,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import {
  KEY_KINDS,
  type KeyKindName,
  type Scope,
  type Surface,
} from '@partner/proto-contracts/public-api/scopes';
import { keyRefusal } from '@partner/proto-contracts/public-api/refusals';
import { requestFaults, type RequestFaults } from '@partner/proto-contracts/public-api/fault-script';
import { LRUCache } from 'lru-cache';
import { timingSafeEqual } from 'node:crypto';
import { Counter, type Registry } from 'prom-client';
import { serviceErrorFrom } from '@partner/kernel/amqp/rpc-error';
import { type Environment, faultOfApiKey, type ParsedApiKey, parseApiKey } from '@partner/kernel/api-key';
import { invariant } from '@partner/kernel/invariant';
import { ServiceError } from '@partner/kernel/service-error';
import type { After } from '@partner/kernel/timers';
import { clientNetwork } from './client-address.js';
import { createFairQueue } from './fair-queue.js';
import type { AuthenticationRequest } from './http-app.js';

/** The caller behind an API key. */
export interface ApiKeyPrincipal {
  readonly kind: KeyKindName;
  readonly keyId: string;
  /** The company that owns the key. */
  readonly companyId: string;
  readonly companyClass: 'SALES' | 'INSTALLER' | 'ACCOUNTING';
  /** For an installer-contractor key: the installer company that it is bound to. */
  readonly boundCompanyId?: string;
  /** The company's own installer limit; absent: the standard one. */
  readonly installerRequestsPerMinute?: number;
  /** In the sandbox only: what goes wrong on purpose with requests of the key. */
  readonly faults?: RequestFaults;
}

/** Finds the caller of a request by its `x-api-key` header. */
export interface ApiKeyAuthenticator {
  /**
   * Throws `unauthenticated` (spec: Authentication 4) with what the header itself shows to be wrong, and with one message for all
   * that only a lookup can tell apart; `unavailable` when the lookup fails.
   */
  authenticate(
    request: Pick<AuthenticationRequest, 'header' | 'call' | 'remoteAddress' | 'isOverFailureLimit'>,
  ): Promise<ApiKeyPrincipal>;
  /** To be called when a key has been revoked. */
  forget(keyId: string): void;
  /** To be called when revocations may have been missed. */
  forgetAll(): void;
}

/** Requests with no valid key that one client address may make in any 60 seconds; no honest client makes many. */
export const FAILED_AUTHENTICATIONS_PER_MINUTE = 600;

/** How long a look-up is believed, counted from its start: with the broadcast lost, revocation still holds within 5 seconds. */
const BELIEVED_MS = 4_000;
const REFUSAL_BELIEVED_MS = 1_000;
const CACHED_KEYS = 10_000;
const LOOK_UPS_PER_REQUEST = 3;
/** Of keys that were not accepted before: at most 20 at a time and 500 a second, so that made-up keys do not starve job-state. */
const NEW_KEY_LOOK_UPS = { slots: 20, slotMs: 40, maxWaiting: 2_000 } as const;
/** Of such keys from networks over their limit of failures: at most 50 a second, and 4 seconds until the last one starts. */
const OVER_LIMIT_LOOK_UPS = { slots: 2, slotMs: 40, maxWaiting: 200 } as const;

/** The scopes of a principal, fixed by its kind of key (spec: Authentication 3). */
export function scopesOfPrincipal(principal: Pick<ApiKeyPrincipal, 'kind'>): readonly Scope[] {
  return KEY_KINDS[principal.kind].scopes;
}

/**
 * Makes the authenticator of one surface in one environment. What can not be a key is refused without a look-up. A key
 * that was looked up is believed for at most 4 seconds, a refusal for 1 second; there is one look-up at a time for the
 * same key and secret. A key that was accepted and has not been refused since is looked up again at once. Other keys wait for
 * their turn in a bounded queue, in which the client networks take turns, and the key ids of one network. Networks over their
 * limit of failed authentications have such a queue of their own, so that they cannot fill that of the others.
 * Memory is bounded. A revocation that arrives during a look-up wins over its answer.
 */
export function createApiKeyAuthenticator(deps: {
  readonly access: Pick<Client<typeof AuthenticationService>, 'authenticateKey'>;
  readonly surface: Surface;
  readonly environment: Environment;
  /** Milliseconds since any fixed instant. Never set back, so that nothing prolongs the belief in a revoked key. */
  readonly monotonicMs: () => number;
  readonly metrics: Registry;
  readonly after?: After;
}): ApiKeyAuthenticator {
  // Two caches, so that a flood of invented keys can not push out the keys in use.
  const accepted = new LRUCache<string, { secretSha256: Buffer; principal: ApiKeyPrincipal; until: number }>({
    max: CACHED_KEYS,
  });
  const refused = new LRUCache<string, number>({ max: CACHED_KEYS });
  const running = new Map<string, LookUp>();
  const timers = deps.after === undefined ? {} : { after: deps.after };
  const newKeys = createFairQueue({ ...NEW_KEY_LOOK_UPS, ...timers });
  const newKeysOverLimit = createFairQueue({ ...OVER_LIMIT_LOOK_UPS, ...timers });
  const outcomes = new Counter({
    name: 'partner_key_authentications_total',
    help: 'Requests by how their API key was judged',
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
      // No signal: other requests may be waiting for the same look-up.
      const { signal: _signal, ...patient } = call;
      const { keyId, secretSha256 } = key;
      const response = await deps.access.authenticateKey({ keyId, secretSha256 }, patient);
      const principal = principalFrom(keyId, response, deps.environment);
      return principal !== undefined && KEY_KINDS[principal.kind].surface === deps.surface
        ? principal
        : 'refused';
    } catch (thrown) {
      const error = serviceErrorFrom(thrown);
      if (error.reason === 'unauthenticated') return 'refused';
      throw error;
    }
  }

  /** One look-up for all that ask for the same key and secret. Undefined when the answer was overtaken by a revocation. */
  async function lookUpOnce(
    key: ParsedApiKey,
    { call, remoteAddress, isOverFailureLimit }: LookUpRequest,
  ): Promise<ApiKeyPrincipal | 'refused' | undefined> {
    const credentials = credentialsOf(key);
    const joined = running.get(credentials);
    if (joined !== undefined) return joined.answer;

    const askedAt = deps.monotonicMs();
    const run = async () => {
      const startedAt = deps.monotonicMs();
      // The caller no longer waits.
      if (startedAt - askedAt >= (call.timeoutMs ?? Infinity)) throw cannotTell();
      const answer = await lookUp(key, call);
      if (current.overtaken) return undefined;
      if (answer === 'refused') {
        refused.set(credentials, startedAt + REFUSAL_BELIEVED_MS);
        if (acceptedBefore(key) !== undefined) accepted.delete(key.keyId);
      } else {
        const { secretSha256 } = key;
        accepted.set(key.keyId, { secretSha256, principal: answer, until: startedAt + BELIEVED_MS });
      }
      return answer;
    };
    const current: LookUp = { keyId: key.keyId, overtaken: false, answer: Promise.resolve(undefined) };
    running.set(credentials, current);
    const isNew = acceptedBefore(key) === undefined;
    const queue = isOverFailureLimit ? newKeysOverLimit : newKeys;
    const place = { owner: clientNetwork(remoteAddress), key: key.keyId };
    current.answer = (isNew ? queue.run(place, run) : run()).finally(() => {
      if (running.get(credentials) === current) running.delete(credentials);
    });
    return current.answer;
  }

  async function judge(key: ParsedApiKey, request: LookUpRequest): Promise<Judgement> {
    const known = cached(key);
    if (known !== undefined) return known;
    for (let attempt = 0; attempt < LOOK_UPS_PER_REQUEST; attempt += 1) {
      const answer = await lookUpOnce(key, request);
      if (answer === 'refused') return { principal: undefined, outcome: 'refused' };
      if (answer !== undefined) return { principal: answer, outcome: 'looked_up' };
    }
    throw cannotTell();
  }

  function overtake(isAffected: (lookUp: LookUp) => boolean): void {
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
        throw new ServiceError('unauthenticated', `x-api-key: ${faultOfApiKey(text, deps.environment)}`);
      }
      const { principal, outcome } = await judge(key, request).catch((error: unknown) => {
        outcomes.inc({ outcome: 'unavailable' });
        throw error;
      });
      outcomes.inc({ outcome });
      if (principal === undefined) throw new ServiceError('unauthenticated', keyRefusal(deps.surface));
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

type LookUpRequest = Pick<AuthenticationRequest, 'call' | 'remoteAddress' | 'isOverFailureLimit'>;

interface Judgement {
  readonly principal: ApiKeyPrincipal | undefined;
  readonly outcome: string;
}

interface LookUp {
  readonly keyId: string;
  /** A revocation came in after the look-up began: its answer may be older than that. */
  overtaken: boolean;
  answer: Promise<ApiKeyPrincipal | 'refused' | undefined>;
}

function credentialsOf({ keyId, secretSha256 }: ParsedApiKey): string {
  return `${keyId}.${secretSha256.toString('base64')}`;
}

function cannotTell(): ServiceError {
  return new ServiceError('unavailable', 'the key cannot be checked at this moment; retry', {
    retryAfterSeconds: 1,
  });
}

const KIND_NAMES: Readonly<Record<KeyKind, KeyKindName | undefined>> = {
  [KeyKind.UNSPECIFIED]: undefined,
  [KeyKind.GENERAL]: 'general',
  [KeyKind.INSTALLER_CONTRACTOR]: 'installer-contractor',
  [KeyKind.INSTALLER_COMPANY]: 'installer-company',
};

const CLASS_NAMES: Readonly<Record<CompanyClass, ApiKeyPrincipal['companyClass'] | undefined>> = {
  [CompanyClass.UNSPECIFIED]: undefined,
  [CompanyClass.SALES]: 'SALES',
  [CompanyClass.INSTALLER]: 'INSTALLER',
  [CompanyClass.ACCOUNTING]: 'ACCOUNTING',
};

/** Undefined for a kind or class that this version does not know: such a key is no key of this surface. */
function principalFrom(
  keyId: string,
  response: AuthenticateKeyResponse,
  environment: Environment,
): ApiKeyPrincipal | undefined {
  const { companyId, boundCompanyId, installerRequestsPerMinute } = response;
  const kind = KIND_NAMES[response.kind ?? KeyKind.UNSPECIFIED];
  const companyClass = CLASS_NAMES[response.companyClass ?? CompanyClass.UNSPECIFIED];
  if (kind === undefined || companyClass === undefined) return undefined;
  invariant(companyId, 'a principal has a company');
  const faults = environment === 'sandbox' ? faultsFrom(response.faultsJson) : undefined;
  return {
    kind,
    keyId,
    companyId,
    companyClass,
    ...(boundCompanyId === undefined ? {} : { boundCompanyId }),
    ...(installerRequestsPerMinute === undefined ? {} : { installerRequestsPerMinute }),
    ...(faults === undefined ? {} : { faults }),
  };
}

/** Undefined for a script that this version does not know: everything is as usual then. */
function faultsFrom(json: string | undefined): RequestFaults | undefined {
  if (json === undefined) return undefined;
  const script: unknown = JSON.parse(json);
  return requestFaults.safeParse(script).data;
}
