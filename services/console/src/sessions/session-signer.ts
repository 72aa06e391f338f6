import { createHmac, timingSafeEqual } from 'node:crypto';
import type { KeyList } from '@partner/kernel/process/key-list';

export type SessionSigner = ReturnType<typeof createSessionSigner>;

/**
 * Creates the signer of what the console stores in Redis, which other holders of Redis credentials may write. While the former key
 * stays in the list, its sessions stay valid.
 */
export function createSessionSigner({ keys }: Pick<KeyList, 'keys'>) {
  const all = [...keys.values()];
  const [current] = all;
  if (current === undefined) throw new Error('a session key is required');
  const hmac = (key: Buffer, parts: readonly string[]) =>
    // JSON, so that no two lists of parts have the same text.
    createHmac('sha256', key).update(JSON.stringify(parts)).digest();
  return {
    /** Returns the HMAC-SHA256 of the parts under the current key. */
    sign: (...parts: readonly string[]) => hmac(current, parts).toString('base64url'),
    /** Checks a signature of the parts with each key. */
    isSigned(signature: string, ...parts: readonly string[]) {
      const given = Buffer.from(signature, 'base64url');
      return all.some((key) => {
        const expected = hmac(key, parts);
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
    },
  };
}
