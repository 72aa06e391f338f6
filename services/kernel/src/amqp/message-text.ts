/** A message property that should be text; empty when it is absent or something else. */
export function textOf(property: unknown): string {
  return typeof property === 'string' ? property : '';
}

/** Those of a message's headers that are text. */
export function textHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === 'string') texts[name] = value;
  }
  return texts;
}

/** The headers of a Connect call: a `Headers`, pairs, or a record, whose type only browsers declare. Names in lower case. */
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
