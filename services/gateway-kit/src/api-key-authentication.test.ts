import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, test } from '@jest/globals';
import {
  type AuthenticateKeyResponse,
  AuthenticateKeyResponseSchema,
  CompanyClass,
  KeyKind,
  KeyRevokedSchema,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { Registry } from 'prom-client';
import { createApiKey, type Environment, apiKeyViolation, type NewApiKey } from '@partner/kernel/api-key';
import { invariant } from '@partner/kernel/invariant';
import { ServiceError } from '@partner/kernel/service-error';
import { createManualTimers } from '@partner/kernel/testing/manual-timers';
import { createRecorder } from '@partner/test-kit/recorder';
import type { After } from '@partner/kernel/timers';
import { createApiKeyAuthenticator } from './api-key-authentication.js';
import { applyRevocation } from './revocation-listener.js';

const general = create(AuthenticateKeyResponseSchema, {
  companyId: 'cmp_1',
  companyClass: CompanyClass.SALES,
  kind: KeyKind.GENERAL,
});

/** Slots never rest. */
const restsNever: After = (_milliseconds, then) => {
  then();
  return () => undefined;
};

/** An access service whose responses a test sends one by one, or all alike. */
function createFixture(
  respond?: () => AuthenticateKeyResponse,
  {
    environment = 'sandbox',
    surface = 'inbound',
    restsInTheQueue = false,
  }: {
    readonly environment?: Environment;
    readonly surface?: 'inbound' | 'installer';
    readonly restsInTheQueue?: boolean;
  } = {},
) {
  let now = 1_800_000_000_000;
  const lookUps = createRecorder<{
    resolve: (response: AuthenticateKeyResponse) => void;
    reject: (error: ServiceError) => void;
  }>();
  const timers = createManualTimers();
  const calls: { keyId: string | undefined; timeoutMs: number | undefined; hasSignal: boolean }[] = [];
  const metrics = new Registry();
  const authenticator = createApiKeyAuthenticator({
    access: {
      async authenticateKey(request, call) {
        calls.push({
          keyId: request.keyId,
          timeoutMs: call?.timeoutMs,
          hasSignal: call?.signal !== undefined,
        });
        if (respond !== undefined) return respond();
        return new Promise((resolve, reject) => lookUps.record({ resolve, reject }));
      },
    },
    surface,
    environment,
    monotonicMs: () => now,
    metrics,
    after: restsInTheQueue ? timers.after : restsNever,
  });
  return {
    authenticator,
    metrics,
    /** Ends the rest of the lookup slots. */
    rest: () => timers.pass(40),
    calls,
    lookUps,
    /** Resolves to the lookup with that number, from 1, once it is made. */
    lookUp: async (number: number) => {
      const found = (await lookUps.atLeast(number))[number - 1];
      invariant(found, 'the lookup was made');
      return found;
    },
    advance: (ms: number) => (now += ms),
    authenticate: (text: string | undefined, remoteAddress = '203.0.113.1', isOverFailureLimit = false) =>
      authenticator.authenticate({
        header: (name) => (name === 'x-api-key' ? text : undefined),
        call: { timeoutMs: 600_000, signal: new AbortController().signal },
        remoteAddress,
        isOverFailureLimit,
      }),
  };
}

/** Encodes the message as a newer version would: the last value of a field counts. */
function withLastField(
  response: AuthenticateKeyResponse,
  field: number,
  value: number,
): AuthenticateKeyResponse {
  const bytes = toBinary(AuthenticateKeyResponseSchema, response);
  return fromBinary(AuthenticateKeyResponseSchema, Uint8Array.of(...bytes, field << 3, value));
}

function refuseKey(): never {
  throw new ServiceError('unauthenticated', 'no such key');
}

const key = createApiKey('sandbox');

describe('API key authentication', () => {
  test('returns the principal of a key', async () => {
    const { authenticate, calls } = createFixture(() =>
      create(AuthenticateKeyResponseSchema, {
        companyId: 'cmp_1',
        companyClass: CompanyClass.SALES,
        kind: KeyKind.INSTALLER_CONTRACTOR,
        boundCompanyId: 'cmp_2',
        installerRequestsPerMinute: 120,
      }),
    );
    expect(await authenticate(key.text)).toEqual({
      kind: 'installer-contractor',
      keyId: key.keyId,
      companyId: 'cmp_1',
      companyClass: 'SALES',
      boundCompanyId: 'cmp_2',
      installerRequestsPerMinute: 120,
    });
    expect(calls).toEqual([{ keyId: key.keyId, timeoutMs: 600_000, hasSignal: false }]);
  });

  test.each<[string, string | undefined]>([
    ['no key', undefined],
    ['a wrong checksum', `${key.text.slice(0, -1)}${key.text.endsWith('0') ? '1' : '0'}`],
    ['a key of the other environment', createApiKey('production').text],
  ])('refuses %s without a lookup, and names the violation [AUTH-10, AUTH-12]', async (_what, text) => {
    const { authenticate, calls } = createFixture(() => general);
    const message = `x-api-key: ${apiKeyViolation(text, 'sandbox')}`;
    await expect(authenticate(text)).rejects.toMatchObject({ reason: 'unauthenticated', message });
    expect(calls).toHaveLength(0);
  });

  test.each(
    (['sandbox', 'production'] as const).flatMap((environment) =>
      (['inbound', 'installer'] as const).map((surface) => ({ environment, surface })),
    ),
  )('accepts in the $environment only keys of the $environment: $surface', async (place) => {
    const { authenticate, calls } = createFixture(
      () =>
        create(AuthenticateKeyResponseSchema, {
          ...general,
          kind: place.surface === 'inbound' ? KeyKind.GENERAL : KeyKind.INSTALLER_COMPANY,
        }),
      place,
    );
    const other = place.environment === 'sandbox' ? 'production' : 'sandbox';
    expect(await authenticate(createApiKey(place.environment).text)).toMatchObject({ companyId: 'cmp_1' });
    expect(calls).toHaveLength(1);
    await expect(authenticate(createApiKey(other).text)).rejects.toMatchObject({ reason: 'unauthenticated' });
    expect(calls).toHaveLength(1);
  });

  test('returns the fault script of a key in the sandbox only, and only if it is known [SANDBOX-3]', async () => {
    const faults = { id: 'f-1', requests: [{ fault: 'delay', delayMs: 5, times: 1 }] };
    const principalIn = (environment: Environment, script: object) => {
      const answer = create(AuthenticateKeyResponseSchema, {
        ...general,
        faultsJson: JSON.stringify(script),
      });
      return createFixture(() => answer, { environment, surface: 'inbound' }).authenticate(
        createApiKey(environment).text,
      );
    };
    expect(await principalIn('sandbox', faults)).toMatchObject({ faults });
    expect(await principalIn('production', faults)).not.toHaveProperty('faults');
    const newer = { ...faults, requests: [{ fault: 'meltdown' }] };
    expect(await principalIn('sandbox', newer)).not.toHaveProperty('faults');
  });

  test('refuses a key of another surface, of an unknown kind and of an unknown class, with the text for an unknown key [AUTH-12]', async () => {
    const answers = [
      () => create(AuthenticateKeyResponseSchema, { ...general, kind: KeyKind.INSTALLER_COMPANY }),
      () => withLastField(general, 3, 99),
      () => withLastField(general, 2, 99),
      refuseKey,
    ];
    const messages = await Promise.all(
      answers.map(async (respond) => {
        const error: unknown = await createFixture(respond)
          .authenticate(key.text)
          .catch((thrown: unknown) => thrown);
        return error instanceof ServiceError ? [error.reason, error.message] : error;
      }),
    );
    expect(new Set(messages.map(String)).size).toBe(1);
    expect(messages[0]).toContain('unauthenticated');
  });

  test('caches a lookup for 4 seconds, counted from its start, and no longer [AUTH-13]', async () => {
    const { authenticate, calls, advance, lookUp } = createFixture();
    const first = authenticate(key.text);
    const { resolve } = await lookUp(1);
    advance(1_000);
    resolve(general);
    await first;
    advance(2_999);
    await authenticate(key.text);
    expect(calls).toHaveLength(1);
    advance(1);
    const second = authenticate(key.text);
    (await lookUp(2)).resolve(general);
    await second;
    expect(calls).toHaveLength(2);
  });

  test('does not accept another secret because the right one is cached', async () => {
    let isRight = true;
    const { authenticate } = createFixture(() => (isRight ? general : refuseKey()));
    await authenticate(key.text);
    isRight = false;
    const other = createApiKey('sandbox', { keyId: key.keyId });
    await expect(authenticate(other.text)).rejects.toMatchObject({ reason: 'unauthenticated' });
    expect(await authenticate(key.text)).toMatchObject({ companyId: 'cmp_1' });
  });

  test('shares one lookup between concurrent requests with the same key', async () => {
    const { authenticate, calls, lookUp } = createFixture();
    const pending = [authenticate(key.text), authenticate(key.text), authenticate(key.text)];
    (await lookUp(1)).resolve(general);
    expect(await Promise.all(pending)).toHaveLength(3);
    expect(calls).toHaveLength(1);
  });

  test('caches a refusal for 1 second', async () => {
    const { authenticate, calls, advance } = createFixture(refuseKey);
    await expect(authenticate(key.text)).rejects.toMatchObject({ reason: 'unauthenticated' });
    advance(999);
    await expect(authenticate(key.text)).rejects.toMatchObject({ reason: 'unauthenticated' });
    expect(calls).toHaveLength(1);
    advance(1);
    await expect(authenticate(key.text)).rejects.toMatchObject({ reason: 'unauthenticated' });
    expect(calls).toHaveLength(2);
  });

  test('passes on an unavailable lookup, and does not cache it', async () => {
    let isAway = true;
    const { authenticate } = createFixture(() => {
      if (isAway) throw new ServiceError('unavailable', 'away', { retryAfterSeconds: 1 });
      return general;
    });
    await expect(authenticate(key.text)).rejects.toMatchObject({ reason: 'unavailable' });
    isAway = false;
    expect(await authenticate(key.text)).toMatchObject({ companyId: 'cmp_1' });
  });

  test('caches a bounded number of keys, the most recently used ones', async () => {
    const { authenticate, calls } = createFixture(() => general);
    await authenticate(key.text);
    const others = Array.from({ length: 10_000 }, () => createApiKey('sandbox').text);
    for (const other of others) await authenticate(other);
    expect(calls).toHaveLength(10_001);
    await authenticate(others.at(-1));
    expect(calls).toHaveLength(10_001);
    await authenticate(key.text);
    expect(calls).toHaveLength(10_002);
  });

  test('does not let invented keys evict the keys in use', async () => {
    let isKnown = true;
    const { authenticate, calls } = createFixture(() => (isKnown ? general : refuseKey()));
    await authenticate(key.text);
    isKnown = false;
    for (let invented = 0; invented < 10_001; invented += 1) {
      await expect(authenticate(createApiKey('sandbox').text)).rejects.toMatchObject({
        reason: 'unauthenticated',
      });
    }
    expect(await authenticate(key.text)).toMatchObject({ companyId: 'cmp_1' });
    expect(calls).toHaveLength(10_002);
  });
});

describe('lookups', () => {
  const madeUp = (count: number) => Array.from({ length: count }, () => createApiKey('sandbox').text);
  /** Authenticates from several networks in turn. */
  const authenticateFromMany = (
    authenticate: ReturnType<typeof createFixture>['authenticate'],
    texts: readonly string[],
    networks = 20,
  ) =>
    texts.map((text, n) => authenticate(text, `198.51.100.${n % networks}`).catch((error: unknown) => error));
  const refused = (answer: Promise<unknown>) =>
    expect(answer).rejects.toMatchObject({ reason: 'unauthenticated' });

  test('find a valid key after 600 invented keys from the same address [LIMIT-6]', async () => {
    let isKnown = false;
    const { authenticate } = createFixture(() => (isKnown ? general : refuseKey()));
    await Promise.all(madeUp(600).map((text) => refused(authenticate(text))));
    isKnown = true;
    expect(await authenticate(key.text)).toMatchObject({ companyId: 'cmp_1' });
  });

  test('of new keys are 20 at a time at most, 10 for one network, round-robin over the networks [LIMIT-6, LIMIT-8]', async () => {
    const { authenticate, calls, lookUp, lookUps, rest } = createFixture(undefined, {
      restsInTheQueue: true,
    });
    const alone = madeUp(50).map((text) => authenticate(text, '192.0.2.1').catch((error: unknown) => error));
    await lookUp(10);
    expect(calls).toHaveLength(10);
    const flood = [...alone, ...authenticateFromMany(authenticate, madeUp(150), 10)];
    const valid = authenticate(key.text, '203.0.113.1');
    await lookUp(20);
    expect(calls).toHaveLength(20);
    rest();
    for (const { reject } of lookUps.all()) reject(new ServiceError('unauthenticated', 'no such key'));
    await lookUp(31);
    expect(calls.slice(20, 31).map(({ keyId }) => keyId)).toContain(key.keyId);
    while (calls.length < 201) {
      rest();
      for (const { resolve } of lookUps.all()) resolve(general);
      await lookUp(calls.length + 1);
    }
    for (const { resolve } of lookUps.all()) resolve(general);
    expect(await valid).toMatchObject({ companyId: 'cmp_1' });
    expect(await Promise.all(flood)).toHaveLength(200);
  });

  test('of a network over its failure limit use separate slots, round-robin over its key ids [LIMIT-6]', async () => {
    const { authenticate, calls, lookUp, lookUps, rest } = createFixture(undefined, {
      restsInTheQueue: true,
    });
    const authenticateOverLimit = (text: string) =>
      authenticate(text, undefined, true).catch((error: unknown) => error);
    const withOneKeyId = Array.from({ length: 5 }, () => createApiKey('sandbox', { keyId: key.keyId }).text);
    const guesses = withOneKeyId.map(authenticateOverLimit);
    const colleague = createApiKey('sandbox');
    const valid = authenticateOverLimit(colleague.text);
    await lookUp(1);
    const others = authenticateFromMany(authenticate, madeUp(20));
    await lookUp(21);
    expect(calls[0]?.keyId).toBe(key.keyId);
    expect(calls).toHaveLength(21);
    for (let done = 21; done < 26; done += 1) {
      rest();
      for (const { resolve } of lookUps.all()) resolve(general);
      await lookUp(done + 1);
    }
    for (const { resolve } of lookUps.all()) resolve(general);
    expect(calls.slice(21, 23).map(({ keyId }) => keyId)).toEqual([key.keyId, colleague.keyId]);
    expect(await valid).toMatchObject({ companyId: 'cmp_1' });
    await Promise.all([...guesses, ...others]);
  });

  test('that the queue refuses are counted as unavailable', async () => {
    const { authenticate, lookUp, lookUps, metrics } = createFixture(undefined, { restsInTheQueue: true });
    const flood = madeUp(201).map((text) => authenticate(text, undefined, true));
    await lookUp(1);
    await expect(authenticate(key.text, undefined, true)).rejects.toMatchObject({ reason: 'unavailable' });
    expect(await metrics.metrics()).toContain('partner_key_authentications_total{outcome="unavailable"} 1');
    expect(lookUps.all()).toHaveLength(1);
    void Promise.allSettled(flood);
  });

  test('of a key that was accepted before do not wait for others [LIMIT-6]', async () => {
    const { authenticate, advance, lookUp, lookUps } = createFixture();
    const first = authenticate(key.text);
    (await lookUp(1)).resolve(general);
    await first;
    advance(4_000);
    const flood = authenticateFromMany(authenticate, madeUp(20));
    await lookUp(21);
    const waiting = authenticate(createApiKey('sandbox').text);
    const again = authenticate(key.text);
    (await lookUp(22)).resolve(general);
    expect(await again).toMatchObject({ companyId: 'cmp_1' });
    expect(lookUps.all()).toHaveLength(22);
    for (const { resolve } of lookUps.all()) resolve(general);
    (await lookUp(23)).resolve(general);
    await Promise.all([...flood, waiting]);
  });
});

describe('a revocation', () => {
  const revoke = (fixture: ReturnType<typeof createFixture>, { keyId }: NewApiKey) => {
    applyRevocation(fixture.authenticator, {
      type: KeyRevokedSchema.typeName,
      body: toBinary(KeyRevokedSchema, create(KeyRevokedSchema, { keyId })),
    });
  };

  test('takes effect with the next request [AUTH-13]', async () => {
    let isRevoked = false;
    const fixture = createFixture(() => (isRevoked ? refuseKey() : general));
    await fixture.authenticate(key.text);
    isRevoked = true;
    expect(await fixture.authenticate(key.text)).toMatchObject({ companyId: 'cmp_1' });
    revoke(fixture, key);
    await expect(fixture.authenticate(key.text)).rejects.toMatchObject({ reason: 'unauthenticated' });
  });

  test('that arrives during a lookup overrides its result', async () => {
    const fixture = createFixture();
    const pending = fixture.authenticate(key.text);
    const first = await fixture.lookUp(1);
    revoke(fixture, key);
    first.resolve(general);
    const second = await fixture.lookUp(2);
    second.reject(new ServiceError('unauthenticated', 'revoked'));
    await expect(pending).rejects.toMatchObject({ reason: 'unauthenticated' });
    await expect(fixture.authenticate(key.text)).rejects.toMatchObject({ reason: 'unauthenticated' });
  });

  test('does not affect other keys and their lookups', async () => {
    const fixture = createFixture();
    const other = createApiKey('sandbox');
    const pending = fixture.authenticate(other.text);
    const lookUp = await fixture.lookUp(1);
    revoke(fixture, key);
    lookUp.resolve(general);
    await pending;
    await fixture.authenticate(other.text);
    expect(fixture.calls).toHaveLength(1);
  });

  test('that may have been missed clears the cache', async () => {
    const fixture = createFixture(() => general);
    await fixture.authenticate(key.text);
    fixture.authenticator.forgetAll();
    await fixture.authenticate(key.text);
    expect(fixture.calls).toHaveLength(2);
  });

  test('that cannot be decoded clears the cache; another message changes nothing', async () => {
    const fixture = createFixture(() => general);
    await fixture.authenticate(key.text);
    applyRevocation(fixture.authenticator, { type: 'partner.access.v1.Other', body: Uint8Array.of(255) });
    await fixture.authenticate(key.text);
    expect(fixture.calls).toHaveLength(1);
    applyRevocation(fixture.authenticator, { type: KeyRevokedSchema.typeName, body: Uint8Array.of(255) });
    await fixture.authenticate(key.text);
    expect(fixture.calls).toHaveLength(2);
  });

  test('that arrives repeatedly during lookups ends with unavailable, not in a loop', async () => {
    const fixture: ReturnType<typeof createFixture> = createFixture(() => {
      fixture.authenticator.forgetAll();
      return general;
    });
    await expect(fixture.authenticate(key.text)).rejects.toMatchObject({ reason: 'unavailable' });
  });
});
