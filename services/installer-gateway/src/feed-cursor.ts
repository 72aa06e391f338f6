import { invariant } from '@partner/kernel/process/invariant';
import type { PositionCursor } from '@partner/gateway-kit/operations/forward-operation';
import { cursorInvalid, type CursorSigner, POSITION } from '@partner/gateway-kit/operations/cursor-signer';

const HEAD_BYTES = 9;
const MAX_JOB_ID_BYTES = 255;

/**
 * Creates the codec of positions in the jobs. A position in the change feed is the sequence of an entry, 0 before the first; one in a
 * snapshot of all jobs is the sequence of its start, a colon and the id of a job.
 *
 * A cursor is one byte for the kind, 8 for the sequence, in a snapshot one for the length of the job's id and the id, signed.
 */
export function createFeedCursor(signer: CursorSigner): PositionCursor {
  return {
    encode: (companyId, position) => signer.sign(companyId, positionBytes(position)),
    decode: (companyId, cursor) => positionFrom(signer.open(companyId, cursor)),
  };
}

function positionBytes(position: string): Buffer {
  const [sequence = '', afterJobId] = position.split(':', 2);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeBigInt64BE(BigInt(sequence), 1);
  head.writeUInt8(afterJobId === undefined ? POSITION.feed : POSITION.snapshot);
  if (afterJobId === undefined) return head;
  const jobId = Buffer.from(afterJobId);
  invariant(jobId.length <= MAX_JOB_ID_BYTES, 'the id of a job fits into a cursor');
  return Buffer.concat([head, Buffer.of(jobId.length), jobId]);
}

/** Decodes the output of {@link positionBytes}. A position of another kind or length was not issued to this company. */
function positionFrom(bytes: Buffer): string {
  if (bytes.length < HEAD_BYTES) throw cursorInvalid();
  const kind = bytes.readUInt8();
  const sequence = bytes.readBigInt64BE(1).toString();
  const jobId = bytes.subarray(HEAD_BYTES + 1);
  if (kind === POSITION.feed && bytes.length === HEAD_BYTES) return sequence;
  if (kind === POSITION.snapshot && bytes[HEAD_BYTES] === jobId.length)
    return `${sequence}:${jobId.toString()}`;
  throw cursorInvalid();
}
