const KEY_BYTES = 32;
/** Fewer distinct bytes come once in 10³³ keys, and once in 10⁵ of 32 random hexadecimal digits. */
const MIN_DISTINCT = 9;
const MAX_PERIOD = 24;
const DEVELOPMENT = 'partner-development-';

export const KEY_FORM = '32 random bytes in base64, for example of `openssl rand -base64 32`';

/**
 * Decodes a key of 32 bytes from its base64 text. Returns undefined for another text, and for bytes without entropy: few distinct
 * bytes, a repeated pattern, or a run such as 0, 1, 2.
 */
export function keyBytes(text: string): Buffer | undefined {
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES || key.toString('base64') !== text) return undefined;
  const steps = stepsOf(key);
  if ([key, steps, stepsOf(steps)].some((bytes) => new Set(bytes).size < MIN_DISTINCT)) return undefined;
  for (let period = 1; period <= MAX_PERIOD; period += 1) {
    if (key.subarray(period).equals(key.subarray(0, -period))) return undefined;
  }
  return key;
}

/** Returns whether a key is one of those in this repository, which everyone knows. */
export function isDevelopmentKey(key: Uint8Array): boolean {
  return Buffer.from(key).toString('latin1').startsWith(DEVELOPMENT);
}

function stepsOf(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte, index) => byte - (bytes[index - 1] ?? 0)).subarray(1);
}
