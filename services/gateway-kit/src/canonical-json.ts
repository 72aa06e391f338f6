import { createHash } from 'node:crypto';
import { configure } from 'safe-stable-stringify';

/** How deep objects and arrays of a request may nest. Nothing in the API needs more than 4. */
export const MAX_JSON_DEPTH = 64;

const canonicalText = configure({ deterministic: true, strict: false });

/**
 * SHA-256 of a JSON value written without spaces and with the keys of each object in order of their UTF-16 code units: the
 * same for two texts of the same value. `undefined`, for a request without a body, hashes as the empty text. The value must
 * not nest deeper than {@link MAX_JSON_DEPTH}.
 */
export function sha256OfCanonicalJson(value: unknown): Buffer {
  return createHash('sha256')
    .update(value === undefined ? '' : canonicalText(value), 'utf8')
    .digest();
}

/** Tells whether a value nests deeper than {@link MAX_JSON_DEPTH}, without recursion. */
export function nestsTooDeep(value: unknown): boolean {
  let level = containersOf([value]);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === MAX_JSON_DEPTH) return true;
    level = containersOf(level.flatMap((container): unknown[] => Object.values(container)));
  }
  return false;
}

function containersOf(values: readonly unknown[]): object[] {
  return values.filter((value) => typeof value === 'object' && value !== null);
}
