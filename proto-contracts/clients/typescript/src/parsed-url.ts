/**
 * Reads a URL, relative to a base if there is one; undefined for a text that is not a URL. Not `URL.canParse`: once V8 has compiled a
 * caller of it, Node 20 takes a text such as `https://bücher.example/` for none.
 */
export function parsedUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
