import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createApiKey, type Environment, apiKeyViolation, parseApiKey } from './api-key.js';
import { fc } from '@partner/test-kit/fast-check';

const environments = fc.constantFrom<Environment>('sandbox', 'production');
const randomBytes = fc.uint8Array({ minLength: 64, maxLength: 64 });

describe('an API key', () => {
  test('reads <keyId>.<secret>, with the prefix of its environment and 38 characters after it [AUTH-1, AUTH-2, AUTH-10]', () => {
    expect(createApiKey('sandbox').text).toMatch(/^key_[0-9a-z]{26}\.svc_test_[0-9A-Za-z]{38}$/);
    expect(createApiKey('production').text).toMatch(/^key_[0-9a-z]{26}\.svc_live_[0-9A-Za-z]{38}$/);
  });

  test('is parsed to its stored form, in its environment only [AUTH-2, AUTH-10, AUTH-11]', () => {
    fc.assert(
      fc.property(environments, randomBytes, (environment, random) => {
        const key = createApiKey(environment, { random });
        const secret = key.text.slice(key.text.indexOf('.') + 1);
        expect(parseApiKey(key.text, environment)).toEqual({
          keyId: key.keyId,
          secretSha256: key.secretSha256,
        });
        const other = environment === 'sandbox' ? 'production' : 'sandbox';
        expect(parseApiKey(key.text, other)).toBeUndefined();
        expect(key.secretSha256).toEqual(createHash('sha256').update(secret).digest());
        expect(key.lastFour).toBe(secret.slice(-4));
      }),
    );
  });

  test('is the same for the same randomness and different for other randomness', () => {
    const keyId = createApiKey('sandbox').keyId;
    const random = Buffer.alloc(64, 7);
    expect(createApiKey('sandbox', { keyId, random })).toEqual(createApiKey('sandbox', { keyId, random }));
    expect(createApiKey('sandbox').text).not.toBe(createApiKey('sandbox').text);
  });

  test('skips bytes that would favour some characters, and draws more if too many are skipped', () => {
    const key = createApiKey('sandbox', { random: Buffer.alloc(64, 255) });
    expect(parseApiKey(key.text, 'sandbox')).toBeDefined();
  });

  const { text, keyId } = createApiKey('sandbox');
  const { text: live } = createApiKey('production');
  test.each<[string, string | undefined, string]>([
    ['no key', undefined, 'is required'],
    ['an empty key', '', 'is required'],
    ['a key without a dot', text.replace('.', ''), 'must be one key of the form <keyId>.<secret>'],
    ['two keys', `${text}, ${text}`, 'must be one key'],
    ['an id of something else', text.replace('key_', 'job_'), 'begins with key_'],
    ['a key of the other environment', live, 'of the production (svc_live_), but this is the sandbox'],
    ['another secret', `${keyId}.secret`, 'begins with svc_test_'],
    ['a part of a key', text.slice(0, -1), 'incomplete or changed'],
    ['a key with something after it', `${text} `, 'incomplete or changed'],
    ['a key with a line end', `${text}\n`, 'incomplete or changed'],
    ['a key with something before it', ` ${text}`, 'begins with key_'],
  ])(
    'is not parsed from %s, and the violation is named without the secret [AUTH-12]',
    (_what, given, violation) => {
      const said = apiKeyViolation(given, 'sandbox');
      expect(parseApiKey(given ?? '', 'sandbox')).toBeUndefined();
      expect(said).toContain(violation);
      expect(said).not.toMatch(/svc_(test|live)_\w/);
    },
  );

  test('is refused after any change of one character of its secret [AUTH-10]', () => {
    fc.assert(
      fc.property(randomBytes, fc.nat(), fc.constantFrom('0', 'a', 'Z'), (random, where, character) => {
        const { text } = createApiKey('sandbox', { random });
        const secretStart = text.indexOf('.') + 1;
        const index = secretStart + (where % (text.length - secretStart));
        const changed = text.slice(0, index) + character + text.slice(index + 1);
        if (changed !== text) expect(parseApiKey(changed, 'sandbox')).toBeUndefined();
      }),
    );
  });

  test('is never parsed from other text, and no text makes the parser throw [AUTH-10]', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (other) => {
        expect(parseApiKey(other, 'sandbox')).toBeUndefined();
      }),
    );
  });
});
