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
