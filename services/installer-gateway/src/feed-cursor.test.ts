import { describe, expect, test } from '@jest/globals';
import { createCursorSigner } from '@partner/gateway-kit/operations/cursor-signer';
import { newId } from '@partner/kernel/process/ids';
import { RELEASE_0_1_0 } from '@partner/test-kit/release-0-1-0';
import { createFeedCursor } from './feed-cursor.js';

const cursors = createFeedCursor(createCursorSigner([Buffer.alloc(32, 1)]));
const inFeed = (sequence: string) => sequence;
const inSnapshot = (sequence: string, afterJobId: string) => `${sequence}:${afterJobId}`;

describe('a feed cursor', () => {
  test.each([
    ...['0', '1', '60', '9007199254740993'].map(inFeed),
    ...['', 'job_1', 'job_12', 'job_123', newId('job'), 'x'.repeat(255), 'jöb'].map((id) =>
      inSnapshot('9007199254740993', id),
    ),
  ])('decodes to the position %j', (place) => {
    expect(cursors.decode('cmp_1', cursors.encode('cmp_1', place))).toEqual(place);
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

  test('is short enough for a query for any job id', () => {
    expect(cursors.encode('cmp_1', inSnapshot('1', 'x'.repeat(255))).length).toBeLessThanOrEqual(512);
    expect(() => cursors.encode('cmp_1', inSnapshot('1', 'x'.repeat(256)))).toThrow('fits into a cursor');
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

  test.each(['', '0', 'ü', '====', 'A'.repeat(36), '\0', `${cursors.encode('cmp_1', inFeed('7'))}=`])(
    'is not %j',
    (text) => {
      expect(() => cursors.decode('cmp_1', text)).toThrow(
        expect.objectContaining({ reason: 'cursor_invalid' }),
      );
    },
  );
});
