/**
 * Throws a `TypeError` unless a key or secret consists of visible ASCII characters, as every one of the service does. The message names
 * the first other character, never the text: a line break from a file, a space, a byte order mark.
 */
export function requireVisible(name: string, text: string): void {
  if (text === '') throw new TypeError(`${name} is empty`);
  const at = text.search(/[^!-~]/);
  if (at === -1) return;
  const code = (text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  throw new TypeError(
    `${name} has white space or another character that does not belong to it: U+${code} at position ${at + 1} of ${text.length}; trim it, as a file often ends with a line break`,
  );
}
