import { describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { fc } from '@partner/test-kit/fast-check';
import { RELEASE_0_1_0 } from '@partner/test-kit/release-0-1-0';
import { parseSentJson, sha256OfCanonicalJson, sha256OfSentJson } from './canonical-json.js';

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

  test('of no body is the hash of the empty text', () => {
    expect(sha256OfCanonicalJson(undefined)).toEqual(sha256(''));
  });
});

describe('what binds an idempotency key to a body', () => {
  const bindingOf = (text: string) =>
    sha256OfSentJson(text === '' ? undefined : parseSentJson(text)).toString('hex');

  test.each(RELEASE_0_1_0.bodies)(
    'is that of release 0.1.0 if all numbers survive parsing: $text [IDEM-5]',
    (recorded) => {
      expect(bindingOf(recorded.text)).toBe(recorded.sha256);
    },
  );

  test.each([
    ['9007199254740992', '9007199254740993'],
    ['9007199254740993', '9007199254740995'],
    ['1152921506151679042', '1152921506151679000'],
    ['0.1', '0.10000000000000000001'],
    ['0.1000000000000000055511151231257827021181583404541015625', '0.1'],
    ['1e400', '1e500'],
    ['1e400', '-1e400'],
    ['1e-400', '0'],
    ['1e-400', '1e-500'],
    ['1e99999999999999999999', '1e99999999999999999998'],
    ['9007199254740993', '"9007199254740993"'],
    ['9007199254740993', '"9007199254740993e16"'],
    ['9007199254740993', '"9007199254740993e15"'],
    ['123456789012345678', '12345678901234567.8'],
  ])('differs for %s and %s, at any place of a body [IDEM-5]', (one, other) => {
    for (const place of ['$', '[$]', '{"a":{"b":[1,$]},"c":"$"}', '{"a\\\\":$}', '{"\\"":$,"x":"\\""}']) {
      expect(bindingOf(place.replace('$', one))).not.toBe(bindingOf(place.replace('$', other)));
    }
  });

  test.each([
    ['9007199254740993', '9007199254740993.0'],
    ['9007199254740993', '900719925474099.3e1'],
    ['9007199254740993', '90071992547409930E-0001'],
    ['1e400', '10e399'],
    ['-0.10000000000000000001', '-10000000000000000001e-20'],
    ['1e999999999999999', '10E+0999999999999998'],
    ['1e-999999999999999', '0.1e-000999999999999998'],
    ['1e99999999999999999999', '1.0E+00099999999999999999999'],
  ])('is the same for %s and %s, which are one value', (one, other) => {
    expect(bindingOf(`{"a":${one},"b":1}`)).toBe(bindingOf(`{"b":1.0, "a":${other}}`));
  });

  test('keeps an exponent of more than 15 digits as written, since to add to it costs more the longer it is', () => {
    const [one, other] = [`1e${'9'.repeat(16)}`, `10e${'9'.repeat(15)}8`];
    expect(bindingOf(one)).not.toBe(bindingOf(other));
  });

  test('differs exactly if the decimals differ [IDEM-5]', () => {
    const digits = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n });
    fc.assert(
      fc.property(digits, digits, fc.integer({ min: 0, max: 30 }), (one, other, scale) => {
        const text = (value: bigint) => `{"n":${value}e-${scale},"m":${value}}`;
        expect(bindingOf(text(one)) === bindingOf(text(other))).toBe(one === other);
      }),
    );
  });

  test.each([
    ['of zeros', `1${'0'.repeat(300_000)}1`],
    ['of digits in an exponent', `1e${'9'.repeat(300_000)}`],
    ['of escapes in a text', JSON.stringify('"\\'.repeat(100_000))],
  ])('is there for a long run %s', (_what, text) => {
    expect(bindingOf(text)).toMatch(/^[0-9a-f]{64}$/);
  });
});
