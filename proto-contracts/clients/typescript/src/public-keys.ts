import { base64, type PublicKey } from './verify-signature.js';

const KEPT_MS = 300_000;
const TIMEOUT_MS = 10_000;

/**
 * Returns a reader of the public keys at an address. It reads them at most every 5 minutes, so they follow their rotation; if a later
 * read fails, the earlier keys stay.
 */
export function publicKeysAt(url: string, now: () => number): () => Promise<readonly PublicKey[]> {
  let known: { readonly at: number; readonly keys: Promise<readonly PublicKey[]> } | undefined;
  return () => {
    const earlier = known;
    if (earlier !== undefined && Math.abs(now() - earlier.at) < KEPT_MS) return earlier.keys;
    const keys = readKeys(url).catch((error: unknown) => {
      if (earlier !== undefined) return earlier.keys;
      known = undefined;
      throw error;
    });
    known = { at: now(), keys };
    return keys;
  };
}

async function readKeys(url: string): Promise<readonly PublicKey[]> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`the public keys at ${url} cannot be read: status ${response.status}`);
  // No other text of the document has this form.
  const keys = (await response.text()).matchAll(/"whpk_([A-Za-z0-9+/]{43}=)"/g);
  const bytes = [...keys].map(([, key = '']) => base64(key) ?? new Uint8Array());
  return Promise.all(
    bytes.map((key) => globalThis.crypto.subtle.importKey('raw', key, 'Ed25519', false, ['verify'])),
  );
}
