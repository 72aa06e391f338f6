import { expect, test } from '@jest/globals';
import { idFloor, newId } from '@partner/kernel/process/ids';
import { fc } from '@partner/test-kit/fast-check';
import { z } from 'zod';
import { createCursorSigner } from './cursor-signer.js';
import { pageCursors } from './page-cursor.js';

const signer = createCursorSigner([Buffer.alloc(32, 1)]);
const invalid = expect.objectContaining({ reason: 'cursor_invalid' });
const cursorsOf = (list = 'deliveries', companyId = 'cmp_1', cursorSigner = signer) =>
  pageCursors({ cursorSigner, clock: () => new Date() }, { list, prefix: 'dlv', companyId });
const pageWith = (nextCursor: string | null) =>
  JSON.stringify({ deliveries: [{ text: '"nextCursor":"dlv_01kb0e5q3xf4c9t2m8n7v6w5s4"' }], nextCursor });

/** The cursor of a page that ends with an id. */
function cursorAfter(id: string): string {
  return z.object({ nextCursor: z.string() }).parse(JSON.parse(cursorsOf().pageOf(pageWith(id)))).nextCursor;
}

test('a page has a signed cursor instead of the id, and is otherwise as job-state rendered it', () => {
  const id = newId('dlv');
  const cursor = cursorAfter(id);
  expect(cursor).not.toContain(id);
  expect(cursorsOf().pageOf(pageWith(id))).toBe(pageWith(cursor));
  expect(cursorsOf().pageOf(pageWith(null))).toBe(pageWith(null));
  expect(cursorsOf().idOf(cursor)).toBe(id);
  expect(cursorsOf().idOf(undefined)).toBeUndefined();
});

test('a cursor is refused in another list, of another company, signed with another key, or changed [CURSOR-1]', () => {
  const cursor = cursorAfter(newId('dlv'));
  expect(() => cursorsOf('manifest').idOf(cursor)).toThrow(invalid);
  expect(() => cursorsOf('deliveries', 'cmp_2').idOf(cursor)).toThrow(invalid);
  const other = createCursorSigner([Buffer.alloc(32, 2)]);
  expect(() => cursorsOf('deliveries', 'cmp_1', other).idOf(cursor)).toThrow(invalid);
  for (const changed of [`${cursor}A`, cursor.slice(1), cursor.toUpperCase()]) {
    expect(() => cursorsOf().idOf(changed)).toThrow(invalid);
  }
});

test('an id is a cursor of release 0.1.0, unless it is of another list or of a day after tomorrow [CURSOR-1]', () => {
  const id = newId('dlv');
  expect(cursorsOf().idOf(id)).toBe(id);
  for (const other of [newId('evt'), idFloor('dlv', new Date(Date.now() + 2 * 86_400_000)), 'dlv_1']) {
    expect(() => cursorsOf().idOf(other)).toThrow(invalid);
  }
});

test('a cursor is refused as such whatever text it is [CURSOR-1]', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (cursor) => {
      expect(() => cursorsOf().idOf(cursor)).toThrow(invalid);
    }),
  );
});
