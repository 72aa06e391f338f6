import { ServiceError } from '@partner/runtime/service-error';
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Turns a place in one company's change feed into an opaque text and back. */
export interface FeedCursor {
  /** The cursor that stands after an entry. */
  encode(companyId: string, sequence: string): string;
  /** The sequence that the cursor stands after. Throws `cursor_invalid` unless it was made for this company. */
  decode(companyId: string, cursor: string): string;
}

const KIND_FEED = 1;
const PLACE_BYTES = 9;
const MAC_BYTES = 18;

/**
 * Makes cursors: one byte for the kind, 8 for the sequence and 18 of an HMAC-SHA256 that also covers the company, in
 * base64url. The 27 bytes fill whole base64 groups, so that no character can be changed without changing a byte.
 */
export function createFeedCursor(signingKey: Uint8Array): FeedCursor {
  function mac(companyId: string, place: Uint8Array): Buffer {
    return createHmac('sha256', signingKey)
      .update(place)
      .update(companyId, 'utf8')
      .digest()
      .subarray(0, MAC_BYTES);
  }

  return {
    encode(companyId, sequence) {
      const place = Buffer.alloc(PLACE_BYTES);
      place.writeUInt8(KIND_FEED);
      place.writeBigInt64BE(BigInt(sequence), 1);
      return Buffer.concat([place, mac(companyId, place)]).toString('base64url');
    },
    decode(companyId, cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      const place = bytes.subarray(0, PLACE_BYTES);
      if (
        bytes.length !== PLACE_BYTES + MAC_BYTES ||
        bytes.toString('base64url') !== cursor ||
        !timingSafeEqual(bytes.subarray(PLACE_BYTES), mac(companyId, place)) ||
        place.readUInt8() !== KIND_FEED
      ) {
        throw cursorInvalid();
      }
      return place.readBigInt64BE(1).toString();
    },
  };
}

function cursorInvalid(): ServiceError {
  const message = 'must be a nextCursor that this company was given';
  return new ServiceError('cursor_invalid', `cursor: ${message}`, { details: [{ path: 'cursor', message }] });
}
