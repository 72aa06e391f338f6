import { createHash } from 'node:crypto';
import { cursorInvalid, type CursorSigner, POSITION } from './cursor-signer.js';
import type { PositionCursor } from './forward-operation.js';
import type { PageCursorDeps } from './page-cursor.js';

export interface GivenPosition {
  /** The number of the event before it, a decimal text; 0: before the first one. */
  readonly sequence: string;
  /** At the start of the day (UTC), so that the cursor of an idle company changes once a day. */
  readonly givenAt: Date;
}

const UNSIGNED = 1;
const DAY_MS = 24 * 3_600_000;
const DAY_OFFSET = 1;
const SEQUENCE_OFFSET = 5;
const POSITION_BYTES = 13;
const COMPANY_BYTES = 6;

/** The codec of positions in the events as job-state has them: the number, a colon and the day, e.g. `7:2026-11-25`. */
export function eventCursors({ cursorSigner, clock }: PageCursorDeps): PositionCursor {
  return {
    encode(companyId, position) {
      const [sequence = '', day = ''] = position.split(':');
      return encodeEventCursor(cursorSigner, companyId, { sequence, givenAt: new Date(day) });
    },
    decode(companyId, cursor) {
      const { sequence, givenAt } = decodeEventCursor(cursorSigner, companyId, { cursor, now: clock() });
      return `${sequence}:${givenAt.toISOString().slice(0, 10)}`;
    },
  };
}

/** Encodes a position as a cursor: a byte for its kind, 4 bytes for the day and 8 for the number, signed. */
export function encodeEventCursor(signer: CursorSigner, companyId: string, given: GivenPosition): string {
  const { sequence, givenAt } = given;
  const bytes = Buffer.alloc(POSITION_BYTES);
  bytes.writeUInt8(POSITION.event);
  bytes.writeUInt32BE(dayOf(givenAt), DAY_OFFSET);
  bytes.writeBigInt64BE(BigInt(sequence), SEQUENCE_OFFSET);
  return signer.sign(companyId, bytes);
}

/**
 * Decodes the output of {@link encodeEventCursor}. Throws `cursor_invalid` for any other text, for another company's, and for one
 * without a signature of a day after tomorrow.
 *
 * A cursor of 0.1.0 ends with 6 bytes of a hash of the company instead of a signature. Remove this form 120 days after the last upgrade from it.
 */
export function decodeEventCursor(
  signer: CursorSigner,
  companyId: string,
  { cursor, now }: { readonly cursor: string; readonly now: Date },
): GivenPosition {
  const unsigned = unsignedPosition(companyId, cursor);
  const bytes = unsigned ?? signer.open(companyId, cursor);
  const isKnown = unsigned !== undefined || (bytes[0] === POSITION.event && bytes.length === POSITION_BYTES);
  if (!isKnown) throw cursorInvalid();
  const sequence = bytes.readBigInt64BE(SEQUENCE_OFFSET);
  const day = bytes.readUInt32BE(DAY_OFFSET);
  if (sequence < 0n || (unsigned !== undefined && day > dayOf(now) + 1)) throw cursorInvalid();
  return { sequence: sequence.toString(), givenAt: new Date(day * DAY_MS) };
}

function unsignedPosition(companyId: string, cursor: string): Buffer | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  const isUnsigned =
    bytes.length === POSITION_BYTES + COMPANY_BYTES &&
    bytes[0] === UNSIGNED &&
    bytes.toString('base64url') === cursor &&
    bytes.subarray(POSITION_BYTES).equals(companyHash(companyId));
  return isUnsigned ? bytes.subarray(0, POSITION_BYTES) : undefined;
}

function dayOf(instant: Date): number {
  return Math.floor(instant.getTime() / DAY_MS);
}

function companyHash(companyId: string): Buffer {
  return createHash('sha256').update(companyId).digest().subarray(0, COMPANY_BYTES);
}
