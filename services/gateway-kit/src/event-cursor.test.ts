import { describe, expect, test } from '@jest/globals';
import { decodeEventCursor, encodeEventCursor } from './event-cursor.js';

const at = (time: string) => new Date(`2026-11-25T${time}Z`);

describe('the cursor of events', () => {
  test('holds the position and its day, and stays the same until the day ends', () => {
    const cursor = encodeEventCursor('cmp_1', { sequence: '9007199254740993', givenAt: at('00:00:00') });
    expect(decodeEventCursor('cmp_1', cursor)).toEqual({
      sequence: '9007199254740993',
      givenAt: at('00:00:00'),
    });
    expect(encodeEventCursor('cmp_1', { sequence: '9007199254740993', givenAt: at('23:59:59.999') })).toBe(
      cursor,
    );
  });

  test('of another company, a changed one and any other text are refused [EVENT-10]', () => {
    const cursor = encodeEventCursor('cmp_1', { sequence: '7', givenAt: at('12:00:00') });
    expect(() => decodeEventCursor('cmp_2', cursor)).toThrow('cursor: must be a nextCursor');
    for (const other of ['', 'x', `${cursor}=`, `${cursor}A`, `B${cursor.slice(1)}`, cursor.slice(0, -2)]) {
      expect(() => decodeEventCursor('cmp_1', other)).toThrow('cursor: must be a nextCursor');
    }
  });
});
