import { createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '@partner/kernel/process/service-error';

/**
 * Signs the positions of all lists as cursors, opaque texts that are bound to a company. The first byte of a position says of which
 * kind it is, and a position encodes its own length, so that no other position and company have the same HMAC input.
 */
export interface CursorSigner {
  sign(companyId: string, position: Uint8Array): string;
  /** Returns the position. Throws `cursor_invalid` unless exactly this text was signed for this company. */
  open(companyId: string, cursor: string): Buffer;
}

/** Keys of 32 bytes. The first one signs; all are accepted, so that a key can be replaced. */
export type CursorKeys = readonly [Uint8Array, ...Uint8Array[]];

export const POSITION = { feed: 1, snapshot: 2, event: 3, page: 4, testReceiver: 5 } as const;

const MAC_BYTES = 18;

/** Creates the signer. A cursor is base64url of the position and 18 bytes of an HMAC-SHA256 of the position and the company. */
export function createCursorSigner(keys: CursorKeys): CursorSigner {
  return {
    sign(companyId, position) {
      return Buffer.concat([position, mac(keys[0], companyId, position)]).toString('base64url');
    },
    open(companyId, cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      const position = bytes.subarray(0, -MAC_BYTES);
      const given = bytes.subarray(-MAC_BYTES);
      // Several texts decode to the same bytes; only the issued one is accepted.
      if (position.length === 0 || bytes.toString('base64url') !== cursor) throw cursorInvalid();
      if (!keys.some((key) => timingSafeEqual(given, mac(key, companyId, position)))) throw cursorInvalid();
      return position;
    },
  };
}

function mac(key: Uint8Array, companyId: string, position: Uint8Array): Buffer {
  return createHmac('sha256', key).update(position).update(companyId).digest().subarray(0, MAC_BYTES);
}

export function cursorInvalid(): ServiceError {
  const message = 'must be a nextCursor that was issued to this company';
  return new ServiceError('cursor_invalid', `cursor: ${message}`, { details: [{ path: 'cursor', message }] });
}
