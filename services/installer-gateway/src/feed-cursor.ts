import { assertNever, invariant } from '@partner/kernel/invariant';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { cursorInvalid } from '@partner/gateway-kit/cursor-invalid';

/** Position of a reader in a company's jobs. Sequences are decimal texts. */
export type FeedPosition =
  /** In the change feed, after an entry; 0: before the first. */
  | { readonly kind: 'feed'; readonly sequence: string }
  /** In a snapshot of all jobs, after a job; the snapshot started at a position in the feed. */
  | { readonly kind: 'snapshot'; readonly sequence: string; readonly afterJobId: string };

/** Encodes a position as an opaque text, and decodes it. */
export interface FeedCursor {
  encode(companyId: string, place: FeedPosition): string;
  /** Throws `cursor_invalid` unless the cursor was issued to this company. */
  decode(companyId: string, cursor: string): FeedPosition;
}

const KIND_FEED = 1;
const KIND_SNAPSHOT = 2;
/** Bytes of the kind and the sequence. */
const HEAD_BYTES = 9;
const MAX_JOB_ID_BYTES = 255;
const MAC_BYTES = 18;

/**
 * Creates the cursor codec. A cursor is base64url of one byte for the kind, 8 for the sequence, in a snapshot one for
 * the length of the job's id and the id, and 18 bytes of an HMAC-SHA256 that also covers the company. Only the exact
 * issued text is accepted. A position encodes its own length, so that no other position and company have the same HMAC
 * input.
 */
export function createFeedCursor(signingKey: Uint8Array): FeedCursor {
  function mac(companyId: string, place: Uint8Array): Buffer {
    return createHmac('sha256', signingKey).update(place).update(companyId).digest().subarray(0, MAC_BYTES);
  }

  return {
    encode(companyId, place) {
      const bytes = placeBytes(place);
      return Buffer.concat([bytes, mac(companyId, bytes)]).toString('base64url');
    },
    decode(companyId, cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      const place = bytes.subarray(0, -MAC_BYTES);
      if (
        place.length < HEAD_BYTES ||
        bytes.toString('base64url') !== cursor ||
        !timingSafeEqual(bytes.subarray(-MAC_BYTES), mac(companyId, place))
      ) {
        throw cursorInvalid();
      }
      return placeFrom(place);
    },
  };
}

function placeBytes(place: FeedPosition): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeBigInt64BE(BigInt(place.sequence), 1);
  switch (place.kind) {
    case 'feed':
      head.writeUInt8(KIND_FEED);
      return head;
    case 'snapshot': {
      head.writeUInt8(KIND_SNAPSHOT);
      const jobId = Buffer.from(place.afterJobId);
      invariant(jobId.length <= MAX_JOB_ID_BYTES, 'the id of a job fits into a cursor');
      return Buffer.concat([head, Buffer.of(jobId.length), jobId]);
    }
    default:
      return assertNever(place);
  }
}

/** Decodes the output of {@link placeBytes}. A position of another kind or length was not issued to this company. */
function placeFrom(bytes: Buffer): FeedPosition {
  const kind = bytes.readUInt8();
  const sequence = bytes.readBigInt64BE(1).toString();
  const jobId = bytes.subarray(HEAD_BYTES + 1);
  if (kind === KIND_FEED && bytes.length === HEAD_BYTES) return { kind: 'feed', sequence };
  if (kind === KIND_SNAPSHOT && bytes[HEAD_BYTES] === jobId.length) {
    return { kind: 'snapshot', sequence, afterJobId: jobId.toString() };
  }
  throw cursorInvalid();
}
