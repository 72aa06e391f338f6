import { assertNever, invariant } from '@partner/kernel/invariant';
import { cursorInvalid } from '@partner/gateway-kit/cursor-invalid';
import { type CursorSigner, POSITION } from '@partner/gateway-kit/cursor-signer';

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

/** Bytes of the kind and the sequence. */
const HEAD_BYTES = 9;
const MAX_JOB_ID_BYTES = 255;

/**
 * Creates the codec of positions in the jobs: one byte for the kind, 8 for the sequence, in a snapshot one for the length of the job's
 * id and the id, signed.
 */
export function createFeedCursor(signer: CursorSigner): FeedCursor {
  return {
    encode: (companyId, place) => signer.sign(companyId, placeBytes(place)),
    decode: (companyId, cursor) => placeFrom(signer.open(companyId, cursor)),
  };
}

function placeBytes(place: FeedPosition): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeBigInt64BE(BigInt(place.sequence), 1);
  switch (place.kind) {
    case 'feed':
      head.writeUInt8(POSITION.feed);
      return head;
    case 'snapshot': {
      head.writeUInt8(POSITION.snapshot);
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
  if (bytes.length < HEAD_BYTES) throw cursorInvalid();
  const kind = bytes.readUInt8();
  const sequence = bytes.readBigInt64BE(1).toString();
  const jobId = bytes.subarray(HEAD_BYTES + 1);
  if (kind === POSITION.feed && bytes.length === HEAD_BYTES) return { kind: 'feed', sequence };
  if (kind === POSITION.snapshot && bytes[HEAD_BYTES] === jobId.length) {
    return { kind: 'snapshot', sequence, afterJobId: jobId.toString() };
  }
  throw cursorInvalid();
}
