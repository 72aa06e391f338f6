import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { RELEASE_0_1_0 } from '@partner/test-kit/release-0-1-0';
import { createTechnicianCursor } from './technician-cursor.js';

const KEY = Buffer.alloc(32, 1);
const cursors = createTechnicianCursor([KEY]);
const positionOf = (displayName: string, active = true) =>
  JSON.stringify([active, displayName, newId('mem')]);
const invalid = expect.objectContaining({ reason: 'cursor_invalid' });

describe('a technician cursor', () => {
  test.each([
    positionOf('Ada Cole'),
    positionOf('Zoë "Z" Ådams', false),
    positionOf(''),
    positionOf('\u0001'.repeat(120)),
  ])('decodes to %j, and is short enough for a query', (last) => {
    const cursor = cursors.encode('cmp_1', last);
    expect(cursors.decode('cmp_1', cursor)).toEqual(last);
    expect(cursor.length).toBeLessThanOrEqual(2_048);
  });

  test.each(RELEASE_0_1_0.technicians)('of release 0.1.0 is valid: $position [TECH-3]', (recorded) => {
    const { companyId, position, cursor } = recorded;
    expect(cursors.decode(companyId, cursor)).toBe(position);
    const replaced = createTechnicianCursor([Buffer.alloc(32, 2), KEY]);
    expect(replaced.decode(companyId, cursor)).toBe(position);
  });

  test('is refused as another text of the same bytes [TECH-3]', () => {
    const issued = 'o6WuUfEWquUVDVJs9CoUGPQi_ATlxob_nVRFvrXudWp5D7Nod-kMai9Ce39TJ6h-AuU3V2o';
    expect(cursors.decode('cmp_1', issued)).toBe('[true,"Ada Cole","mem_1"]');
    expect(() => cursors.decode('cmp_1', `${issued.slice(0, -1)}p`)).toThrow(invalid);
  });

  test('does not show the name [TECH-3]', () => {
    const cursor = Buffer.from(cursors.encode('cmp_1', positionOf('Ada Cole')), 'base64url');
    expect(cursor.includes('Ada')).toBe(false);
  });

  test('is invalid for another company, and when it was created with another key [TECH-3]', () => {
    const cursor = cursors.encode('cmp_1', positionOf('Ada Cole'));
    expect(() => cursors.decode('cmp_2', cursor)).toThrow(invalid);
    const others = createTechnicianCursor([Buffer.alloc(32, 2)]);
    expect(() => others.decode('cmp_1', cursor)).toThrow(invalid);
  });

  test('is invalid with one character changed, removed or added [TECH-3]', () => {
    const cursor = cursors.encode('cmp_1', positionOf('Ada Cole'));
    for (let index = 0; index < cursor.length; index += 1) {
      const [before, after] = [cursor.slice(0, index), cursor.slice(index + 1)];
      const other = cursor[index] === 'A' ? 'B' : 'A';
      for (const changed of [before + after, before + other + after, `${before}-${cursor.slice(index)}`]) {
        expect(() => cursors.decode('cmp_1', changed)).toThrow(invalid);
      }
    }
  });

  test.each(['', '0', 'ü', '====', 'A'.repeat(36), 'A'.repeat(64), '\0'])('is not %j', (text) => {
    expect(() => cursors.decode('cmp_1', text)).toThrow(invalid);
  });
});
