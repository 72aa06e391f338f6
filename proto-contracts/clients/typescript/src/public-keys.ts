import { parsedUrl } from './parsed-url.js';
import { isLoopback } from './loopback.js';
import { base64, type PublicKey } from './verify-signature.js';

const KEPT_MS = 300_000;
const BACKOFF_MS = 5_000;
const TIMEOUT_MS = 3_000;

interface PublicKeys {
  /** Empty before the first read has succeeded. */
  readonly known: readonly PublicKey[];
  /** The keys after the read that is in flight; undefined if the known ones are recent. Rejects if a read fails and no keys are known. */
  readonly read: Promise<readonly PublicKey[]> | undefined;
}

/**
 * Returns a reader of the public keys at an address. It reads them in the background at most every 5 minutes, so they follow their
 * rotation. If a read fails, the earlier keys stay, and the next read is 5 seconds later. Throws a `TypeError` if the address is not https.
 */
export function publicKeysAt(url: string, now: () => number): () => PublicKeys {
  const { protocol, hostname } = parsedUrl(url) ?? { protocol: '', hostname: '' };
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
    throw new TypeError(`publicKeysUrl must be an https URL, or an http URL of this machine, not ${url}`);
  let known: readonly PublicKey[] = [];
  let read: PublicKeys['read'];
  let isReading = false;
  let readAt = 0;
  let keptMs = 0;
  async function refresh(): Promise<readonly PublicKey[]> {
    try {
      known = await readKeys(url);
      keptMs = KEPT_MS;
    } catch (error) {
      keptMs = BACKOFF_MS;
      if (known.length === 0) throw error;
    } finally {
      isReading = false;
      readAt = now();
    }
    return known;
  }
  return () => {
    if (!isReading && Math.abs(now() - readAt) >= keptMs) {
      isReading = true;
      read = refresh();
      // Not everyone who begins a read waits for it.
      read.catch(() => undefined);
    }
    return { known, read: isReading || known.length === 0 ? read : undefined };
  };
}

async function readKeys(url: string): Promise<readonly PublicKey[]> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`the public keys at ${url} cannot be read: status ${response.status}`);
  const keys = fieldOf(await response.json(), 'keys');
  if (!Array.isArray(keys) || keys.length === 0) throw new Error(`there are no public keys at ${url}`);
  return Promise.all(
    keys.map((key) => {
      const text = fieldOf(key, 'publicKey');
      const bytes = typeof text === 'string' && text.startsWith('whpk_') ? base64(text.slice(5)) : undefined;
      if (bytes === undefined) throw new Error(`the list at ${url} has an entry that is not a public key`);
      return globalThis.crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']);
    }),
  );
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
