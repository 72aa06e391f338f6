import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { fc } from '@partner/test-kit/fast-check';
import { RELEASE_0_1_0 } from '@partner/test-kit/release-0-1-0';
import { createTechnicianCursor } from './technician-cursor.js';

const KEY = Buffer.alloc(32, 1);
const cursors = createTechnicianCursor([KEY]);
const positionOf = (displayName: string, active = true) =>
  JSON.stringify([active, displayName, newId('mem')]);
const invalid = expect.objectContaining({ reason: 'cursor_invalid' });

describe('a technician cursor', () => {
  test('decodes to any position, of its company only, without its name, and is short enough for a query [TECH-3]', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 3, maxLength: 120 }),
        fc.boolean(),
        (name, active) => {
          const last = Buffer.from(positionOf(name, active)).toString();
          const cursor = cursors.encode('cmp_1', last);
          expect(cursors.decode('cmp_1', cursor)).toBe(last);
          expect(Buffer.from(cursor, 'base64url').includes(name)).toBe(false);
          expect(() => cursors.decode('cmp_2', cursor)).toThrow(invalid);
        },
      ),
    );
    expect(cursors.encode('cmp_1', positionOf('\u0001'.repeat(120))).length).toBeLessThanOrEqual(2_048);
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

  test('is invalid when it was created with another key [TECH-3]', () => {
    const others = createTechnicianCursor([Buffer.alloc(32, 2)]);
    expect(() => others.decode('cmp_1', cursors.encode('cmp_1', positionOf('Ada Cole')))).toThrow(invalid);
  });

  test('is no other text, or one with a character changed, removed or added [TECH-3]', () => {
    const cursor = cursors.encode('cmp_1', positionOf('Ada Cole'));
    const changed = fc
      .tuple(fc.nat({ max: cursor.length - 1 }), fc.constantFrom('', '=', 'AA', 'ü'))
      .map(([at, sign]) => cursor.slice(0, at) + sign + cursor.slice(at + 1));
    fc.assert(
      fc.property(fc.oneof(changed, fc.base64String(), fc.string({ unit: 'binary' })), (text) => {
        expect(() => cursors.decode('cmp_1', text)).toThrow(invalid);
      }),
    );
  });
});
