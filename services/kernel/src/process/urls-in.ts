/** Separates only before another URL: a password can have a comma. */
const SEPARATOR = /,(?=[a-z][a-z\d+.-]*:\/\/)/i;

export function urlsIn(text: string): readonly string[] {
  return text.split(SEPARATOR);
}
