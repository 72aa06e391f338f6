import { describe, expect, test } from '@jest/globals';
import { readTestTitles } from './read-test-titles.js';

describe('the titles of a test file', () => {
  test('stand with those of their groups, templates as they are written', () => {
    const text = [
      "test('alone', () => {});",
      "describe('a group', () => {",
      "  describe.each([1])('of %i', () => {",
      "    test.each([[1, 2]])('has %i and %i', async () => {});",
      '  });',
      '  for (const x of [1]) test(`is ${x} of ${[1].length}`, () => {});',
      '  test.each`a | b ${1} | ${2}`("from a table with $a", () => {});',
      '});',
    ].join('\n');
    expect(readTestTitles('x.test.ts', text)).toEqual([
      'alone',
      'a group > of %i > has %i and %i',
      'a group > is ${x} of ${[1].length}',
      'a group > from a table with $a',
    ]);
  });

  // The modifiers stand apart from what they modify, so that nobody takes these texts for tests that were switched off.
  test.each(['skip', 'todo'])('leave out a test and a group of tests with the modifier %s', (modifier) => {
    const text = [
      `test.${modifier}('by itself', () => {});`,
      `describe.${modifier}('a group', () => { test('inside', () => {}); });`,
      `test.${modifier}.each([1])('of a table %i', () => {});`,
      "test('kept', () => {});",
    ].join('\n');
    expect(readTestTitles('x.test.ts', text)).toEqual(['kept']);
  });
});
