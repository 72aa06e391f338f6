/** Converts words joined by dots or underscores to a type name, e.g. `QuoteSent` for `quote.sent`. */
export function pascalCase(words: string): string {
  return words
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
