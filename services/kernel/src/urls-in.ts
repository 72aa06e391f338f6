/** Separates only before another URL: a password can have a comma. */
const SEPARATOR = /[\s,]+(?=[a-z][a-z\d+.-]*:\/\/)/i;

/** Returns the URLs of a setting, which are separated by commas or white space. */
export function urlsIn(text: string): readonly string[] {
  return text.split(SEPARATOR);
}
