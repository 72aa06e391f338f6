import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { cursorInvalid } from '@partner/gateway-kit/operations/cursor-invalid';
import type { CursorKeys } from '@partner/gateway-kit/operations/cursor-signer';

/** Encodes the position after a page as a cursor, and decodes it. */
export interface TechnicianCursor {
  encode(companyId: string, position: string): string;
  /** Throws `cursor_invalid` unless the cursor was issued to this company. */
  decode(companyId: string, cursor: string): string;
}

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Creates the cursor codec. A cursor is base64url of IV, tag and ciphertext of AES-256-GCM, with the company as
 * associated data. It is encrypted, unlike the signed cursors of other lists, because it holds a person's name and
 * proxies log query strings. Its key is derived from a signing key, so that each algorithm has its own key. The first
 * key encrypts; all are accepted.
 */
export function createTechnicianCursor([first, ...others]: CursorKeys): TechnicianCursor {
  const key = derived(first);
  const keys = [key, ...others.map(derived)];

  return {
    encode(companyId, position) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(companyId));
      const ciphertext = Buffer.concat([cipher.update(position), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString('base64url');
    },
    decode(companyId, cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      // Several texts decode to the same bytes; only the issued one is accepted.
      if (bytes.length < IV_BYTES + TAG_BYTES || bytes.toString('base64url') !== cursor)
        throw cursorInvalid();
      for (const each of keys) {
        const opened = open(each, companyId, bytes);
        if (opened !== undefined) return opened;
      }
      throw cursorInvalid();
    },
  };
}

function derived(signingKey: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', signingKey, '', 'technician-cursor', KEY_BYTES));
}

function open(key: Buffer, companyId: string, bytes: Buffer): string | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(companyId))
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const opened = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
  try {
    decipher.final();
  } catch {
    return undefined;
  }
  return opened.toString();
}
