import { create, toBinary } from '@bufbuild/protobuf';
import { describe, expect, test } from '@jest/globals';
import { KeyRevokedSchema } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { createApiKey, type NewApiKey } from '@partner/kernel/security/api-key';
import { ServiceError } from '@partner/kernel/process/service-error';
import { applyRevocation } from './revocation-listener.js';
import { createFixture, general, key, refuseKey } from '../testing/authenticator-fixture.js';

const refused = (authenticated: Promise<unknown>) =>
  expect(authenticated).rejects.toMatchObject({ reason: 'unauthenticated' });

describe('lookups', () => {
  const madeUp = (count: number) => Array.from({ length: count }, () => createApiKey('sandbox').text);
  /** Authenticates from several networks in turn. */
  const authenticateFromMany = (
    authenticate: ReturnType<typeof createFixture>['authenticate'],
    texts: readonly string[],
    networks = 20,
  ) =>
    texts.map((text, n) => authenticate(text, `198.51.100.${n % networks}`).catch((error: unknown) => error));
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
    const { authenticate, lookUp, lookUps, metrics, rest } = createFixture(undefined, {
      restsInTheQueue: true,
    });
    const flood = madeUp(201).map((text) => authenticate(text, undefined, true));
    await lookUp(1);
    await expect(authenticate(key.text, undefined, true)).rejects.toMatchObject({ reason: 'unavailable' });
    expect(await metrics.metrics()).toContain('partner_key_authentications_total{outcome="unavailable"} 1');
    expect(lookUps.all()).toHaveLength(1);
    // What waits would keep the process of the test from ending.
    for (let made = 1; made <= flood.length; made += 1) {
      (await lookUp(made)).resolve(general);
      rest();
    }
    await Promise.all(flood);
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

  test('takes effect with the next request, and not for other keys [AUTH-13]', async () => {
    let isRevoked = false;
    const fixture = createFixture(() => (isRevoked ? refuseKey() : general));
    const other = createApiKey('sandbox').text;
    for (const text of [key.text, other]) await fixture.authenticate(text);
    isRevoked = true;
    expect(await fixture.authenticate(key.text)).toMatchObject({ companyId: 'cmp_1' });
    revoke(fixture, key);
    await refused(fixture.authenticate(key.text));
    expect(await fixture.authenticate(other)).toMatchObject({ companyId: 'cmp_1' });
  });

  test('that arrives during a lookup overrides its result, and not that of another key', async () => {
    const fixture = createFixture();
    const pending = fixture.authenticate(key.text);
    const other = fixture.authenticate(createApiKey('sandbox').text);
    const [first, ofOther] = [await fixture.lookUp(1), await fixture.lookUp(2)];
    revoke(fixture, key);
    first.resolve(general);
    ofOther.resolve(general);
    await other;
    (await fixture.lookUp(3)).reject(new ServiceError('unauthenticated', 'revoked'));
    await refused(pending);
    await refused(fixture.authenticate(key.text));
    expect(fixture.calls).toHaveLength(3);
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
