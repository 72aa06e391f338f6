import { describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { fc } from '@partner/test-kit/fast-check';
import { MAX_JSON_DEPTH, nestsTooDeep, sha256OfCanonicalJson } from './canonical-json.js';

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest();

function withReversedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReversedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value).reverse()) {
    Object.defineProperty(copy, name, { value: withReversedKeys(member), enumerable: true });
  }
  return copy;
}

describe('the canonical hash', () => {
  test('is the same for any order of keys [IDEM-5]', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = JSON.parse(text);
        expect(sha256OfCanonicalJson(withReversedKeys(value))).toEqual(sha256OfCanonicalJson(value));
      }),
    );
  });

  test.each([
    ['{"b":1,"a":{"d":[2,1],"c":null}}', '{"a":{"c":null,"d":[2,1]},"b":1}'],
    ['{"n":1.0,"m":1e3}', '{"m":1000,"n":1}'],
    ['{"text":"\\u00e9\\n"}', '{"text":"é\\n"}'],
    ['{"toJSON":"x","b":1,"a":2}', '{"a":2,"b":1,"toJSON":"x"}'],
    ['{"__proto__":{"admin":true},"a":1}', '{"__proto__":{"admin":true},"a":1}'],
    ['"text"', '"text"'],
    ['{"10":1,"9":2}', '{"10":1,"9":2}'],
  ])('of %s is the SHA-256 of %s', (text, canonical) => {
    expect(sha256OfCanonicalJson(JSON.parse(text)).toString('hex')).toBe(sha256(canonical).toString('hex'));
  });

  test('differs for different values, also by the order in arrays', () => {
    expect(sha256OfCanonicalJson([1, 2])).not.toEqual(sha256OfCanonicalJson([2, 1]));
    expect(sha256OfCanonicalJson({ a: 1 })).not.toEqual(sha256OfCanonicalJson({ a: '1' }));
    expect(sha256OfCanonicalJson({ a: null })).not.toEqual(sha256OfCanonicalJson({}));
  });

  test('of no body is the hash of the empty text', () => {
    expect(sha256OfCanonicalJson(undefined)).toEqual(sha256(''));
  });
});

describe('the depth guard', () => {
  const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

  test('accepts the maximum depth and refuses one more', () => {
    expect(nestsTooDeep(nested(MAX_JSON_DEPTH))).toBe(false);
    expect(nestsTooDeep(nested(MAX_JSON_DEPTH + 1))).toBe(true);
  });

  test('counts only objects and arrays', () => {
    expect(nestsTooDeep({ text: 'a'.repeat(100), number: 1, none: null })).toBe(false);
  });

  test('survives a body of brackets only', () => {
    expect(nestsTooDeep(nested(500_000))).toBe(true);
  });
});
