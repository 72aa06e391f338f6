import { describe, expect, test } from '@jest/globals';
import { fc } from '@partner/test-kit/fast-check';
import { entityTagOf, namesEntityTag } from './entity-tag.js';

const weak = entityTagOf('2026-08-26', '{}');
/** The same tag as a strong one. */
const tag = weak.slice(2);

describe('the entity tag of a response', () => {
  test('is weak, and differs with the body and with the version', () => {
    expect(weak).toMatch(/^W\/"[\w-]{43}"$/);
    expect(entityTagOf('2026-08-26', '{}')).toBe(weak);
    expect(entityTagOf('2026-08-26', '{ }')).not.toBe(weak);
    expect(entityTagOf('2026-08-27', '{}')).not.toBe(weak);
  });
});

describe('If-None-Match', () => {
  const opaque = fc.oneof(
    fc.stringMatching(/^[\x21\x23-\x7e\x80-\xff]{0,4}$/),
    fc.constantFrom('a,b', 'W/', tag.slice(1, -1)),
  );
  const member = fc
    .tuple(fc.constantFrom('', 'W/'), opaque)
    .map(([weakness, text]) => `${weakness}"${text}"`);
  const members = fc.array(member, { maxLength: 4 });
  const separator = fc.constantFrom(',', ', ', '\t,', ' , ,', ',,');

  test('names the entity tag if its list has it, weak or strong', () => {
    fc.assert(
      fc.property(members, separator, fc.constantFrom('', ' ', ', '), (given, between, end) => {
        const isNamed = given.some((each) => each === tag || each === weak);
        expect(namesEntityTag(end + given.join(between) + end, weak)).toBe(isNamed);
      }),
    );
    for (const any of ['*', ' * ']) expect(namesEntityTag(any, weak)).toBe(true);
  });

  test('that is not a list names none', () => {
    const noMember = ['a', '*', 'w/"a"', 'W/ "a"', '"a b"', '"a', '"a" "b"', `"${tag}"`, tag.slice(1, -1)];
    fc.assert(
      fc.property(members, fc.constantFrom(...noMember), members, (before, wrong, after) => {
        fc.pre(wrong !== '*' || before.length + after.length > 0);
        expect(namesEntityTag([...before, wrong, ...after].join(', '), weak)).toBe(false);
      }),
    );
    for (const other of [tag.toUpperCase(), `w/${tag}`, `${tag} ${tag}`])
      expect(namesEntityTag(other, weak)).toBe(false);
  });

  test('of 16 KB is parsed in linear time', () => {
    for (const header of [
      ',"'.repeat(8_000),
      '"",'.repeat(5_000),
      `${', '.repeat(8_000)}"`,
      '"a" '.repeat(4_000),
    ]) {
      expect(namesEntityTag(header, weak)).toBe(false);
    }
  });
});
