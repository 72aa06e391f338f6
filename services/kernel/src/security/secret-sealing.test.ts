import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { openSecret, sealingKeyIdOf, sealingKeysSetting, sealSecret } from './secret-sealing.js';
import { fc } from '@partner/test-kit/fast-check';

const OWNER = { ownerId: 'whk_1', version: 2 };
const KEY_A = randomBytes(32).toString('base64');
const KEY_B = randomBytes(32).toString('base64');
const A = sealingKeysSetting.parse(`a:${KEY_A}`);
const B_AND_A = sealingKeysSetting.parse(`b:${KEY_B},a:${KEY_A}`);
const B = sealingKeysSetting.parse(`b:${KEY_B}`);

describe('a sealed secret', () => {
  test('opens to the original secret', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // A text that is not valid UTF-8 cannot be a secret either.
        const secret = Buffer.from(text, 'utf8').toString('utf8');
        expect(openSecret(A, OWNER, sealSecret(A, OWNER, secret))).toBe(secret);
      }),
    );
  });

  test('differs each time and reveals nothing of the secret', () => {
    const [one, other] = [sealSecret(A, OWNER, 'whsec_abc'), sealSecret(A, OWNER, 'whsec_abc')];
    expect(one).not.toEqual(other);
    expect(one.toString('latin1')).not.toContain('whsec');
  });

  test('opens from a view into a larger buffer, as a protobuf message holds it', () => {
    const sealed = sealSecret(A, OWNER, 'whsec_abc');
    const larger = Buffer.concat([Buffer.alloc(7, 0xff), sealed, Buffer.alloc(9, 0xff)]);
    expect(openSecret(A, OWNER, new Uint8Array(larger.buffer, larger.byteOffset + 7, sealed.length))).toBe(
      'whsec_abc',
    );
  });

  test('does not open for another owner or version [SECRET-7]', () => {
    const sealed = sealSecret(A, OWNER, 'whsec_abc');
    expect(() => openSecret(A, { ...OWNER, ownerId: 'whk_2' }, sealed)).toThrow();
    expect(() => openSecret(A, { ...OWNER, version: 3 }, sealed)).toThrow();
  });

  test('does not open if changed or truncated', () => {
    const sealed = sealSecret(A, OWNER, 'whsec_abc');
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => openSecret(A, OWNER, changed)).toThrow();
      expect(() => openSecret(A, OWNER, sealed.subarray(0, index))).toThrow();
    }
  });

  test('opens with an older key that is still configured, and not without it', () => {
    const old = sealSecret(A, OWNER, 'whsec_old');
    expect(openSecret(B_AND_A, OWNER, old)).toBe('whsec_old');
    expect(() => openSecret(B, OWNER, old)).toThrow('a key that this process does not have');
  });

  test('is sealed with the first key, and names it', () => {
    const sealed = sealSecret(B_AND_A, OWNER, 'whsec_new');
    expect(openSecret(B, OWNER, sealed)).toBe('whsec_new');
    expect(sealingKeyIdOf(sealed)).toBe('b');
    expect(sealingKeyIdOf(sealSecret(A, OWNER, 'whsec_new'))).toBe('a');
  });
});

describe('the setting of the sealing keys', () => {
  test('names them in order, the current one first', () => {
    expect(B_AND_A.currentKeyId).toBe('b');
    expect([...B_AND_A.keys.keys()]).toEqual(['b', 'a']);
  });

  test.each([
    ['no key', ''],
    ['a short key', `a:${Buffer.alloc(31).toString('base64')}`],
    ['a later key without entropy', `a:${KEY_A},b:${Buffer.alloc(32).toString('base64')}`],
    ['no id', `:${KEY_A}`],
    ['an id twice', `a:${KEY_A},a:${KEY_B}`],
    ['an empty part', `a:${KEY_A},`],
    ['an id with a space in it', `a b:${KEY_A}`],
  ])('is refused with %s', (_what, text) => {
    const result = sealingKeysSetting.safeParse(text);
    expect(result.success).toBe(false);
  });
});
