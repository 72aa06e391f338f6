import { hkdfSync } from 'node:crypto';
import { type CursorKeys, cursorInvalid } from '@partner/gateway-kit/operations/cursor-signer';
import type { PositionCursor } from '@partner/gateway-kit/operations/forward-operation';
import { decrypt, encrypt } from '@partner/kernel/security/aes-gcm';

const KEY_BYTES = 32;

/**
 * Creates the cursor codec. A cursor is base64url of IV, tag and ciphertext of AES-256-GCM, with the company as
 * associated data. It is encrypted, unlike the signed cursors of other lists, because it holds a person's name and
 * proxies log query strings. Its key is derived from a signing key, so that each algorithm has its own key. The first
 * key encrypts; all are accepted.
 */
export function createTechnicianCursor([first, ...others]: CursorKeys): PositionCursor {
  const key = derived(first);
  const keys = [key, ...others.map(derived)];

  return {
    encode: (companyId, position) => encrypt(key, companyId, position).toString('base64url'),
    decode(companyId, cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      // Several texts decode to the same bytes; only the issued one is accepted.
      if (bytes.toString('base64url') !== cursor) throw cursorInvalid();
      for (const each of keys) {
        try {
          return decrypt(each, companyId, bytes);
        } catch {
          // It was not made with this key.
        }
      }
      throw cursorInvalid();
    },
  };
}

function derived(signingKey: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', signingKey, '', 'technician-cursor', KEY_BYTES));
}
