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

  test('is parsed to its stored form [AUTH-10]', () => {
    fc.assert(
      fc.property(environments, randomBytes, (environment, random) => {
        const key = createApiKey(environment, { random });
        const secret = key.text.slice(key.text.indexOf('.') + 1);
        expect(parseApiKey(key.text, environment)).toEqual({
          keyId: key.keyId,
          secretSha256: key.secretSha256,
        });
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

  test('is refused in the other environment [AUTH-2, AUTH-11]', () => {
    expect(parseApiKey(createApiKey('sandbox').text, 'production')).toBeUndefined();
    expect(parseApiKey(createApiKey('production').text, 'sandbox')).toBeUndefined();
  });

  test.each<[string, string | undefined, string]>([
    ['no key', undefined, 'is required'],
    ['an empty key', '', 'is required'],
    [
      'a key without a dot',
      createApiKey('sandbox').text.replace('.', ''),
      'must be one key of the form <keyId>.<secret>',
    ],
    ['two keys', `${createApiKey('sandbox').text}, ${createApiKey('sandbox').text}`, 'must be one key'],
    ['an id of something else', createApiKey('sandbox').text.replace('key_', 'job_'), 'begins with key_'],
    [
      'a key of the other environment',
      createApiKey('production').text,
      'is a key of the production (svc_live_), but this is the sandbox',
    ],
    ['another secret', `${createApiKey('sandbox').keyId}.secret`, 'begins with svc_test_'],
    ['a part of a key', createApiKey('sandbox').text.slice(0, -1), 'incomplete or changed'],
    ['a key with something after it', `${createApiKey('sandbox').text} `, 'incomplete or changed'],
    ['a key with a line end', `${createApiKey('sandbox').text}\n`, 'incomplete or changed'],
    ['a key with something before it', ` ${createApiKey('sandbox').text}`, 'begins with key_'],
  ])(
    'is not parsed from %s, and the violation is named without the secret [AUTH-12]',
    (_what, text, violation) => {
      const said = apiKeyViolation(text, 'sandbox');
      expect(parseApiKey(text ?? '', 'sandbox')).toBeUndefined();
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
