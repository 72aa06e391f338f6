import { describe, expect, test } from '@jest/globals';
import { fc } from '@partner/test-kit/fast-check';
import { jsonExcess, MAX_JSON_DEPTH, MAX_JSON_TOKENS } from './json-complexity.js';

const excessOf = (text: string) => jsonExcess(Buffer.from(text));
const tooMany = `must have at most ${MAX_JSON_TOKENS} JSON tokens`;
const tooDeep = `must not nest deeper than ${MAX_JSON_DEPTH} levels`;

/** A text of this many tokens. */
const numbers = (tokens: number) => `[${'1,'.repeat((tokens - 3) / 2)}1]`;

/** The tokens of a value, as JSON.stringify writes it. */
function tokensOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const values = Object.values(value);
  const perValue = Array.isArray(value) ? 1 : 3;
  return (
    values.reduce<number>((sum, each) => sum + tokensOf(each) + perValue, 2) - Math.min(1, values.length)
  );
}

describe('the bounds of JSON', () => {
  test('accept the maximum of tokens and refuse one more [HTTP-21]', () => {
    const most = numbers(MAX_JSON_TOKENS - 1);
    expect(excessOf(most)).toBeUndefined();
    expect(excessOf(`${most} 1`)).toBeUndefined();
    expect(excessOf(`${most} 1 1`)).toBe(tooMany);
  });

  test('accept the maximum depth and refuse one more, closed or not [HTTP-21]', () => {
    expect(excessOf('['.repeat(MAX_JSON_DEPTH) + ']'.repeat(MAX_JSON_DEPTH))).toBeUndefined();
    expect(excessOf('{"a":'.repeat(MAX_JSON_DEPTH + 1))).toBe(tooDeep);
    expect(excessOf('['.repeat(1_000_000))).toBe(tooDeep);
  });

  test.each([
    ['brackets and quotes', '[{,:"\\'],
    ['backslashes', '\\'.repeat(3)],
    ['letters of two bytes', 'é'],
  ])('count nothing within a text of %s', (_what, text) => {
    const body = JSON.stringify({ text: text.repeat(MAX_JSON_TOKENS) });
    expect(excessOf(body)).toBeUndefined();
    expect(excessOf(body.slice(0, -1) + `,"more":${numbers(MAX_JSON_TOKENS - 7)}}`)).toBe(tooMany);
    expect(excessOf(body.slice(0, -1) + `,"more":${numbers(MAX_JSON_TOKENS - 9)}}`)).toBeUndefined();
  });

  test('count what JSON.stringify writes by its values', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.boolean(), (value, isIndented) => {
        const text = JSON.stringify(value, null, isIndented ? 2 : 0);
        const room = MAX_JSON_TOKENS - tokensOf(value);
        expect(excessOf(`${'1 '.repeat(room)}${text}`)).toBeUndefined();
        expect(excessOf(`${'1 '.repeat(room + 1)}${text}`)).toBe(tooMany);
      }),
    );
  });

  test('accept an unfinished text, which the parser refuses', () => {
    for (const text of ['"abc', '"abc\\', '']) expect(excessOf(text)).toBeUndefined();
  });
});
