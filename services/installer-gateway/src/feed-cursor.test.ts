import { describe, expect, test } from '@jest/globals';
import { createCursorSigner } from '@partner/gateway-kit/operations/cursor-signer';
import { fc } from '@partner/test-kit/fast-check';
import { RELEASE_0_1_0 } from '@partner/test-kit/release-0-1-0';
import { createFeedCursor } from './feed-cursor.js';

const cursors = createFeedCursor(createCursorSigner([Buffer.alloc(32, 1)]));
const inFeed = (sequence: string) => sequence;
const inSnapshot = (sequence: string, afterJobId: string) => `${sequence}:${afterJobId}`;
const CURSOR = cursors.encode('cmp_1', inFeed('7'));
const invalid = expect.objectContaining({ reason: 'cursor_invalid' });

describe('a feed cursor', () => {
  test('decodes to any position, of its company only, and is short enough for a query', () => {
    const sequence = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String);
    const long = fc.nat({ max: 255 }).map((length) => 'x'.repeat(length));
    const jobId = fc.oneof(fc.string({ unit: 'binary' }), long).filter((id) => !id.includes(':'));
    const place = fc.oneof(
      sequence.map(inFeed),
      fc.tuple(sequence, jobId).map((each) => inSnapshot(...each)),
    );
    fc.assert(
      fc.property(place, (position) => {
        const cursor = cursors.encode('cmp_1', position);
        expect(cursors.decode('cmp_1', cursor)).toBe(Buffer.from(position).toString());
        expect(cursor.length).toBeLessThanOrEqual(512);
        expect(() => cursors.decode('cmp_2', cursor)).toThrow(invalid);
      }),
    );
    expect(() => cursors.encode('cmp_1', inSnapshot('1', 'x'.repeat(256)))).toThrow('fits into a cursor');
  });

  test.each(RELEASE_0_1_0.feed)('of release 0.1.0 is valid: $cursor [FEED-5]', (recorded) => {
    const { companyId, cursor } = recorded;
    const { sequence, ...rest } = recorded.position;
    const position = 'afterJobId' in rest ? inSnapshot(sequence, rest.afterJobId) : inFeed(sequence);
    expect(cursors.decode(companyId, cursor)).toEqual(position);
    expect(cursors.encode(companyId, position)).toBe(cursor);
    const replaced = createCursorSigner([Buffer.alloc(32, 2), Buffer.alloc(32, 1)]);
    expect(createFeedCursor(replaced).decode(companyId, cursor)).toEqual(position);
  });

  test.each([inFeed('7'), inSnapshot('7', 'job_1')])(
    'is never valid for another position and company with the same concatenation: %j',
    (place) => {
      const cursor = Buffer.from(cursors.encode('cmp_1', place), 'base64url');
      const end = cursor.length - 18;
      // The position one letter longer, the company one letter shorter.
      const longer = Buffer.concat([cursor.subarray(0, end), Buffer.from('c'), cursor.subarray(end)]);
      expect(() => cursors.decode('mp_1', longer.toString('base64url'))).toThrow('cursor: must be');
    },
  );

  test('is no other text', () => {
    const changed = fc
      .tuple(fc.nat({ max: CURSOR.length - 1 }), fc.constantFrom('', '=', 'AA', 'ü'))
      .map(([at, sign]) => CURSOR.slice(0, at) + sign + CURSOR.slice(at + 1));
    fc.assert(
      fc.property(fc.oneof(changed, fc.base64String(), fc.string({ unit: 'binary' })), (text) => {
        expect(() => cursors.decode('cmp_1', text)).toThrow(invalid);
      }),
    );
  });
});
