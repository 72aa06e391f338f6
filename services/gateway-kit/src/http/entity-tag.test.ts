import { describe, expect, test } from '@jest/globals';
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
  test.each([
    tag,
    `W/${tag}`,
    '*',
    ' * ',
    `"a", ${tag}`,
    `${tag},"a"`,
    `W/"a",\tW/${tag} , "b"`,
    `"", "a,b", "W/", ${tag}`,
    `, ,${tag}, ,`,
    `"\xe9" , ${tag}`,
  ])('names the entity tag in %j', (header) => {
    expect(namesEntityTag(header, weak)).toBe(true);
  });

  test.each([
    '',
    ',',
    '"a"',
    'W/"a", "b"',
    tag.slice(1, -1),
    `w/${tag}`,
    `W/ ${tag}`,
    `${tag} "a"`,
    `"a" ${tag}`,
    `nonsense, ${tag}`,
    `${tag}, nonsense`,
    `${tag}, *`,
    `"${tag}"`,
    `"a b", ${tag}`,
    tag.toUpperCase(),
    `"a${tag}`,
  ])('does not name it in %j', (header) => {
    expect(namesEntityTag(header, weak)).toBe(false);
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
