import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { fc } from '@partner/test-kit/fast-check';
import { RELEASE_0_1_0 } from '@partner/test-kit/release-0-1-0';
import { createCursorSigner } from './cursor-signer.js';
import { decodeEventCursor, encodeEventCursor } from './event-cursor.js';

const at = (time: string) => new Date(`2026-11-25T${time}Z`);
const now = at('12:00:00');
const [KEY, OTHER] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const signer = createCursorSigner([KEY]);
const invalid = expect.objectContaining({ reason: 'cursor_invalid' });
const decode = (companyId: string, cursor: string, by = signer) =>
  decodeEventCursor(by, companyId, { cursor, now });
/** A cursor in the form of 0.1.0. */
function unsigned(companyId: string, sequence: string, givenAt: Date): string {
  const bytes = Buffer.from(
    encodeEventCursor(signer, companyId, { sequence, givenAt }),
    'base64url',
  ).subarray(0, 13);
  bytes.writeUInt8(1);
  const hash = createHash('sha256').update(companyId).digest().subarray(0, 6);
  return Buffer.concat([bytes, hash]).toString('base64url');
}

describe('the cursor of events', () => {
  test('holds the position and its day, and stays the same until the day ends', () => {
    const cursor = encodeEventCursor(signer, 'cmp_1', {
      sequence: '9007199254740993',
      givenAt: at('00:00:00'),
    });
    expect(decode('cmp_1', cursor)).toEqual({ sequence: '9007199254740993', givenAt: at('00:00:00') });
    const later = { sequence: '9007199254740993', givenAt: at('23:59:59.999') };
    expect(encodeEventCursor(signer, 'cmp_1', later)).toBe(cursor);
  });

  test('of another company, a changed one and any other text are refused [EVENT-10]', () => {
    for (const cursor of [
      encodeEventCursor(signer, 'cmp_1', { sequence: '7', givenAt: now }),
      unsigned('cmp_1', '7', now),
    ]) {
      expect(() => decode('cmp_2', cursor)).toThrow(invalid);
      for (const other of ['', 'x', `${cursor}=`, `${cursor}A`, `C${cursor.slice(1)}`, cursor.slice(0, -2)]) {
        expect(() => decode('cmp_1', other)).toThrow(invalid);
      }
    }
  });

  test('stays valid while its key is accepted', () => {
    const cursor = encodeEventCursor(signer, 'cmp_1', { sequence: '7', givenAt: now });
    expect(decode('cmp_1', cursor, createCursorSigner([OTHER, KEY]))).toMatchObject({ sequence: '7' });
    expect(() => decode('cmp_1', cursor, createCursorSigner([OTHER]))).toThrow(invalid);
  });

  test.each(RELEASE_0_1_0.events)('of release 0.1.0 is valid: $cursor [EVENT-10]', (recorded) => {
    const { companyId, sequence, givenAt, cursor } = recorded;
    const day = new Date(givenAt);
    expect(decodeEventCursor(signer, companyId, { cursor, now: day })).toEqual({ sequence, givenAt: day });
    expect(unsigned(companyId, sequence, day)).toBe(cursor);
  });

  test('without a signature is refused if it is of a day after tomorrow [EVENT-10]', () => {
    const day = (days: number) => new Date(now.getTime() + days * 86_400_000);
    expect(decode('cmp_1', unsigned('cmp_1', '7', day(1)))).toMatchObject({ sequence: '7' });
    expect(() => decode('cmp_1', unsigned('cmp_1', '7', day(2)))).toThrow(invalid);
    for (const days of [2 ** 31, 2 ** 32 - 1]) {
      const bytes = Buffer.from(unsigned('cmp_1', '0', now), 'base64url');
      bytes.writeUInt32BE(days, 1);
      expect(() => decode('cmp_1', bytes.toString('base64url'))).toThrow(invalid);
    }
  });

  test('is refused as such whatever bytes it has [EVENT-10]', () => {
    const forged = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64url'));
    // With the kind, and in the form of 0.1.0 with the hash of the company.
    const end = Buffer.from(unsigned('cmp_1', '0', now), 'base64url').subarray(13);
    const near = fc
      .tuple(fc.constantFrom(1, 3), fc.uint8Array({ minLength: 12, maxLength: 12 }))
      .map(([kind, bytes]) => Buffer.concat([Buffer.of(kind), bytes, end]).toString('base64url'));
    fc.assert(
      fc.property(fc.oneof(forged, near, fc.string({ unit: 'binary' })), (cursor) => {
        try {
          const { givenAt } = decode('cmp_1', cursor);
          expect(givenAt.getTime()).toBeLessThanOrEqual(now.getTime() + 86_400_000);
        } catch (error) {
          expect(error).toMatchObject({ reason: 'cursor_invalid' });
        }
      }),
    );
  });
});
