import { createHash } from 'node:crypto';
import { cursorInvalid } from './cursor-invalid.js';

/** A position in the events of a company, and when the company was given it. */
export interface GivenPosition {
  /** The number of the event before it, a decimal text; 0: before the first one. */
  readonly sequence: string;
  /** At the start of the day (UTC), so that the cursor of an idle company changes once a day. */
  readonly givenAt: Date;
}

const VERSION = 1;
const DAY_MS = 24 * 3_600_000;
const DAY_OFFSET = 1;
const SEQUENCE_OFFSET = 5;
const COMPANY_OFFSET = 13;
const COMPANY_BYTES = 6;

/**
 * Encodes a position as a cursor: base64url of a version byte, 4 bytes for the day, 8 for the number, and 6 of a hash of the company.
 *
 * It has no secret: a company reads its own events whatever the number is. The hash refuses another company's cursor, which would
 * hide a gap.
 */
export function encodeEventCursor(companyId: string, { sequence, givenAt }: GivenPosition): string {
  const bytes = Buffer.alloc(COMPANY_OFFSET + COMPANY_BYTES);
  bytes.writeUInt8(VERSION);
  bytes.writeUInt32BE(Math.floor(givenAt.getTime() / DAY_MS), DAY_OFFSET);
  bytes.writeBigInt64BE(BigInt(sequence), SEQUENCE_OFFSET);
  companyHash(companyId).copy(bytes, COMPANY_OFFSET);
  return bytes.toString('base64url');
}

/** Decodes the output of {@link encodeEventCursor}. Throws `cursor_invalid` for any other text, and for another company's. */
export function decodeEventCursor(companyId: string, cursor: string): GivenPosition {
  const bytes = Buffer.from(cursor, 'base64url');
  if (
    bytes.length !== COMPANY_OFFSET + COMPANY_BYTES ||
    bytes.toString('base64url') !== cursor ||
    bytes.readUInt8() !== VERSION ||
    bytes.readBigInt64BE(SEQUENCE_OFFSET) < 0n ||
    !bytes.subarray(COMPANY_OFFSET).equals(companyHash(companyId))
  ) {
    throw cursorInvalid();
  }
  return {
    sequence: bytes.readBigInt64BE(SEQUENCE_OFFSET).toString(),
    givenAt: new Date(bytes.readUInt32BE(DAY_OFFSET) * DAY_MS),
  };
}

function companyHash(companyId: string): Buffer {
  return createHash('sha256').update(companyId).digest().subarray(0, COMPANY_BYTES);
}
