import { describe, expect, test } from '@jest/globals';
import { createApiKey, type Environment, apiKeyViolation } from '@partner/kernel/security/api-key';
import { ServiceError } from '@partner/kernel/process/service-error';
import { createFixture, general, key, refuseKey } from '../testing/authenticator-fixture.js';

describe('API key authentication', () => {
  test('returns the principal of a key', async () => {
    const { authenticate, calls } = createFixture(() => ({
      ...{ ...general, kind: 'installer-contractor', boundCompanyId: 'cmp_2' },
      installerRequestsPerMinute: 120,
    }));
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

  test('returns the fault script of a key in the sandbox only, and only if it is known [SANDBOX-3]', async () => {
    const faults = { id: 'f-1', requests: [{ fault: 'delay', delayMs: 5, times: 1 }] };
    const principalIn = (environment: Environment, script: object) =>
      createFixture(() => ({ ...general, faults: script }), { environment, surface: 'inbound' }).authenticate(
        createApiKey(environment).text,
      );
    expect(await principalIn('sandbox', faults)).toMatchObject({ faults });
    expect(await principalIn('production', faults)).not.toHaveProperty('faults');
    const newer = { ...faults, requests: [{ fault: 'meltdown' }] };
    expect(await principalIn('sandbox', newer)).not.toHaveProperty('faults');
  });

  test('refuses a key of another surface, of an unknown kind and of an unknown class, with the text for an unknown key [AUTH-12]', async () => {
    const lookups = [
      () => ({ ...general, kind: 'installer-company' }),
      () => ({ ...general, kind: 'automation' }),
      () => ({ ...general, kind: 'of-tomorrow' }),
      () => ({ ...general, companyClass: 'OF_TOMORROW' }),
      refuseKey,
    ];
    const messages = await Promise.all(
      lookups.map(async (respond) => {
        const error: unknown = await createFixture(respond)
          .authenticate(key.text)
          .catch((thrown: unknown) => thrown);
        return error instanceof ServiceError ? [error.reason, error.message] : error;
      }),
    );
    expect(new Set(messages.map(String)).size).toBe(1);
    expect(messages[0]).toContain('unauthenticated');
  });

  test('refuses a client outside the networks of its key, whatever is cached, and names its address [AUTH-17]', async () => {
    const networks = ['203.0.113.0/24', '2001:db8::/48'];
    const { authenticate, calls } = createFixture(() => ({ ...general, networks }));
    for (const address of ['203.0.113.1', '2001:db8:0:1::1'])
      await expect(authenticate(key.text, address)).resolves.toMatchObject({ keyId: key.keyId });
    for (const address of ['203.0.114.1', '2001:db8:1::1', 'unknown-0123456789abcdef']) {
      await expect(authenticate(key.text, address)).rejects.toMatchObject({
        ...{ reason: 'permission_denied', message: expect.stringContaining(` ${address} `) },
      });
    }
    expect(calls).toHaveLength(1);
  });

  test('shares a lookup between concurrent requests, and caches it for 4 seconds from its start [AUTH-13]', async () => {
    const { authenticate, calls, advance, lookUp } = createFixture();
    const pending = [authenticate(key.text), authenticate(key.text)];
    const { resolve } = await lookUp(1);
    advance(1_000);
    resolve(general);
    await Promise.all(pending);
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

  test('caches the most recently used keys, of a bounded number, and no invented key evicts them', async () => {
    let isKnown = true;
    const { authenticate, calls, advance } = createFixture(() => (isKnown ? general : refuseKey()));
    await authenticate(key.text);
    const others = Array.from({ length: 10_000 }, () => createApiKey('sandbox').text);
    isKnown = false;
    let refusals = 0;
    for (const other of others) await authenticate(other).catch(() => (refusals += 1));
    expect(refusals).toBe(10_000);
    await authenticate(key.text);
    expect(calls).toHaveLength(10_001);
    isKnown = true;
    advance(1_000);
    for (const other of others) await authenticate(other);
    expect(calls).toHaveLength(20_001);
    await authenticate(others.at(-1));
    expect(calls).toHaveLength(20_001);
    await authenticate(key.text);
    expect(calls).toHaveLength(20_002);
  });
});
