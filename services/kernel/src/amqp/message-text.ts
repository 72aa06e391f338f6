/** Returns a message property if it is text; empty if it is absent or of another type. */
export function textOf(property: unknown): string {
  return typeof property === 'string' ? property : '';
}

export function textHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === 'string') texts[name] = value;
  }
  return texts;
}
