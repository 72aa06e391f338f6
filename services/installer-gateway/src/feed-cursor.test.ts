import { describe, expect, test } from '@jest/globals';
import { createFeedCursor } from './feed-cursor.js';

const cursors = createFeedCursor(Buffer.alloc(32, 1));

describe('a feed cursor', () => {
  test.each(['0', '1', '60', '9007199254740993'])('leads back to sequence %s', (sequence) => {
    expect(cursors.decode('cmp_1', cursors.encode('cmp_1', sequence))).toBe(sequence);
  });

  test('is invalid for another company, and when it was signed with another key', () => {
    expect(() => cursors.decode('cmp_2', cursors.encode('cmp_1', '7'))).toThrow('cursor: must be');
    const others = createFeedCursor(Buffer.alloc(32, 2));
    expect(() => cursors.decode('cmp_1', others.encode('cmp_1', '7'))).toThrow('cursor: must be');
  });

  test('is invalid with any one character changed, left out or added', () => {
    const cursor = cursors.encode('cmp_1', '7');
    for (let index = 0; index < cursor.length; index += 1) {
      const [before, after] = [cursor.slice(0, index), cursor.slice(index + 1)];
      const other = cursor[index] === 'A' ? 'B' : 'A';
      for (const changed of [before + other + after, before + after, `${before}-${cursor.slice(index)}`]) {
        expect(() => cursors.decode('cmp_1', changed)).toThrow('cursor: must be');
      }
    }
  });

  test.each(['', '0', 'ü', '====', 'A'.repeat(36), '\0', `${cursors.encode('cmp_1', '7')}=`])(
    'is not %j',
    (text) => {
      expect(() => cursors.decode('cmp_1', text)).toThrow(
        expect.objectContaining({ reason: 'cursor_invalid' }),
      );
    },
  );
});
