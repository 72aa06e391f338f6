import type { technician } from '@partner/proto-contracts/public-api/installer-job';
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { cursorInvalid } from './cursor-invalid.js';

/** The last technician of a page. */
type Technician = z.infer<typeof technician>;

/** Encodes the last technician of a page as an opaque text, and decodes it. */
export interface TechnicianCursor {
  encode(companyId: string, last: Technician): string;
  /** Throws `cursor_invalid` unless the cursor was issued to this company. */
  decode(companyId: string, cursor: string): Technician;
}

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const place = z.tuple([z.boolean(), z.string(), z.string()]);

/**
 * Creates the cursor codec. A cursor is base64url of IV, tag and ciphertext of AES-256-GCM, with the company as
 * associated data. It is encrypted, unlike the signed cursor of the change feed, because it holds a person's name and
 * proxies log query strings. Its key is derived from the signing key, so that each algorithm has a key of its own.
 */
export function createTechnicianCursor(signingKey: Uint8Array): TechnicianCursor {
  const key = Buffer.from(hkdfSync('sha256', signingKey, '', 'technician-cursor', KEY_BYTES));

  return {
    encode(companyId, { active, displayName, membershipId }) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(companyId, 'utf8'));
      const text = JSON.stringify([active, displayName, membershipId]);
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString('base64url');
    },
    decode(companyId, cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      // Several texts decode to the same bytes; only the issued one is accepted.
      if (bytes.length < IV_BYTES + TAG_BYTES || bytes.toString('base64url') !== cursor)
        throw cursorInvalid();
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(companyId, 'utf8'))
        .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const opened = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
      try {
        decipher.final();
      } catch {
        throw cursorInvalid();
      }
      const [active, displayName, membershipId] = place.parse(JSON.parse(opened.toString('utf8')));
      return { active, displayName, membershipId };
    },
  };
}
