/** Returns a message property if it is text; empty if it is absent or of another type. */
export function textOf(property: unknown): string {
  return typeof property === 'string' ? property : '';
}

/** Returns the headers of a message that are text. */
export function textHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === 'string') texts[name] = value;
  }
  return texts;
}

/**
 * Returns the headers of a Connect call, with lower-case names. The input is a `Headers`, pairs, or a record; only
 * browser typings declare that type.
 */
export function callHeaders(given: unknown): Record<string, string> {
  if (typeof given !== 'object' || given === null) return {};
  const entries: readonly unknown[] =
    given instanceof Headers ? [...given] : Array.isArray(given) ? given : Object.entries(given);
  const headers: Record<string, string> = {};
  for (const entry of entries) {
    if (!Array.isArray(entry)) continue;
    const pair: readonly unknown[] = entry;
    const [name, value] = pair;
    if (typeof name === 'string' && typeof value === 'string') headers[name.toLowerCase()] = value;
  }
  return headers;
}
